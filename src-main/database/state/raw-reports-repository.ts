import * as v from 'valibot'
import type { AnnouncementKind } from '#shared/raw/settings.ts'
import { lifeOf } from '#shared/raw/list.ts'
import type { RawState, RawListQuery } from '#shared/raw/list.ts'
import { noLimits } from '#shared/api/answers.ts'
import type { ProcessingLimits, RawListRow, RawReport, Timestamp, Unknown } from '#shared/api/answers.ts'
import type { AccountId, InstanceId, Instant, RawReportId } from '#shared/values/ids.ts'
import { instant } from '#shared/values/schemas.ts'
import { timeOf } from '#shared/values/timestamp.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { flag, has, insert, put, remove, table, update } from '../sqlite/database.ts'
import {
  addAnnouncements,
  forgetAnnouncementsOfNone,
  announcedKinds,
} from './raw-announcements-repository.ts'
import type { NewAnnouncement } from './raw-announcements-repository.ts'
import { pageOf, storedLimits, storedRecord, storedRow, storedUsage, usualDurations } from './raw-list.ts'
import type { UsualDurations } from './raw-list.ts'

/** A report that is or was in an account's list. */
export type KnownReport = {
  readonly id: RawReportId
  readonly name: string
  readonly state: RawState
  readonly expires: Timestamp
  /** Zero while the report is in the list. */
  readonly listsWithout: number
  readonly removedHere: boolean
  readonly cancelledHere: boolean
  /** Announced kinds, shown or not. */
  readonly announced: readonly AnnouncementKind[]
}

export type KnownReportList = {
  /** Time of the last stored list; null before the first. */
  readonly fetchedAt: Instant | null
  /** Whether the next list counts as the first. */
  readonly anew: boolean
  readonly reports: readonly KnownReport[]
}

/** A list to store, with its consequences. Stored in one transaction. */
export type ListToStore = {
  readonly account: AccountId
  readonly fetchedAt: Instant
  readonly limits: ProcessingLimits
  readonly usage: Unknown
  readonly rows: readonly RawListRow[]
  /** Reports that left the service's list: removed, expired, or unknown to the service. */
  readonly gone: readonly RawReportId[]
  /** Reports that belong to another token or address. */
  readonly dropped: readonly RawReportId[]
  /** Whether the next list counts as the first, like this one. */
  readonly undecided: boolean
  readonly announcements: readonly NewAnnouncement[]
}

/** A page of the stored list, with data of the whole list. */
type StoredPage = {
  readonly rows: readonly RawListRow[]
  /** Instance ids of reports with stored records; rows contain only names. */
  readonly instances: ReadonlyMap<RawReportId, InstanceId>
  readonly results: number
  readonly pages: number
  readonly limits: ProcessingLimits
  readonly usage: Unknown
  readonly fetchedAt: Instant | null
  readonly usual: UsualDurations
}

/** A stored report: its row, and its full record if it was ever requested. */
export type StoredReport = {
  readonly row: RawListRow
  readonly record: RawReport | null
  readonly recordAt: Instant | null
  readonly cancelledHere: boolean
  /** Whether the report is still in the list. */
  readonly listed: boolean
  readonly usual: UsualDurations
}

type OfAccount = { readonly account: AccountId }
type SomeReports = OfAccount & { readonly reports: readonly RawReportId[] }

/** `lists_without` of a report that has left the list. */
const goneMark = 2
/** A report that left the list is deleted this many ms after its expiry. Clocks may be wrong by weeks. */
const forgottenAfter = 60 * 86_400_000

const mark = v.fallback(flag, false)
const moment = v.fallback(v.nullable(instant), null)

const lists = table(
  'raw_lists',
  v.object({ fetchedAt: moment, limits: storedLimits, usage: storedUsage, anew: mark }),
)
const rows = table('raw_reports', v.object({ row: storedRow }))
const knownRows = table(
  'raw_reports',
  v.object({ row: storedRow, listsWithout: v.number(), removedHere: mark, cancelledHere: mark }),
)

const listOf = (from: Reader, account: AccountId) => lists.first(from, 'WHERE account = ?', account)

export function knownReports(from: Reader, { account }: OfAccount): KnownReportList {
  const list = listOf(from, account)
  const announced = announcedKinds(from, account)
  const reports = knownRows.list(from, 'WHERE account = ?', account).map(({ row, ...marks }) => {
    const { id, name, expires } = row
    return { id, name, expires, state: lifeOf(row).state, ...marks, announced: announced.get(id) ?? [] }
  })
  return { fetchedAt: list?.fetchedAt ?? null, anew: list?.anew ?? false, reports }
}

/** Stores a list with its consequences. @returns false if the account was removed */
export function storeList(into: Writer, list: ListToStore): boolean {
  return into.together(() => {
    const { account, fetchedAt } = list
    if (!has(into, 'accounts', { id: account })) return false
    const { limits, usage, undecided: anew } = list
    put(into, 'raw_lists', ['account'], { account, fetchedAt, limits, usage, anew })
    for (const row of list.rows) storeRow(into, account, row, fetchedAt)
    for (const id of list.gone) markGone(into, account, id)
    for (const id of list.dropped) remove(into, 'raw_reports', { account, id })
    addAnnouncements(into, account, list.announcements, fetchedAt)
    forgetOld(into, account, fetchedAt)
    return true
  })
}

/** Writes only changed rows; most rows of a list are unchanged. */
function storeRow(into: Writer, account: AccountId, row: RawListRow, time: Instant): void {
  into.write(
    `INSERT INTO raw_reports (account, id, row, first_seen, last_seen, lists_without, removed_here, cancelled_here)
     VALUES (?, ?, ?, ?, ?, 0, 0, 0)
     ON CONFLICT (account, id) DO UPDATE SET row = excluded.row, last_seen = excluded.last_seen, lists_without = 0
     WHERE row <> excluded.row OR lists_without > 0`,
    ...[account, row.id, JSON.stringify(row), time, time],
  )
}

function markGone(into: Writer, account: AccountId, id: RawReportId): void {
  into.write(
    `UPDATE raw_reports SET lists_without = ${goneMark} WHERE account = ? AND id = ? AND lists_without < ${goneMark}`,
    ...[account, id],
  )
}

const forgettable = table(
  'raw_reports',
  v.object({ id: v.string(), row: v.fallback(v.nullable(storedRow), null), lastSeen: v.number() }),
)

function forgetOld(into: Writer, account: AccountId, now: Instant): void {
  const gone = forgettable.list(into, `WHERE account = ? AND lists_without >= ${goneMark}`, account)
  const old = gone.filter(({ row, lastSeen }) => {
    return now - (timeOf(row?.expires ?? null) ?? lastSeen) > forgottenAfter
  })
  for (const { id } of old) remove(into, 'raw_reports', { account, id })
  if (old.length > 0) forgetAnnouncementsOfNone(into, account)
}

/** Returns the rows of the last list, without reports that left it since. */
const listedRows = (from: Reader, account: AccountId): RawListRow[] =>
  rows.list(from, 'WHERE account = ? AND lists_without = 0', account).map(({ row }) => row)

export function storedPage(
  from: Reader,
  { account, query }: OfAccount & { readonly query: RawListQuery },
): StoredPage {
  const list = listOf(from, account)
  const reports = listedRows(from, account)
  const page = pageOf(reports, query)
  return {
    ...page,
    instances: instancesOf(from, account, page.rows),
    limits: list?.limits ?? noLimits,
    usage: list?.usage ?? {},
    fetchedAt: list?.fetchedAt ?? null,
    usual: usualDurations(reports),
  }
}

const records = table('raw_reports', v.object({ record: storedRecord }))

const reports = table(
  'raw_reports',
  v.object({
    ...{ row: storedRow, record: storedRecord, recordAt: moment },
    ...{ cancelledHere: mark, listsWithout: v.number() },
  }),
)

function instancesOf(from: Reader, account: AccountId, shown: readonly RawListRow[]) {
  const found = new Map<RawReportId, InstanceId>()
  for (const { id } of shown) {
    const instance = records.first(from, 'WHERE account = ? AND id = ?', account, id)?.record?.instance_id
    if (instance) found.set(id, instance)
  }
  return found
}

export function storedReport(
  from: Reader,
  { account, report }: OfAccount & { readonly report: RawReportId },
): StoredReport | null {
  const stored = reports.first(from, 'WHERE account = ? AND id = ?', account, report)
  if (!stored) return null
  const { recordAt, listsWithout, ...rest } = stored
  return {
    ...rest,
    recordAt: rest.record && recordAt,
    listed: listsWithout === 0,
    usual: usualDurations(listedRows(from, account)),
  }
}

/** Marks reports that the user removes or cancels in this app. Called before the request is sent. */
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
  /** Stores a list and its announcements in one transaction. Returns false if the account was removed. */
  'raw-reports/keep': storeList,
  'raw-reports/page': storedPage,
  'raw-reports/read': storedReport,
  /** Stores a full record. The row remains unchanged, because only lists determine a report's state. */
  'raw-reports/keep-record': (
    into: Writer,
    { account, record, recordAt }: OfAccount & { readonly record: RawReport; readonly recordAt: Instant },
  ): void => void update(into, 'raw_reports', { account, id: record.id }, { record, recordAt }),
  'raw-reports/mark': markReports,
  /** Marks reports that the service removed. */
  'raw-reports/let-go': (into: Writer, { account, reports }: SomeReports): void =>
    into.together(() => reports.forEach((id) => markGone(into, account, id))),
  /** Adds a report that was just requested, as running, before a list contains it. */
  'raw-reports/expect': (
    into: Writer,
    { account, row, firstSeen }: OfAccount & { readonly row: RawListRow; readonly firstSeen: Instant },
  ): void =>
    into.together(() => {
      const marks = { listsWithout: 0, removedHere: false, cancelledHere: false }
      const report = { account, id: row.id, row, firstSeen, lastSeen: firstSeen, ...marks }
      if (has(into, 'accounts', { id: account })) insert(into, 'raw_reports', report)
    }),
  /** Called after the token or address changed: the next list causes no announcements. */
  'raw-reports/begin-anew': (into: Writer, { account }: OfAccount): void =>
    void update(into, 'raw_lists', { account }, { anew: true }),
} as const
