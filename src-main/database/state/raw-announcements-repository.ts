import * as v from 'valibot'
import { announcementKinds } from '#shared/raw/settings.ts'
import type { Announcement, AnnouncementKind } from '#shared/raw/settings.ts'
import type { RawSummary, RunningReport } from '#shared/raw/list.ts'
import { isRunning, lifeOf } from '#shared/raw/list.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import { branded, instant } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { has, insert, table, update } from '../sqlite/database.ts'
import { storedRow } from './raw-list.ts'

/** A new announcement of a report. */
export type NewAnnouncement = Pick<Announcement, 'report' | 'kind' | 'name'>

/** Key of an announcement: each kind is announced once per report. */
export type AnnouncementKey = Pick<Announcement, 'account' | 'report' | 'kind'>

const announcementsTable = table<Announcement>(
  'raw_announcements',
  v.object({
    account: branded<AccountId>(),
    report: branded<RawReportId>(),
    kind: v.picklist(announcementKinds),
    name: v.string(),
    foundAt: instant,
    rows: v.nullable(v.number()),
    size: v.nullable(v.number()),
    shownAt: v.nullable(instant),
  }),
)

/** Returns the announced kinds per report of an account, shown or not. */
export function announcedKinds(from: Reader, account: AccountId): Map<string, AnnouncementKind[]> {
  const kinds = new Map<string, AnnouncementKind[]>()
  for (const { report, kind } of announcementsTable.list(from, 'WHERE account = ?', account))
    kinds.set(report, [...(kinds.get(report) ?? []), kind])
  return kinds
}

/** Adds new announcements; existing ones remain. */
export function addAnnouncements(
  into: Writer,
  account: AccountId,
  announcements: readonly NewAnnouncement[],
  foundAt: Instant,
): void {
  for (const { report, kind, name } of announcements)
    insert(into, 'raw_announcements', { account, report, kind, name, foundAt, seen: false })
}

/** Deletes shown announcements of deleted reports. */
export function forgetAnnouncementsOfNone(from: Writer, account: AccountId): void {
  from.write(
    `DELETE FROM raw_announcements WHERE account = ? AND shown_at IS NOT NULL
       AND report NOT IN (SELECT id FROM raw_reports WHERE account = ?)`,
    ...[account, account],
  )
}

const listedReports = table(
  'raw_reports',
  v.object({ account: branded<AccountId>(), row: storedRow, firstSeen: instant }),
)

const runningReports = (from: Reader): RunningReport[] =>
  listedReports
    .list(from, 'WHERE lists_without = 0 ORDER BY rowid')
    .filter(({ row }) => isRunning(lifeOf(row).state))
    .map(({ account, row: { id: report, name }, firstSeen }) => ({ account, report, name, since: firstSeen }))

export function rawSummary(from: Reader): RawSummary {
  const unseen = announcementsTable.list(from, 'WHERE seen = 0 ORDER BY rowid')
  const ready = unseen.filter(({ kind }) => kind === 'ready').length
  return {
    running: runningReports(from),
    readyUnseen: ready,
    attention: unseen.length - ready,
    // The most recent final state; expiry follows it and does not count.
    lastFinished:
      announcementsTable.first(from, `WHERE kind NOT LIKE 'expires-%' ORDER BY rowid DESC LIMIT 1`) ?? null,
  }
}

export const rawAnnouncementOperations = {
  /** Lists announcements that are not shown yet, of all accounts, oldest first. */
  'raw-announcements/unshown': (from: Reader): readonly Announcement[] =>
    announcementsTable.list(from, 'WHERE shown_at IS NULL ORDER BY rowid'),
  /** Adds announcements that do not come from a list, such as expiry. Does nothing if the account was removed. */
  'raw-announcements/add': (
    into: Writer,
    {
      account,
      announcements,
      foundAt,
    }: {
      readonly account: AccountId
      readonly announcements: readonly NewAnnouncement[]
      readonly foundAt: Instant
    },
  ): void =>
    into.together(() => {
      if (has(into, 'accounts', { id: account })) addAnnouncements(into, account, announcements, foundAt)
    }),
  /** Marks announcements as shown. */
  'raw-announcements/shown': (
    into: Writer,
    { keys, shownAt }: { readonly keys: readonly AnnouncementKey[]; readonly shownAt: Instant },
  ): void =>
    into.together(() => {
      for (const { account, report, kind } of keys)
        into.write(
          `UPDATE raw_announcements SET shown_at = ?
           WHERE account = ? AND report = ? AND kind = ? AND shown_at IS NULL`,
          ...[shownAt, account, report, kind],
        )
    }),
  /** Stores rows and size of a report's file with its announcements. */
  'raw-announcements/size': (
    into: Writer,
    { account, report, rows, size }: Pick<Announcement, 'account' | 'report' | 'rows' | 'size'>,
  ): void => void update(into, 'raw_announcements', { account, report }, { rows, size }),
  /** Marks announcements as seen when the user opens the list. @returns whether any were new */
  'raw-announcements/look': (into: Writer, { account }: { readonly account: AccountId }): boolean =>
    update(into, 'raw_announcements', { account, seen: false }, { seen: true }) > 0,
  'raw-announcements/summary': rawSummary,
} as const
