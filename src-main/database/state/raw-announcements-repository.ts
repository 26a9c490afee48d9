import * as v from 'valibot'
import { announcementKinds } from '#shared/raw/settings.ts'
import type { Announcement, AnnouncementKind } from '#shared/raw/settings.ts'
import type { RawSummary, RunningReport } from '#shared/raw/list.ts'
import { isRunning, lifeOf } from '#shared/raw/list.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import { branded, instant } from '#shared/values/schemas.ts'
import type { Reader, Row, Writer } from '../sqlite/database.ts'
import { listRowFrom } from './raw-list.ts'

/** What is to be announced of a report, as it is found. */
export type NewAnnouncement = {
  readonly report: RawReportId
  readonly kind: AnnouncementKind
  readonly name: string
}

/** What names an announcement: of each report, each kind is announced once. */
export type AnnouncementKey = {
  readonly account: AccountId
  readonly report: RawReportId
  readonly kind: AnnouncementKind
}

const announcementRow: v.GenericSchema<unknown, Announcement> = v.pipe(
  v.object({
    account: branded<AccountId>(),
    report: branded<RawReportId>(),
    kind: v.picklist(announcementKinds),
    name: v.string(),
    found_at: instant,
    rows: v.nullable(v.number()),
    size: v.nullable(v.number()),
    shown_at: v.nullable(instant),
  }),
  v.transform(({ found_at, shown_at, ...rest }) => ({ ...rest, foundAt: found_at, shownAt: shown_at })),
)

/** An announcement from its row; undefined where the row is none. */
function announcementFrom(row: Row): Announcement | undefined {
  const read = v.safeParse(announcementRow, row)
  return read.success ? read.output : undefined
}

/** What was found to announce of an account's reports, shown or not. */
export function announcedKinds(from: Reader, account: AccountId): Map<string, AnnouncementKind[]> {
  const kinds = new Map<string, AnnouncementKind[]>()
  for (const row of from.rows('SELECT * FROM raw_announcements WHERE account = ?', account)) {
    const found = announcementFrom(row)
    if (found) kinds.set(found.report, [...(kinds.get(found.report) ?? []), found.kind])
  }
  return kinds
}

/** Adds those that are not there yet. */
export function addAnnouncements(
  into: Writer,
  account: AccountId,
  announcements: readonly NewAnnouncement[],
  at: Instant,
): void {
  for (const { report, kind, name } of announcements) {
    into.write(
      `INSERT INTO raw_announcements (account, report, kind, name, found_at, seen) VALUES (?, ?, ?, ?, ?, 0)
       ON CONFLICT DO NOTHING`,
      account,
      report,
      kind,
      name,
      at,
    )
  }
}

/** Forgets what was announced of reports that are forgotten themselves. */
export function forgetAnnouncementsOfNone(from: Writer, account: AccountId): void {
  from.write(
    `DELETE FROM raw_announcements WHERE account = ? AND shown_at IS NOT NULL
       AND report NOT IN (SELECT id FROM raw_reports WHERE account = ?)`,
    account,
    account,
  )
}

function announcementsOf(from: Reader, condition: string): Announcement[] {
  const sql = `SELECT * FROM raw_announcements WHERE ${condition} ORDER BY rowid`
  return from.rows(sql).flatMap((row) => announcementFrom(row) ?? [])
}

function runningReports(from: Reader): RunningReport[] {
  const rows = from.rows(
    'SELECT account, row, first_seen FROM raw_reports WHERE lists_without = 0 ORDER BY rowid',
  )
  return rows.flatMap(({ account, row: text, first_seen }) => {
    const row = listRowFrom(text)
    if (!row || !isRunning(lifeOf(row).state)) return []
    const { id: report, name } = row
    return { account: account as AccountId, report, name, since: first_seen as Instant }
  })
}

/** The end that was found last; what expires has ended before. */
function lastFinished(from: Reader): Announcement | null {
  const row = from.row(
    `SELECT * FROM raw_announcements WHERE kind NOT LIKE 'expires-%' ORDER BY rowid DESC LIMIT 1`,
  )
  return (row && announcementFrom(row)) ?? null
}

export function rawSummary(from: Reader): RawSummary {
  const unseen = announcementsOf(from, 'seen = 0')
  const ready = unseen.filter(({ kind }) => kind === 'ready').length
  return {
    running: runningReports(from),
    readyUnseen: ready,
    attention: unseen.length - ready,
    lastFinished: lastFinished(from),
  }
}

export const rawAnnouncementOperations = {
  /** What is still to be shown, of all accounts, in the order in which it was found. */
  'raw-announcements/unshown': (from: Reader): readonly Announcement[] =>
    announcementsOf(from, 'shown_at IS NULL'),
  /** Adds what was found without a list: what expires. Nothing is added where the account has gone. */
  'raw-announcements/add': (
    into: Writer,
    {
      account,
      announcements,
      at,
    }: {
      readonly account: AccountId
      readonly announcements: readonly NewAnnouncement[]
      readonly at: Instant
    },
  ): null => {
    into.together(() => {
      const there = into.row('SELECT 1 FROM accounts WHERE id = ?', account)
      if (there) addAnnouncements(into, account, announcements, at)
    })
    return null
  },
  /** They were shown. */
  'raw-announcements/shown': (
    into: Writer,
    { keys, at }: { readonly keys: readonly AnnouncementKey[]; readonly at: Instant },
  ): null => {
    into.together(() => {
      for (const { account, report, kind } of keys) {
        into.write(
          `UPDATE raw_announcements SET shown_at = ?
           WHERE account = ? AND report = ? AND kind = ? AND shown_at IS NULL`,
          at,
          account,
          report,
          kind,
        )
      }
    })
    return null
  },
  /** Rows and size of a report's file, for what is announced of it. */
  'raw-announcements/size': (
    into: Writer,
    {
      account,
      report,
      rows,
      size,
    }: Omit<AnnouncementKey, 'kind'> & { readonly rows: number | null; readonly size: number | null },
  ): null => {
    into.write(
      'UPDATE raw_announcements SET rows = ?, size = ? WHERE account = ? AND report = ?',
      rows,
      size,
      account,
      report,
    )
    return null
  },
  /** The person looks at an account's list. @returns whether there was anything new in it */
  'raw-announcements/look': (into: Writer, { account }: { readonly account: AccountId }): boolean =>
    into.write('UPDATE raw_announcements SET seen = 1 WHERE account = ? AND seen = 0', account) > 0,
  'raw-announcements/summary': (from: Reader): RawSummary => rawSummary(from),
} as const
