import { limits } from '../api/parameters.ts'
import type { AccountId, Instant, RawReportId } from '../values/ids.ts'

/** What is announced of a raw report, each once. */
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

/** Kinds as the settings name them. */
export const announcementWords: Readonly<Record<AnnouncementKind, string>> = {
  ready: 'A report is ready',
  failed: 'A report failed',
  'timed-out': 'A report timed out',
  cancelled: 'A report was cancelled elsewhere',
  disappeared: 'A report disappeared from the list',
  'expires-in-3-days': 'A report expires in three days',
  'expires-in-1-day-unsaved': 'An unsaved report expires tomorrow',
}

/** Something that happened to a report: stored before it is shown, marked when it was. */
export type Announcement = {
  readonly account: AccountId
  readonly report: RawReportId
  readonly kind: AnnouncementKind
  readonly name: string
  /** When the desk found out. */
  readonly foundAt: Instant
  /** Rows and bytes, where the report has any and they are known. */
  readonly rows: number | null
  readonly size: number | null
  readonly shownAt: Instant | null
}

/** What is shown at once: one announcement, or, where many waited, all of them in one. */
export type News =
  | { readonly kind: 'one'; readonly announcement: Announcement }
  | { readonly kind: 'summary'; readonly announcements: readonly Announcement[] }

/** Which reports are saved without being asked for. */
export const savingRules = ['all', 'templates', 'none'] as const
type SavingRule = (typeof savingRules)[number]

/** What may stand in a pattern of file names, in braces. */
export const patternParts = ['account', 'name', 'start', 'end', 'type', 'instance'] as const

/** The settings about raw reports and their files, for all accounts. */
export type RawSettings = {
  readonly announce: Readonly<Record<AnnouncementKind, boolean>>
  readonly saving: SavingRule
  /** Such as `{account} {name} {start} to {end}`; the ending is the archive's. */
  readonly fileNames: string
  /** Whether the CSV is put beside its archive. */
  readonly unpack: boolean
  /** Thousand bytes a second over all downloads; null for as fast as it goes. */
  readonly bandwidth: number | null
  /** How many additional columns there are to choose from (specification: limits, additional data columns). */
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
