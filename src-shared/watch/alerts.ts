import type { Family } from '../api/dimensions.ts'
import type { Day } from '../values/day.ts'
import type { AccountId, Instant, RawReportId } from '../values/ids.ts'
import type { Weekday } from '../views/period.ts'

/** Id of an alert, a random UUID. */
export type AlertId = string & { readonly __brand: 'AlertId' }

/**
 * Figures that an alert can watch: the share of bad (suspect) requests, the number of requests, or the share of each rule
 * set in all that requests broke.
 */
export const alertMeasures = ['bad-rate', 'requests', 'rule-mix'] as const
export type AlertMeasure = (typeof alertMeasures)[number]

/** When a day is news. Rates are in percent. */
export type AlertCondition =
  /** Outside what is usual (src-main/watch/detector/evaluate.ts). */
  | { readonly kind: 'unusual' }
  | { readonly kind: 'above' | 'below'; readonly value: number }
  /** Higher, or lower, by at least `percent` than the `days` days before. */
  | { readonly kind: 'rose' | 'fell'; readonly percent: number; readonly days: 7 | 28 }
  /** No requests on a day, where there usually are some. */
  | { readonly kind: 'stopped' }

export const alertConditionKinds = ['unusual', 'above', 'below', 'rose', 'fell', 'stopped'] as const
export type AlertConditionKind = AlertCondition['kind']

/** When the user is told: at once, or with others on the next morning. */
export const alertTellings = ['at-once', 'morning'] as const
export type AlertTelling = (typeof alertTellings)[number]

export const weekdays: readonly Weekday[] = [1, 2, 3, 4, 5, 6, 7]

/** Input for an alert. */
export type AlertEntry = {
  /** Address of the watched figures as `noteView` returns it: Overview, or a report. */
  readonly view: string
  /** Family of the figures; a report's own. */
  readonly family: Family
  /** The only watched row of a report, by its key (reports/rows.ts: labelKey). Null for every row, or for the total. */
  readonly row: string | null
  readonly measure: AlertMeasure
  readonly condition: AlertCondition
  /** Days with fewer requests are not news. */
  readonly leastRequests: number
  /** Smallest change in percent of what is usual that is news, with the condition `unusual`. */
  readonly leastChange: number
  /** Weekdays of the reported day that are news. Not empty. */
  readonly weekdays: readonly Weekday[]
  readonly telling: AlertTelling
}

export type Alert = AlertEntry & { readonly id: AlertId; readonly createdAt: Instant }

/** An alert, and what it knows. */
export type AlertState = Alert & {
  /** Newest day that was judged; null before the first. */
  readonly judgedUpTo: Day | null
  /** Number of stored days of the last `daysRead`. */
  readonly storedDays: number
  /** Why nothing was judged, if so. `view-gone`: this version or scope does not know the view. */
  readonly notJudged: 'no-figures' | 'too-few-days' | 'view-gone' | null
}

/** Number of days that a judgement reads. */
export const daysRead = 90

/** Minimum number of stored days for `unusual` and `stopped`: 14 that are judged, and 14 before them. */
export const fewestDays = 28

/** Maximum number of alerts per account. */
export const maxAlerts = 2_000

/** One telling that an alert would have made. */
export type PreviewedTelling = {
  readonly day: Day
  readonly from: Day
  /** Label of the row; null for the total, or for several rows at once. */
  readonly label: string | null
  /** Number of rows; 1 for a single row or the total. */
  readonly rows: number
  /** Code of the rule set that moved most; null with other measures. */
  readonly rule: string | null
  readonly usual: number
  readonly now: number
}

/** A day of a chart: the figure, and the limits of what is usual. Rates are in percent. */
export type BandedDay = {
  readonly day: Day
  readonly value: number | null
  readonly usual: number | null
  readonly low: number | null
  readonly high: number | null
}

/** What an alert would have told in the stored days. */
export type AlertPreview = {
  /** Mornings that were judged, at most `daysRead`; 0 if too few days are stored. */
  readonly mornings: number
  readonly storedDays: number
  /** Newest first, at most 100. */
  readonly tellings: readonly PreviewedTelling[]
  /** Number of all tellings. */
  readonly told: number
  /** Days of the watched row or total; of every row, of the one with the most requests. Empty with too few days. */
  readonly band: readonly BandedDay[]
  /** Label of the row of the band; null for the total. */
  readonly bandLabel: string | null
  /** Code of the rule set of the band; null with other measures. */
  readonly bandRule: string | null
  /** Smallest lasting factor that is noticed within a week, such as 1.5; null if the figures are too small to judge. */
  readonly noticeable: number | null
}

/** Ready-made alerts. None is on until the user chooses it. */
export const readyMadeAlerts = [
  'rate-by-source',
  'rate-by-instance',
  'rate-of-account',
  'source-stopped',
  'mix-by-instance',
] as const
export type ReadyMadeAlert = (typeof readyMadeAlerts)[number]

/** Id of a finding, a random UUID. */
export type FindingId = string & { readonly __brand: 'FindingId' }

/** Reasons for dismissing a finding. `wrong` counts as a false alarm. */
export const dismissals = ['not-a-problem', 'known', 'wrong'] as const
export type Dismissal = (typeof dismissals)[number]

/** What a mute silences. Its findings are still recorded. */
export type MuteSubject =
  | { readonly kind: 'row'; readonly alert: AlertId; readonly row: string }
  | { readonly kind: 'alert'; readonly alert: AlertId }
  | { readonly kind: 'account' }

export type MuteId = string & { readonly __brand: 'MuteId' }

/** Findings of the subject are not announced up to and including `until`. */
export type Mute = { readonly id: MuteId; readonly subject: MuteSubject; readonly until: Day }

/**
 * `so-far`: of figures that are not settled. `withdrawn`: settled figures did not confirm it. `usual`: lasted 28 days and
 * is the new usual. `unwatched`: its alert was deleted, watches something else, or reads another data scope.
 */
export const findingStates = ['so-far', 'standing', 'over', 'usual', 'withdrawn', 'unwatched'] as const

/** Whether a mute of this subject silences a finding of its account. */
export function isMutedBy({ alert, row }: Pick<Finding, 'alert' | 'row'>, subject: MuteSubject): boolean {
  switch (subject.kind) {
    case 'account':
      return true
    case 'alert':
      return subject.alert === alert
    case 'row':
      return subject.alert === alert && subject.row === row?.key
  }
}

/** Returns the last day of the mutes of its account that silence a finding on a day; null if none does. */
export const mutedUntilOf = (
  finding: Pick<Finding, 'alert' | 'row'>,
  mutes: readonly Mute[],
  today: Day,
): Day | null =>
  mutes.reduce<Day | null>(
    (last, { subject, until }) =>
      until >= today && (last === null || until > last) && isMutedBy(finding, subject) ? until : last,
    null,
  )

/** What got worse, and since when. Unique by alert, row, kind and first day. */
export type Finding = {
  readonly id: FindingId
  readonly account: AccountId
  readonly alert: AlertId
  /** The alert when it was found, since it may be changed or deleted later. */
  readonly view: string
  readonly family: Family
  readonly measure: AlertMeasure
  readonly condition: AlertConditionKind
  /** The row's key and text; null for a total, several rows at once, or a change that all rows share. */
  readonly row: { readonly key: string; readonly text: string } | null
  /** Several rows at once by key; empty otherwise. `isShared`: all rows changed together. */
  readonly rows: readonly string[]
  readonly isShared: boolean
  /** Code of the rule set that moved most; null with other measures, and for several rows that moved differently. */
  readonly rule: string | null
  /** Whether the row stopped. */
  readonly isStopped: boolean
  readonly from: Day
  /** Newest day when it was found. */
  readonly day: Day
  /** Rates in percent, or requests a day. */
  readonly usual: number
  readonly now: number
  /** Distance from the usual in standard deviations; null with other conditions than `unusual`. */
  readonly z: number | null
  readonly state: (typeof findingStates)[number]
  /** First day after it; null while it stands. */
  readonly to: Day | null
  /** The settled figure of a withdrawn finding; null otherwise. */
  readonly settled: number | null
  readonly foundAt: Instant
  readonly seen: boolean
  readonly dismissed: Dismissal | null
  /** Last day of the mute that covers it; null if none does. */
  readonly mutedUntil: Day | null
}

/** Whether a finding still stands. */
export const isStanding = ({ state }: Pick<Finding, 'state'>): boolean =>
  state === 'standing' || state === 'so-far'

/** Whether a finding needs attention: not seen, dismissed or muted. */
export const isFresh = ({ seen, dismissed, mutedUntil }: Finding): boolean =>
  !seen && dismissed === null && mutedUntil === null

/** Findings that need attention: how many, and the newest of them. */
export type FreshFindings = {
  readonly count: number
  readonly newest: { readonly id: FindingId; readonly account: AccountId } | null
}

/** Maximum number of findings that are listed. */
export const maxFindings = 10_000

/** Findings of the accounts, the newest first. */
export type FindingList = {
  readonly findings: readonly Finding[]
  /** Number of findings that are not listed. */
  readonly more: number
  /** Number of findings that are not seen, dismissed or muted. */
  readonly fresh: number
  /** Among the findings of the last 90 days: dismissed as wrong, and all that were seen. */
  readonly falseAlarms: { readonly wrong: number; readonly judged: number }
}

/** Yesterday's figures of an account and family, beside what is usual. Rates are in percent. */
export type TodayFigures = {
  readonly family: Family
  readonly requests: number
  readonly bad: number
  readonly rate: number | null
  /** What is usual; null with too few stored days. */
  readonly usualRate: { readonly usual: number; readonly low: number; readonly high: number } | null
  readonly usualRequests: { readonly usual: number; readonly low: number; readonly high: number } | null
  /** Whether the day's figures can still change. */
  readonly soFar: boolean
}

/** An account on Today. */
export type TodayAccount = {
  readonly account: AccountId
  /** Yesterday in the account's zone. */
  readonly day: Day
  /** Families with stored figures of yesterday. */
  readonly figures: readonly TodayFigures[]
  /** Findings that stand, newest first. */
  readonly standing: readonly Finding[]
  /** Findings that ended or were withdrawn since the day before yesterday. */
  readonly ended: readonly Finding[]
  readonly hasAlerts: boolean
  /** Days whose figures the service restated since the last look, in order. */
  readonly restated: readonly Day[]
  /** Number of raw reports in progress. */
  readonly inProgress: number
  /** Ready raw reports that expire within three days. */
  readonly expiring: readonly ExpiringReport[]
}

export type ExpiringReport = {
  readonly report: RawReportId
  readonly name: string
  readonly expires: string
}

export type Today = { readonly accounts: readonly TodayAccount[] }
