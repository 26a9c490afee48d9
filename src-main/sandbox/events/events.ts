import type { RawType } from '#shared/api/raw-columns.ts'
import { daysBetween } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { RawRows } from '../contracts.ts'
import { brokenRules, ruleSetsInForce, sandboxInstances } from './catalogue.ts'
import type { SandboxInstance } from './catalogue.ts'
import { isBroken, restatedResult, instancePlace, BAD, DROP, NON_SUSPECT } from './columns.ts'
import type { EventColumns } from './columns.ts'
import { generateEvents, hoursOfToday } from './generate.ts'
import type { Generated } from './generate.ts'
import { hash32 } from './random.ts'
import { rawValue } from './raw-values.ts'

const SECONDS_OF_A_WEEK = 604_800

/** Results of events, original or after a restatement. */
export type Judge = {
  readonly result: (event: number) => number
  /** One bit for each broken rule set. */
  readonly rules: (event: number) => number
}

/** Marks the events on restated days; undefined if there are none, so that none is tested. */
function restatedEvents({ days, dayStarts, columns }: Generated, restated: readonly Day[]) {
  const places = restated.map((day) => days.indexOf(day)).filter((place) => place >= 0)
  if (places.length === 0) return undefined
  const marks = new Uint8Array(columns.time.length)
  for (const place of places) marks.fill(1, dayStarts[place], dayStarts[place + 1])
  return marks
}

/** Creates the judge after these days were restated. */
function createJudge(made: Generated, restated: readonly Day[]): Judge {
  const { time, result, rules } = made.columns
  const marks = restatedEvents(made, restated)
  const original = (event: number) => result[event] as number
  if (marks === undefined) return { result: original, rules: (event) => rules[event] as number }
  const judged = (event: number) =>
    marks[event] === 1 ? restatedResult(original(event), event) : original(event)
  return {
    result: judged,
    rules: (event) => {
      if (!isBroken(judged(event))) return 0
      if (isBroken(original(event))) return rules[event] as number
      return brokenRules(
        ruleSetsInForce(Math.floor((time[event] as number) / SECONDS_OF_A_WEEK)),
        hash32(event, 9),
      )
    },
  }
}

/** Events of a sandbox, the source of all its figures. */
export type Events = RawRows & {
  readonly instances: readonly SandboxInstance[]
  /** Days with events, in order. The last is today, usually until noon. */
  readonly days: readonly Day[]
  readonly columns: EventColumns
  /** Returns the events of a range, from `first` to `end` (exclusive). Empty for days without events. */
  readonly span: (range: DayRange) => { readonly first: number; readonly end: number }
  /** Returns the judge after these days were restated. */
  readonly judge: (restated: readonly Day[]) => Judge
}

function spanOf({ days, dayStarts }: Generated, range: DayRange) {
  const within = (index: number) => Math.min(Math.max(index, 0), days.length)
  const origin = days[0] as Day
  const first = within(daysBetween(origin, range.start))
  const end = within(daysBetween(origin, range.end) + 1)
  return {
    first: dayStarts[first] as number,
    end: Math.max(dayStarts[first] as number, dayStarts[end] as number),
  }
}

const ofType: Readonly<Record<RawType, (result: number) => boolean>> = {
  request: (result) => result < NON_SUSPECT,
  response: (result) => result > DROP && result <= BAD,
  direct: (result) => result >= NON_SUSPECT,
}

function rawRows(made: Generated, restated: readonly Day[]): RawRows {
  const { columns } = made
  const judge = createJudge(made, restated)
  return {
    *rows(type: RawType, instance: InstanceId, range: DayRange) {
      const place = instancePlace(instance)
      const { first, end } = spanOf(made, range)
      for (let event = first; event < end; event++) {
        if (columns.instance[event] === place && ofType[type](columns.result[event] as number)) yield event
      }
    },
    timestamp: (event) => `${new Date((columns.time[event] as number) * 1000).toISOString().slice(0, 19)}Z`,
    value: (type, column, event) =>
      rawValue(type, column, columns, { event, result: judge.result(event), rules: judge.rules(event) }),
    restated: (days) => rawRows(made, days),
  }
}

/** Cache of the last events, because a restarted sandbox usually needs the same, and events are immutable. */
let latest: { readonly key: string; readonly made: Generated } | undefined

/**
 * Creates the events of the 120 days that end with `today`.
 * @param seed any integer; seed and day determine the events
 * @param hoursOver hours of today with events, 1 to 24
 */
export function createEvents(seed: number, today: Day, hoursOver = hoursOfToday): Events {
  const key = `${seed} ${today} ${hoursOver}`
  if (latest?.key !== key) latest = { key, made: generateEvents(seed, today, hoursOver) }
  const { made } = latest
  return {
    ...rawRows(made, []),
    instances: sandboxInstances,
    days: made.days,
    columns: made.columns,
    span: (range) => spanOf(made, range),
    judge: (restated) => createJudge(made, restated),
  }
}
