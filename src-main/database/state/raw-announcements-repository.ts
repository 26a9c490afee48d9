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

/** What is to be announced of a report, as it is found. */
export type NewAnnouncement = Pick<Announcement, 'report' | 'kind' | 'name'>

/** What names an announcement: of each report, each kind is announced once. */
export type AnnouncementKey = Pick<Announcement, 'account' | 'report' | 'kind'>

const stored = table<Announcement>(
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

/** What was found to announce of an account's reports, shown or not. */
export function announcedKinds(from: Reader, account: AccountId): Map<string, AnnouncementKind[]> {
  const kinds = new Map<string, AnnouncementKind[]>()
  for (const { report, kind } of stored.list(from, 'WHERE account = ?', account))
    kinds.set(report, [...(kinds.get(report) ?? []), kind])
  return kinds
}

/** Adds those that are not there yet. */
export function addAnnouncements(
  into: Writer,
  account: AccountId,
  announcements: readonly NewAnnouncement[],
  foundAt: Instant,
): void {
  for (const { report, kind, name } of announcements)
    insert(into, 'raw_announcements', { account, report, kind, name, foundAt, seen: false })
}

/** Forgets what was announced of reports that are forgotten themselves. */
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
  const unseen = stored.list(from, 'WHERE seen = 0 ORDER BY rowid')
  const ready = unseen.filter(({ kind }) => kind === 'ready').length
  return {
    running: runningReports(from),
    readyUnseen: ready,
    attention: unseen.length - ready,
    // The end that was found last; what expires has ended before.
    lastFinished: stored.first(from, `WHERE kind NOT LIKE 'expires-%' ORDER BY rowid DESC LIMIT 1`) ?? null,
  }
}

export const rawAnnouncementOperations = {
  /** What is still to be shown, of all accounts, in the order in which it was found. */
  'raw-announcements/unshown': (from: Reader): readonly Announcement[] =>
    stored.list(from, 'WHERE shown_at IS NULL ORDER BY rowid'),
  /** Adds what was found without a list: what expires. Nothing is added where the account has gone. */
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
  /** They were shown. */
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
  /** Rows and size of a report's file, for what is announced of it. */
  'raw-announcements/size': (
    into: Writer,
    { account, report, rows, size }: Pick<Announcement, 'account' | 'report' | 'rows' | 'size'>,
  ): void => void update(into, 'raw_announcements', { account, report }, { rows, size }),
  /** The person looks at an account's list. @returns whether there was anything new in it */
  'raw-announcements/look': (into: Writer, { account }: { readonly account: AccountId }): boolean =>
    update(into, 'raw_announcements', { account, seen: false }, { seen: true }) > 0,
  'raw-announcements/summary': rawSummary,
} as const
