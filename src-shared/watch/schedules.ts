import type { Failure } from '../api/failure.ts'
import type { CaseId } from '../cases/case.ts'
import type { Day } from '../values/day.ts'
import type { Instant } from '../values/ids.ts'
import { stemOfPattern } from '../values/text.ts'
import type { Weekday } from '../views/period.ts'
import type { SavedViewId } from '../views/saved-views.ts'

/** Id of a schedule, a random UUID. */
export type ScheduleId = string & { readonly __brand: 'ScheduleId' }

/** Days on which a schedule is due. In shorter months, the last day replaces a missing one. */
export type ScheduleDays =
  /** Not empty. */
  | { readonly kind: 'week'; readonly weekdays: readonly Weekday[] }
  /** 1 to 31. */
  | { readonly kind: 'month'; readonly day: number }

/** When a schedule is due, by the clock of a zone. A skipped time is due after the gap, a repeated one the first time. */
export type ScheduleRule = {
  readonly days: ScheduleDays
  readonly hour: number
  readonly minute: number
  /** IANA zone, such as `Europe/Berlin`. A stored one may be unknown to this system. */
  readonly zone: string
}

/** What a schedule makes. Views are a file each. */
export type ScheduleSubject =
  | { readonly kind: 'views'; readonly views: readonly SavedViewId[] }
  | { readonly kind: 'today' }
  | { readonly kind: 'case'; readonly id: CaseId }

/** Formats of files. `zip` is the pack of a case. */
export const scheduleFormats = ['pdf', 'xlsx', 'csv', 'parquet', 'zip'] as const
export type ScheduleFormat = (typeof scheduleFormats)[number]

const formatsByKind: Readonly<Record<ScheduleSubject['kind'], readonly ScheduleFormat[]>> = {
  views: ['pdf', 'xlsx', 'csv', 'parquet'],
  today: ['pdf'],
  case: ['zip'],
}

/** Returns the formats of a subject, the usual one first. */
export const formatsOf = (kind: ScheduleSubject['kind']): readonly ScheduleFormat[] => formatsByKind[kind]

/** Maximum number of views of a schedule, and of schedules of an account. */
export const maxScheduledViews = 50
export const maxSchedules = 500

/** Hours that a schedule can wait for figures or its folder. */
export const patienceLimits = { min: 1, max: 168 } as const

/** Maximum number of runs that a schedule remembers. */
export const maxRuns = 30

/** Parts of a pattern of file names, written in braces. `name` is that of the view or case, `day` the due day. */
export const scheduleNameParts = ['account', 'schedule', 'name', 'day'] as const
export const usualFileNames = '{account} {name} {day}'

/** Returns a file name without extension. The parts are untrusted. */
export const scheduledStem = (
  fileNames: string,
  parts: Readonly<Record<(typeof scheduleNameParts)[number], string>>,
): string => stemOfPattern(fileNames, parts, ['account', 'schedule', 'name'], 'Report')

export const longestScheduleName = 200

/** Input for a schedule. */
export type ScheduleEntry = {
  readonly name: string
  /** Pattern of file names without the extension, such as `usualFileNames`. */
  readonly fileNames: string
  readonly subject: ScheduleSubject
  readonly format: ScheduleFormat
  readonly rule: ScheduleRule
  /** Null for the downloads folder. */
  readonly folder: string | null
  /** Whether it waits until all days are settled. */
  readonly settled: boolean
  /** Hours after the due time in which it waits. */
  readonly patience: number
  readonly paused: boolean
}

/** What a run waits for. */
export const scheduleWaits = ['figures', 'settled', 'folder', 'lock'] as const
export type ScheduleWait = (typeof scheduleWaits)[number]

/** State of a run. */
export type ScheduleRunState =
  /** `asked`: the user wants it now. It is made while paused, and without waiting for final figures. */
  | { readonly kind: 'waiting'; readonly for: ScheduleWait; readonly asked?: true }
  | { readonly kind: 'making'; readonly asked?: true }
  | {
      readonly kind: 'made'
      readonly at: Instant
      /** Names of the files in the folder. */
      readonly files: readonly string[]
      /** Whether it had to wait, beyond the time in which its days settle if it waits for that. */
      readonly late: boolean
      /** When the oldest figures were fetched; null if it shows none. */
      readonly oldest: Instant | null
    }
  /** The app did not run. A later run replaced it. */
  | { readonly kind: 'missed' }
  | { readonly kind: 'skipped'; readonly reason: Failure }

/** Whether the user asked for an open run. */
export const isAsked = (state: ScheduleRunState): boolean =>
  (state.kind === 'waiting' || state.kind === 'making') && state.asked === true

/** What became of a due day. Unique by schedule and day. */
export type ScheduleRun = {
  /** Day in the rule's zone. */
  readonly day: Day
  readonly dueAt: Instant
  readonly state: ScheduleRunState
}

/** A schedule and its runs. */
export type ScheduleState = ScheduleEntry & {
  readonly id: ScheduleId
  /** When it is next due; null while paused, or if its zone is unknown. */
  readonly nextAt: Instant | null
  /** Newest first, at most `maxRuns`. */
  readonly runs: readonly ScheduleRun[]
}
