import type { RawType } from '#shared/api/raw-columns.ts'
import { daysBetween } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { RawRows } from '../contracts/events.ts'
import { sandboxInstances } from './catalogue/instances.ts'
import type { SandboxInstance } from './catalogue/instances.ts'
import type { EventColumns } from './columns.ts'
import { instancePlace } from './fields.ts'
import { generateEvents } from './generate.ts'
import type { Generated } from './generate.ts'
import { createJudge } from './judge.ts'
import type { Judge } from './judge.ts'
import { rawValue } from './raw-values.ts'
import { hoursOfToday } from './rhythm.ts'
import { BAD, DROP, NON_SUSPECT } from './verdicts.ts'

/** The events of a sandbox: the source of every figure it gives. */
export type Events = RawRows & {
  readonly instances: readonly SandboxInstance[]
  /** The days there are events of, in order; the last is today, up to noon as a rule. */
  readonly days: readonly Day[]
  readonly columns: EventColumns
  /** The events of a range: from `first` up to, not including, `end`. Days without events give none. */
  readonly span: (range: DayRange) => { readonly first: number; readonly end: number }
  /** How events are judged after these days were restated. */
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

const ofType: Readonly<Record<RawType, (verdict: number) => boolean>> = {
  request: (verdict) => verdict < NON_SUSPECT,
  response: (verdict) => verdict > DROP && verdict <= BAD,
  direct: (verdict) => verdict >= NON_SUSPECT,
}

function rawRows(made: Generated, restated: readonly Day[]): RawRows {
  const { columns } = made
  const judge = createJudge(made, restated)
  return {
    *rows(type: RawType, instance: InstanceId, range: DayRange) {
      const place = instancePlace(instance)
      const { first, end } = spanOf(made, range)
      for (let event = first; event < end; event++) {
        if (columns.instance[event] === place && ofType[type](columns.verdict[event] as number)) yield event
      }
    },
    timestamp: (event) => `${new Date((columns.time[event] as number) * 1000).toISOString().slice(0, 19)}Z`,
    value: (type, column, event) =>
      rawValue(type, column, columns, { event, verdict: judge.verdict(event), rules: judge.rules(event) }),
    restated: (days) => rawRows(made, days),
  }
}

/** What was made last: whoever starts a sandbox again wants the same mostly, and nobody changes an event. */
let latest:
  | {
      readonly seed: number
      readonly today: Day
      readonly hoursOver: number
      readonly made: Generated
    }
  | undefined

/**
 * The events of the 120 days that end with `today`.
 * @param seed any whole number; the same seed and day make the same events
 * @param hoursOver so many hours of today are over, 1 to 24: there are no events of later ones
 */
export function createEvents(seed: number, today: Day, hoursOver = hoursOfToday): Events {
  if (latest?.seed !== seed || latest.today !== today || latest.hoursOver !== hoursOver)
    latest = { seed, today, hoursOver, made: generateEvents(seed, today, hoursOver) }
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
