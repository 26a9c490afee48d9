import { limits } from '../api/parameters.ts'
import type { AccountId, Instant, RawReportId } from '../values/ids.ts'

/** Events of a raw report, each announced once. */
export const announcementKinds = [
  'ready',
  'failed',
  'timed-out',
  'cancelled',
  'disappeared',
  'expires-in-3-days',
  'expires-in-1-day-unsaved',
] as const
export type AnnouncementKind = (typeof announcementKinds)[number]

/** Labels of the kinds in Settings. */
export const announcementWords: Readonly<Record<AnnouncementKind, string>> = {
  ready: 'A report is ready',
  failed: 'A report failed',
  'timed-out': 'A report timed out',
  cancelled: 'A report was cancelled elsewhere',
  disappeared: 'A report disappeared from the list',
  'expires-in-3-days': 'A report expires in three days',
  'expires-in-1-day-unsaved': 'An unsaved report expires tomorrow',
}

/** An event of a report. Stored before it is shown, and marked afterwards. */
export type Announcement = {
  readonly account: AccountId
  readonly report: RawReportId
  readonly kind: AnnouncementKind
  readonly name: string
  /** When the app noticed the event. */
  readonly foundAt: Instant
  /** Rows and bytes of the report; null if unknown. */
  readonly rows: number | null
  readonly size: number | null
  readonly shownAt: Instant | null
}

/** Content of a notification: one announcement, or a summary of many. */
export type AnnouncementBatch =
  | { readonly kind: 'one'; readonly announcement: Announcement }
  | { readonly kind: 'summary'; readonly announcements: readonly Announcement[] }

/** Which reports are saved automatically. */
export const savingRules = ['all', 'templates', 'none'] as const
type SavingRule = (typeof savingRules)[number]

/** Parts of a file name pattern, written in braces. */
export const patternParts = ['account', 'name', 'start', 'end', 'type', 'instance'] as const

/** Settings of raw reports and their files, for all accounts. */
export type RawSettings = {
  readonly announce: Readonly<Record<AnnouncementKind, boolean>>
  readonly saving: SavingRule
  /** Such as `{account} {name} {start} to {end}`, without the extension. */
  readonly fileNames: string
  /** Whether the CSV is unpacked beside its archive. */
  readonly unpack: boolean
  /** Limit of all downloads together, in thousand bytes per second; null for none. */
  readonly bandwidth: number | null
  /** Number of additional columns (specification: limits, additional data columns). */
  readonly additionalColumns: number
}

export const usualRawSettings: RawSettings = {
  announce: Object.fromEntries(announcementKinds.map((kind) => [kind, true])) as RawSettings['announce'],
  saving: 'all',
  fileNames: '{account} {name} {start} to {end} {type}',
  unpack: false,
  bandwidth: null,
  additionalColumns: limits.rawAdditionalColumnsByDefault,
}
