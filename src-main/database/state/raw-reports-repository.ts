import type { AnnouncementKind } from '#shared/raw/settings.ts'
import { lifeOf } from '#shared/raw/list.ts'
import type { RawState, RawListQuery } from '#shared/raw/list.ts'
import { noLimits } from '#shared/api/answers.ts'
import type { ProcessingLimits, RawListRow, RawReport, Timestamp, Unknown } from '#shared/api/answers.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { Reader, Row, Writer } from '../sqlite/database.ts'
import { has, insert, put, remove, update } from '../sqlite/tables.ts'
import {
  addAnnouncements,
  forgetAnnouncementsOfNone,
  announcedKinds,
} from './raw-announcements-repository.ts'
import type { NewAnnouncement } from './raw-announcements-repository.ts'
import { pageOf, limitsFrom, listRowFrom, recordFrom, usageFrom, usualDurations } from './raw-list.ts'
import type { UsualDurations } from './raw-list.ts'

/** What the desk knows of a report that is, or was, in an account's list. */
export type KnownReport = {
  readonly id: RawReportId
  readonly name: string
  readonly state: RawState
  readonly expires: Timestamp
  /** How many complete lists in a row it was missing from; it is not counted beyond two. */
  readonly listsWithout: number
  readonly removedHere: boolean
  readonly cancelledHere: boolean
  /** What was announced of it, or is going to be. */
  readonly announced: readonly AnnouncementKind[]
}

export type KnownList = {
  /** When a list was kept last; null before the first. */
  readonly fetchedAt: Instant | null
  /** Whether the next list is to be taken as the first one. */
  readonly anew: boolean
  readonly reports: readonly KnownReport[]
}

/** A list to keep, and what was found out by it: all of it is written, or nothing. */
export type ListToStore = {
  readonly account: AccountId
  readonly fetchedAt: Instant
  readonly limits: ProcessingLimits
  readonly usage: Unknown
  readonly rows: readonly RawListRow[]
  /** Known reports that this complete list has not. */
  readonly missing: readonly RawReportId[]
  /** Those that the service says it does not know (any more). */
  readonly gone: readonly RawReportId[]
  /** Those that are not this list's at all: of another token, or another address. */
  readonly dropped: readonly RawReportId[]
  /** Whether the next list is to be taken as the first one, as this was. */
  readonly undecided: boolean
  readonly announcements: readonly NewAnnouncement[]
}

/** A page of the list as it was kept, with what belongs to the whole of it. */
type StoredPage = {
  readonly rows: readonly RawListRow[]
  readonly results: number
  readonly pages: number
  readonly limits: ProcessingLimits
  readonly usage: Unknown
  readonly fetchedAt: Instant | null
  readonly usual: UsualDurations
}

/** One report as it was kept: its row, and its full record where that was ever asked for. */
export type StoredReport = {
  readonly row: RawListRow
  readonly record: RawReport | null
  readonly recordAt: Instant | null
  readonly cancelledHere: boolean
  /** Whether it is in the list still. */
  readonly listed: boolean
  readonly usual: UsualDurations
}

type OfAccount = { readonly account: AccountId }
type SomeReports = OfAccount & { readonly reports: readonly RawReportId[] }

const maxMissing = 2
/** A report that is gone is forgotten so long after its expiry, in milliseconds; a clock may be wrong by weeks. */
const forgottenAfter = 60 * 86_400_000

function listHead(from: Reader, account: AccountId): Row | undefined {
  return from.row('SELECT fetched_at, limits, usage, anew FROM raw_lists WHERE account = ?', account)
}

const fetchedAtOf = (head: Row | undefined): Instant | null =>
  typeof head?.['fetched_at'] === 'number' ? (head['fetched_at'] as Instant) : null

export function knownReports(from: Reader, { account }: OfAccount): KnownList {
  const head = listHead(from, account)
  const announced = announcedKinds(from, account)
  const rows = from.rows(
    'SELECT row, lists_without, removed_here, cancelled_here FROM raw_reports WHERE account = ?',
    account,
  )
  const reports = rows.flatMap((stored) => {
    const row = listRowFrom(stored['row'])
    if (!row) return []
    const { id, name, expires } = row
    return {
      id,
      name,
      expires,
      state: lifeOf(row).state,
      listsWithout: Number(stored['lists_without']),
      removedHere: stored['removed_here'] === 1,
      cancelledHere: stored['cancelled_here'] === 1,
      announced: announced.get(id) ?? [],
    }
  })
  return { fetchedAt: fetchedAtOf(head), anew: head?.['anew'] === 1, reports }
}

/**
 * Keeps a list with what was found out by it.
 * @returns false where the account has gone
 */
export function storeList(into: Writer, list: ListToStore): boolean {
  return into.together(() => {
    const { account, fetchedAt } = list
    if (!has(into, 'accounts', { id: account })) return false
    const { limits, usage, undecided: anew } = list
    put(into, 'raw_lists', ['account'], { account, fetchedAt, limits, usage, anew })
    for (const row of list.rows) storeRow(into, account, row, fetchedAt)
    for (const id of list.missing) countMissing(into, account, id, 1)
    for (const id of list.gone) countMissing(into, account, id, maxMissing)
    for (const id of list.dropped) remove(into, 'raw_reports', { account, id })
    addAnnouncements(into, account, list.announcements, fetchedAt)
    forgetOld(into, account, fetchedAt)
    return true
  })
}

/** What is as it was is not written again: most of a list is. */
function storeRow(into: Writer, account: AccountId, row: RawListRow, time: Instant): void {
  into.write(
    `INSERT INTO raw_reports (account, id, row, first_seen, last_seen, lists_without, removed_here, cancelled_here)
     VALUES (?, ?, ?, ?, ?, 0, 0, 0)
     ON CONFLICT (account, id) DO UPDATE SET row = excluded.row, last_seen = excluded.last_seen, lists_without = 0
     WHERE row <> excluded.row OR lists_without > 0`,
    ...[account, row.id, JSON.stringify(row), time, time],
  )
}

function countMissing(into: Writer, account: AccountId, id: RawReportId, by: number): void {
  into.write(
    `UPDATE raw_reports SET lists_without = min(${maxMissing}, lists_without + ?)
     WHERE account = ? AND id = ? AND lists_without < ${maxMissing}`,
    ...[by, account, id],
  )
}

function forgetOld(into: Writer, account: AccountId, now: Instant): void {
  const gone = into.rows(
    `SELECT id, row, last_seen FROM raw_reports WHERE account = ? AND lists_without >= ${maxMissing}`,
    account,
  )
  const old = gone.filter(({ row, last_seen }) => {
    const expires = listRowFrom(row)?.expires ?? null
    return now - (expires === null ? Number(last_seen) : Date.parse(expires)) > forgottenAfter
  })
  for (const { id } of old) remove(into, 'raw_reports', { account, id: String(id) })
  if (old.length > 0) forgetAnnouncementsOfNone(into, account)
}

/** The rows of the last list, without those that have gone since. */
function listed(from: Reader, account: AccountId): RawListRow[] {
  const rows = from.rows('SELECT row FROM raw_reports WHERE account = ? AND lists_without = 0', account)
  return rows.flatMap(({ row }) => listRowFrom(row) ?? [])
}

export function storedPage(
  from: Reader,
  { account, query }: OfAccount & { readonly query: RawListQuery },
): StoredPage {
  const head = listHead(from, account)
  const rows = listed(from, account)
  return {
    ...pageOf(rows, query),
    limits: head ? limitsFrom(head['limits']) : noLimits,
    usage: head ? usageFrom(head['usage']) : {},
    fetchedAt: fetchedAtOf(head),
    usual: usualDurations(rows),
  }
}

export function storedReport(
  from: Reader,
  { account, report }: OfAccount & { readonly report: RawReportId },
): StoredReport | null {
  const stored = from.row(
    'SELECT row, record, record_at, cancelled_here, lists_without FROM raw_reports WHERE account = ? AND id = ?',
    account,
    report,
  )
  const row = listRowFrom(stored?.['row'])
  if (!row) return null
  const record = recordFrom(stored?.['record']) ?? null
  const time = stored?.['record_at']
  return {
    row,
    record,
    recordAt: record !== null && typeof time === 'number' ? (time as Instant) : null,
    cancelledHere: stored?.['cancelled_here'] === 1,
    listed: stored?.['lists_without'] === 0,
    usual: usualDurations(listed(from, account)),
  }
}

/** What the person asked for at this desk: it is written down before it is sent. */
function markReports(into: Writer, { account, reports, removed, cancelled }: SomeReports & Marks): void {
  into.together(() => {
    for (const id of reports) {
      if (removed !== undefined) update(into, 'raw_reports', { account, id }, { removedHere: removed })
      if (cancelled !== undefined) update(into, 'raw_reports', { account, id }, { cancelledHere: cancelled })
    }
  })
}

type Marks = { readonly removed?: boolean; readonly cancelled?: boolean }

export const rawReportOperations = {
  'raw-reports/known': knownReports,
  /** Keeps a list, and stores what is to be announced of it, in one; false where the account has gone. */
  'raw-reports/keep': storeList,
  'raw-reports/page': storedPage,
  'raw-reports/read': storedReport,
  /** Keeps a full record beside the row, which it leaves as it is: what becomes of a report is told by lists. */
  'raw-reports/keep-record': (
    into: Writer,
    { account, record, recordAt }: OfAccount & { readonly record: RawReport; readonly recordAt: Instant },
  ): void => void update(into, 'raw_reports', { account, id: record.id }, { record, recordAt }),
  'raw-reports/mark': markReports,
  /** The service removed them: they are not in the list any more. */
  'raw-reports/let-go': (into: Writer, { account, reports }: SomeReports): void =>
    into.together(() => reports.forEach((id) => countMissing(into, account, id, maxMissing))),
  /** A report that was just asked for is one that runs, whether or not a list has it yet. */
  'raw-reports/expect': (
    into: Writer,
    { account, row, firstSeen }: OfAccount & { readonly row: RawListRow; readonly firstSeen: Instant },
  ): void =>
    into.together(() => {
      const marks = { listsWithout: 0, removedHere: false, cancelledHere: false }
      const report = { account, id: row.id, row, firstSeen, lastSeen: firstSeen, ...marks }
      if (has(into, 'accounts', { id: account })) insert(into, 'raw_reports', report)
    }),
  /** The account is asked with another token or elsewhere: nothing in its next list is news. */
  'raw-reports/begin-anew': (into: Writer, { account }: OfAccount): void =>
    void update(into, 'raw_lists', { account }, { anew: true }),
} as const
