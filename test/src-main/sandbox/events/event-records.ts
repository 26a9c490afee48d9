import type { Family } from '#shared/api/dimensions.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import {
  campaigns,
  connections,
  hosts,
  networks,
  paths,
  places,
  ruleSets,
  sources,
} from '#main/sandbox/events/catalogue.ts'
import type { VisitorLocation } from '#main/sandbox/events/catalogue.ts'
import { clients } from '#main/sandbox/events/clients.ts'
import type { Client } from '#main/sandbox/events/clients.ts'
import { ADBLOCK_UNKNOWN, familyOf, results } from '#main/sandbox/events/columns.ts'
import type { EventResult } from '#main/sandbox/events/columns.ts'
import type { Events, Judge } from '#main/sandbox/events/events.ts'

/** An event as a plain row. Members without a value are null. */
export type EventRecord = Omit<Client, 'weight'> &
  Pick<VisitorLocation, 'country' | 'region' | 'city'> & {
    readonly family: Family
    readonly day: Day
    readonly instance: InstanceId
    readonly source: string
    readonly campaign: string
    readonly network: string
    readonly connection: string | null
    readonly host: string | null
    readonly path: string | null
    readonly result: EventResult
    /** Null if detection was off. */
    readonly adblocker: boolean | null
    readonly rules: readonly string[]
  }

function recordOf({ columns, instances }: Events, judge: Judge, event: number): EventRecord {
  const read = (column: ArrayLike<number>) => column[event] as number
  const result = judge.result(event)
  const family = familyOf(result)
  const hasResponse = family === 'script' && results[result] !== 'drop'
  const { weight: _, ...client } = clients[read(columns.client)] as Client
  const { country, region, city } = places[read(columns.place)] as VisitorLocation
  const bits = judge.rules(event)
  return {
    ...client,
    ...{ country, region, city, family },
    day: new Date(read(columns.time) * 1000).toISOString().slice(0, 10) as Day,
    instance: (instances[read(columns.instance)] as { id: InstanceId }).id,
    source: sources[read(columns.source)] as string,
    campaign: campaigns[read(columns.campaign)] as string,
    network: networks[read(columns.network)] as string,
    connection: family === 'script' ? (connections[read(columns.connection)] as string) : null,
    host: hasResponse ? (hosts[read(columns.host)] as string) : null,
    path: hasResponse ? (paths[read(columns.path)] as string) : null,
    result: results[result] as EventResult,
    adblocker: !hasResponse || read(columns.adblock) === ADBLOCK_UNKNOWN ? null : read(columns.adblock) === 1,
    rules: ruleSets.filter((_, bit) => bits & (1 << bit)).map((ruleSet) => ruleSet.code),
  }
}

/**
 * Returns events as plain rows, sorted by time and read directly from the columns. For checks of the tables that share
 * no code with their counting, in loops or SQL.
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
