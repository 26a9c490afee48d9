import type { Failure } from '../api/failure.ts'
import type { RawType } from '../api/raw-columns.ts'
import type { Day, DayRange } from '../values/day.ts'
import type { AccountId, Instant, RawReportId } from '../values/ids.ts'
import { presetNames, presets, rangeOf } from '../views/period.ts'
import type { Preset } from '../views/period.ts'
import type { RawDraft } from './draft.ts'

/** A request in the desk's own queue; a random UUID. */
export type RawRequestId = string & { readonly __brand: 'RawRequestId' }
export type RawTemplateId = string & { readonly __brand: 'RawTemplateId' }
export type RawScheduleId = string & { readonly __brand: 'RawScheduleId' }

/** So many requests of an account can wait: more than anybody looks through. */
export const maxRequests = 1000

/** How a request stands. It is sent once: where its answer was lost, the list is searched for the report. */
export type RawRequestState =
  | { readonly kind: 'waiting'; readonly for: 'turn' | 'concurrent' | 'minutes' | 'connection' | 'token' }
  | { readonly kind: 'sending' }
  /** The answer was lost; whether the service made the report is looked up in the list. */
  | { readonly kind: 'looking'; readonly since: Instant }
  /** Neither an answer nor a report in the list: the person decides. */
  | { readonly kind: 'unclear'; readonly since: Instant }
  | { readonly kind: 'refused'; readonly failure: Failure; readonly fields: Readonly<Record<string, string>> }

/** How a request stands as windows show it: while all is paused, what would go automatically waits for the end of that. */
export type ShownRequestState = RawRequestState | { readonly kind: 'waiting'; readonly for: 'pause' }

/** A request that waits to become a report, in the person's order. Those that were accepted are in the list. */
export type RawRequest = {
  readonly id: RawRequestId
  /** Checked anew before it is sent: one that waited may be too old by then. */
  readonly draft: RawDraft
  readonly template: RawTemplateId | null
  readonly schedule: RawScheduleId | null
  readonly madeAt: Instant
  readonly state: ShownRequestState
}

/** A request that stands in a queue, and is for the person to decide. */
export type StuckRequest = {
  readonly account: AccountId
  readonly request: RawRequestId
  /** Empty where the person gave it none. */
  readonly name: string
  readonly state: Extract<RawRequestState, { kind: 'refused' | 'unclear' }>
}

/** What a request led to: the report, or its place in the queue, or the refusal. */
export type RawRequested =
  | { readonly kind: 'report'; readonly report: RawReportId }
  | { readonly kind: 'queued'; readonly request: RawRequestId }
  | { readonly kind: 'refused'; readonly failure: Failure; readonly fields: Readonly<Record<string, string>> }

/** Columns that were asked for together. */
export type RawColumnSet = Pick<RawDraft, 'standard' | 'additional'> & {
  /** What the report was called; empty where the service made a name up. */
  readonly name: string
}

/** The sets of columns that were asked for lately, by type, each once. The last one comes first: a form begins with it. */
export type RawLastColumns = Readonly<Partial<Record<RawType, readonly RawColumnSet[]>>>

/** Days that move with the calendar: the presets of views, and whole weeks from Monday to Sunday. */
export type RawPeriod = Preset

/** A raw report under a name, to be asked for again over other days. */
export type RawTemplate = {
  readonly id: RawTemplateId
  readonly name: string
  readonly draft: Omit<RawDraft, 'start' | 'end'>
  readonly period: RawPeriod
  /** Saved when it is ready, where the rule of saving is by template. */
  readonly save: boolean
}

/** When a template is asked for automatically; hours and days in the account's zone. 1 is Monday. */
export type RawEvery =
  | { readonly kind: 'day'; readonly hour: number }
  | { readonly kind: 'week'; readonly weekday: 1 | 2 | 3 | 4 | 5 | 6 | 7; readonly hour: number }
  | { readonly kind: 'month'; readonly day: number; readonly hour: number }

export type RawSchedule = {
  readonly id: RawScheduleId
  readonly template: RawTemplateId
  readonly when: RawEvery
  readonly paused: boolean
  /** The day of the turn that was asked for last; a missed one is caught up with once, the latest alone. */
  readonly lastTurn: Day | null
  readonly nextTurn: Instant | null
}

/** The periods of a template, each with its name. */
export const rawPeriods: Readonly<Record<RawPeriod, string>> = presets

export const rawPeriodNames: readonly RawPeriod[] = presetNames

/** The days of a period on a day. */
export const rawRangeOf = (period: RawPeriod, today: Day): DayRange =>
  rangeOf({ kind: 'preset', preset: period }, today)
