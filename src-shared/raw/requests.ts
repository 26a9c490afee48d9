import type { Failure } from '../api/failure.ts'
import type { RawType } from '../api/raw-columns.ts'
import type { Day, DayRange } from '../values/day.ts'
import type { AccountId, Instant, RawReportId } from '../values/ids.ts'
import { presetNames, presets, rangeOf } from '../views/period.ts'
import type { Preset } from '../views/period.ts'
import type { RawDraft } from './draft.ts'

/** Id of a queued request; a random UUID. */
export type RawRequestId = string & { readonly __brand: 'RawRequestId' }
export type RawTemplateId = string & { readonly __brand: 'RawTemplateId' }
export type RawScheduleId = string & { readonly __brand: 'RawScheduleId' }

/** Maximum number of queued requests per account: more than anyone reviews. */
export const maxRequests = 1000

/** State of a request. A request is sent once; if the response is lost, the list is searched for the report. */
export type RawRequestState =
  | { readonly kind: 'waiting'; readonly for: 'turn' | 'concurrent' | 'minutes' | 'connection' | 'token' }
  | { readonly kind: 'sending' }
  /** The response was lost. The list is being searched for the report. */
  | { readonly kind: 'looking'; readonly since: Instant }
  /** Neither a response nor a report in the list. The user must decide. */
  | { readonly kind: 'unclear'; readonly since: Instant }
  | { readonly kind: 'refused'; readonly failure: Failure; readonly fields: Readonly<Record<string, string>> }

/** State as shown: `pause` if all requests are paused. */
export type ShownRequestState = RawRequestState | { readonly kind: 'waiting'; readonly for: 'pause' }

/** A queued request, in the user's order. Accepted requests are in the list of reports. */
export type RawRequest = {
  readonly id: RawRequestId
  /** Validated again before it is sent, because its days may be too old by then. */
  readonly draft: RawDraft
  readonly template: RawTemplateId | null
  readonly schedule: RawScheduleId | null
  readonly madeAt: Instant
  readonly state: ShownRequestState
}

/** A queued request that needs the user's decision. */
export type StuckRequest = {
  readonly account: AccountId
  readonly request: RawRequestId
  /** Empty if the user gave none. */
  readonly name: string
  readonly state: Extract<RawRequestState, { kind: 'refused' | 'unclear' }>
}

/** Result of a request: the report, a queued request, or a refusal. */
export type RawRequested =
  | { readonly kind: 'report'; readonly report: RawReportId }
  | { readonly kind: 'queued'; readonly request: RawRequestId }
  | { readonly kind: 'refused'; readonly failure: Failure; readonly fields: Readonly<Record<string, string>> }

/** Columns of one request. */
export type RawColumnSet = Pick<RawDraft, 'standard' | 'additional'> & {
  /** Name of the report; empty if the service chose it. */
  readonly name: string
}

/** Recently requested columns by type, without duplicates. The latest is first and prefills the form. */
export type RawLastColumns = Readonly<Partial<Record<RawType, readonly RawColumnSet[]>>>

/** Days that move with the calendar: the presets of views. */
export type RawPeriod = Preset

/** A named raw report, to request for other days. */
export type RawTemplate = {
  readonly id: RawTemplateId
  readonly name: string
  readonly draft: Omit<RawDraft, 'start' | 'end'>
  readonly period: RawPeriod
  /** Whether reports are saved when ready, if the saving rule is `templates`. */
  readonly save: boolean
}

/** Time at which a template is requested; hours and days in the account's zone. 1 is Monday. */
export type RawEvery =
  | { readonly kind: 'day'; readonly hour: number }
  | { readonly kind: 'week'; readonly weekday: 1 | 2 | 3 | 4 | 5 | 6 | 7; readonly hour: number }
  | { readonly kind: 'month'; readonly day: number; readonly hour: number }

export type RawSchedule = {
  readonly id: RawScheduleId
  readonly template: RawTemplateId
  readonly when: RawEvery
  readonly paused: boolean
  /** Day of the latest request. Of several missed ones, only the latest is made up for. */
  readonly lastOccurrence: Day | null
  readonly nextOccurrence: Instant | null
}

/** Names of a template's periods. */
export const rawPeriods: Readonly<Record<RawPeriod, string>> = presets

export const rawPeriodNames: readonly RawPeriod[] = presetNames

/** Returns the days of a period. */
export const rawRangeOf = (period: RawPeriod, today: Day): DayRange =>
  rangeOf({ kind: 'preset', preset: period }, today)
