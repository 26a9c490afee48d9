import type { Family } from '#shared/api/families.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { clients } from './catalogue/clients.ts'
import type { Client } from './catalogue/clients.ts'
import { hosts, paths } from './catalogue/hosts.ts'
import { connections, networks } from './catalogue/networks.ts'
import { places } from './catalogue/places.ts'
import type { Place } from './catalogue/places.ts'
import { ruleSets } from './catalogue/rules.ts'
import { campaigns, sources } from './catalogue/sources.ts'
import { ADBLOCK_UNKNOWN } from './columns.ts'
import type { Events } from './index.ts'
import type { Judge } from './judge.ts'
import { familyOf, verdicts } from './verdicts.ts'
import type { Verdict } from './verdicts.ts'

/** One event as a plain row, every value spelled out; null where an event of its kind has no such value. */
export type EventRecord = {
  readonly family: Family
  readonly day: Day
  readonly instance: InstanceId
  readonly source: string
  readonly campaign: string
  readonly browser: string
  readonly browser_version: string
  readonly os: string
  readonly os_version: string
  readonly manufacturer: string
  readonly model: string
  readonly type: string
  readonly country: string
  readonly region: string
  readonly city: string
  readonly network: string
  readonly connection: string | null
  readonly host: string | null
  readonly path: string | null
  readonly verdict: Verdict
  /** Null where nobody looked. */
  readonly adblocker: boolean | null
  readonly rules: readonly string[]
}

function recordOf({ columns, instances }: Events, judge: Judge, event: number): EventRecord {
  const at = (column: ArrayLike<number>) => column[event] as number
  const verdict = judge.verdict(event)
  const family = familyOf(verdict)
  const isAnswered = family === 'script' && verdicts[verdict] !== 'drop'
  const client = clients[at(columns.client)] as Client
  const place = places[at(columns.place)] as Place
  const bits = judge.rules(event)
  return {
    family,
    day: new Date(at(columns.time) * 1000).toISOString().slice(0, 10) as Day,
    instance: (instances[at(columns.instance)] as { id: InstanceId }).id,
    source: sources[at(columns.source)] as string,
    campaign: campaigns[at(columns.campaign)] as string,
    browser: client.browser,
    browser_version: client.browserVersion,
    os: client.os,
    os_version: client.osVersion,
    manufacturer: client.manufacturer,
    model: client.model,
    type: client.type,
    country: place.country,
    region: place.region,
    city: place.city,
    network: networks[at(columns.network)] as string,
    connection: family === 'script' ? (connections[at(columns.connection)] as string) : null,
    host: isAnswered ? (hosts[at(columns.host)] as string) : null,
    path: isAnswered ? (paths[at(columns.path)] as string) : null,
    verdict: verdicts[verdict] as Verdict,
    adblocker: !isAnswered || at(columns.adblock) === ADBLOCK_UNKNOWN ? null : at(columns.adblock) === 1,
    rules: ruleSets.filter((_, bit) => bits & (1 << bit)).map((ruleSet) => ruleSet.code),
  }
}

/**
 * The events of some days, or of all, as plain rows in order of time, read straight from the columns: for a check of the tables that shares
 * nothing with how they are counted, in plain loops or in SQL.
 */
export function* eventRecords(
  events: Events,
  restated: readonly Day[] = [],
  days: DayRange = wholeOf(events),
): Iterable<EventRecord> {
  const judge = events.judge(restated)
  const { first, end } = events.span(days)
  for (let event = first; event < end; event++) yield recordOf(events, judge, event)
}

const wholeOf = ({ days }: Events): DayRange => ({ start: days[0] as Day, end: days.at(-1) as Day })
