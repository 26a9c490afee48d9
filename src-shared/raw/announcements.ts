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
  'expires-in-1-day-unsaved': 'A report that is not saved expires tomorrow',
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
