import type { AnnouncementKind } from '#shared/raw/settings.ts'
import { isRunning, lifeOf } from '#shared/raw/list.ts'
import type { RawState } from '#shared/raw/list.ts'
import type { RawAccounts } from '../list/fetch-list.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { RawListRow, Timestamp } from '#shared/api/answers.ts'
import type { RawReportId, AccountId } from '#shared/values/ids.ts'
import type { NewAnnouncement } from '#main/database/state/raw-announcements-repository.ts'
import type { KnownReport, ListToStore } from '#main/database/state/raw-reports-repository.ts'
import { failureOf } from '#shared/api/failure.ts'
import { timeOf } from '#shared/values/timestamp.ts'
import { withTimeout } from '#main/lib/async.ts'
import { fetchRecord, rowOf } from '../list/fetch-list.ts'

/**
 * Which list of an account this is: the `first` ever, the first one `anew` (with another token, or from elsewhere), or
 * the `next` of several. In a first one nothing is news but the ends of what ran for us, and what expires.
 */
export type ListTurn = 'first' | 'anew' | 'next'

export type Compared = {
  readonly known: readonly KnownReport[]
  readonly rows: readonly RawListRow[]
  /** Whether a first list came out whole. A later list alone says of no report that it is gone. */
  readonly complete: boolean
  /** Missing reports that the service does not know when it is asked for each. */
  readonly gone: ReadonlySet<RawReportId>
  readonly turn: ListTurn
  /** Reports whose files are on disk. */
  readonly saved: ReadonlySet<RawReportId>
  /** Milliseconds since 1970, by this machine's clock. */
  readonly now: number
}

type Differences = Pick<ListToStore, 'gone' | 'dropped' | 'undecided' | 'announcements'> & {
  /** Reports that earlier lists had and that the service has not said to be gone: they stay listed. */
  readonly remaining: readonly KnownReport[]
}

const day = 86_400_000

/** What each ending is announced as; what runs, and what nobody knows, ends nothing. */
const endings: Readonly<Record<RawState, AnnouncementKind | null>> = {
  'in-progress': null,
  unknown: null,
  ready: 'ready',
  failed: 'failed',
  'timed-out': 'timed-out',
  cancelled: 'cancelled',
}

/**
 * Compares what was known with a list, and turns the differences into what is to be announced (DESIGN: raw reports).
 * What was announced before is never among it.
 */
export function differences(compared: Compared): Differences {
  const { known, rows, complete, gone, turn, now } = compared
  const before = new Map(known.map((knownReport) => [knownReport.id, knownReport]))
  const here = new Set(rows.map(({ id }) => id))
  const absent = known.filter(({ id }) => !here.has(id))
  const [lost, left] = [absent.filter(({ id }) => gone.has(id)), absent.filter(({ id }) => !gone.has(id))]
  // What another token does not see, or another service does not have, is not missing.
  const dropped = turn === 'anew' ? (complete ? absent : lost) : []
  const ended = turn === 'anew' ? [] : [...lost, ...(complete ? left.filter((one) => isToGo(one, now)) : [])]
  const away = new Set(idsOf([...dropped, ...ended]))
  const remaining = left.filter(({ id, listsWithout }) => listsWithout === 0 && !away.has(id))
  const disappeared = turn === 'anew' ? [] : lost.filter((one) => !isToGo(one, now)).map(asDisappeared)
  const announcements = [
    ...rows.flatMap((row) => endOf(row, before.get(row.id), turn)),
    ...expiries([...rows.map(asExpiring), ...remaining], compared),
    ...disappeared,
  ].filter(({ report, kind }) => !(before.get(report)?.announced.includes(kind) ?? false))
  const undecided = isUndecided(compared, absent)
  return { announcements, undecided, remaining, gone: idsOf(ended), dropped: idsOf(dropped) }
}

/**
 * A first list that did not come out whole does not say what was there before: the next one is taken as a first one too,
 * lest old reports are told of as news. Where two say the same, that is what there is.
 */
function isUndecided({ known, rows, complete, turn }: Compared, absent: readonly KnownReport[]): boolean {
  const before = new Set(known.map(({ id }) => id))
  const differs =
    absent.some(({ listsWithout }) => listsWithout === 0) || rows.some(({ id }) => !before.has(id))
  return turn !== 'next' && !complete && differs
}

const idsOf = (reports: readonly KnownReport[]): RawReportId[] => reports.map(({ id }) => id)

function endOf(row: RawListRow, before: KnownReport | undefined, turn: ListTurn): NewAnnouncement[] {
  const kind = endings[lifeOf(row).state]
  if (kind === null) return []
  // A report that nobody here saw running ran and ended since the last list.
  const isNews = before ? isRunning(before.state) : turn === 'next'
  if (!isNews || (kind === 'cancelled' && before?.cancelledHere === true)) return []
  return [{ report: row.id, kind, name: row.name }]
}

/** Whether a report is known to leave the list: it was removed here, or has expired. */
function isToGo({ removedHere, expires }: KnownReport, now: number): boolean {
  const left = leftOf(expires, now)
  return removedHere || (left !== null && left <= 0)
}

const asDisappeared = ({ id, name }: KnownReport): NewAnnouncement => ({
  report: id,
  kind: 'disappeared',
  name,
})

/** What of a report tells when it expires. */
export type Expiring = Pick<KnownReport, 'id' | 'name' | 'state' | 'expires'>

export const asExpiring = (row: RawListRow): Expiring => {
  const { id, name, expires } = row
  return { id, name, expires, state: lifeOf(row).state }
}

/** The same of a known report that is in the list, and nothing of one that is not. */
export const asExpiringKnown = (known: KnownReport): Expiring[] => (known.listsWithout === 0 ? [known] : [])

/** What is left until a report expires, in milliseconds; null where it does not. */
function leftOf(expires: Timestamp, now: number): number | null {
  const expiry = timeOf(expires)
  return expiry === null ? null : expiry - now
}

/** What expires soon, told of before or not. Only a report that is ready has a file to lose. */
export function expiries(
  reports: readonly Expiring[],
  { saved, now }: Pick<Compared, 'saved' | 'now'>,
): NewAnnouncement[] {
  return reports.flatMap(({ id, name, state, expires }) => {
    const left = leftOf(expires, now)
    if (left === null || left <= 0 || left > 3 * day || state !== 'ready') return []
    const kind = left > day ? 'expires-in-3-days' : 'expires-in-1-day-unsaved'
    return kind === 'expires-in-1-day-unsaved' && saved.has(id) ? [] : [{ report: id, kind, name }]
  })
}

/** The reports of which it matters whether they are saved. */
export const expireTomorrow = (reports: readonly Expiring[], now: number): RawReportId[] =>
  expiries(reports, { saved: new Set(), now }).flatMap(({ kind, report }) =>
    kind === 'expires-in-1-day-unsaved' ? [report] : [],
  )

/** When the next report comes near enough to its expiry to be announced; null where none does. */
export function nextExpiry(reports: readonly Expiring[], now: number): number | null {
  const moments = reports.flatMap(({ state, expires }) => {
    const expiry = timeOf(expires)
    if (expiry === null || state !== 'ready') return []
    return [expiry - 3 * day, expiry - day].filter((moment) => moment > now)
  })
  return moments.length === 0 ? null : Math.min(...moments)
}

/** What the service says of reports that a list has not. */
type MissingReports = {
  /** Those that it knows all the same, as rows. */
  readonly rows: readonly RawListRow[]
  /** Those that it does not know. */
  readonly gone: ReadonlySet<RawReportId>
  /** Of how many it says neither, or was not asked. */
  readonly unanswered: number
}

/** Of so many missing reports the service is asked one by one; the others wait for the next list. */
const maxRequests = 8
/** How long one of them is waited for, in milliseconds. */
const milliseconds = 10_000

/** Known reports that a list should have and has not: what was removed here, and what has expired, is left alone. */
export function missingFrom(
  rows: readonly RawListRow[],
  known: readonly KnownReport[],
  now: number,
): readonly KnownReport[] {
  const here = new Set(rows.map(({ id }) => id))
  const isAnnounced = ({ listsWithout, announced }: KnownReport) =>
    listsWithout > 0 && announced.includes('disappeared')
  return known.filter((report) => !here.has(report.id) && !isToGo(report, now) && !isAnnounced(report))
}

/**
 * Those of the missing reports that are asked for now: running ones first, since their ends are waited for, then those that the
 * service was never asked for, or longest ago.
 * @param foundAt when the service last said of a missing report that it is there
 */
export function nextToAsk(
  missing: readonly KnownReport[],
  foundAt: ReadonlyMap<RawReportId, number>,
): readonly RawReportId[] {
  const rank = ({ id, state }: KnownReport) => (isRunning(state) ? -1 : (foundAt.get(id) ?? 0))
  return idsOf(missing.toSorted((one, other) => rank(one) - rank(other)).slice(0, maxRequests))
}

/**
 * Asks the service for reports that are missing from its list, each by itself: a row left out by mistake is no report that
 * disappeared.
 * @param isOtherToken whether a report that this token may not read is gone too: an earlier token saw it
 */
export async function lookFor(
  store: Store,
  accounts: RawAccounts,
  clock: Clock,
  account: AccountId,
  reports: readonly RawReportId[],
  { isOtherToken = false, signal }: { readonly isOtherToken?: boolean; readonly signal?: AbortSignal } = {},
): Promise<MissingReports> {
  const rows: RawListRow[] = []
  const gone = new Set<RawReportId>()
  const one = async (report: RawReportId) => {
    try {
      const params = { account, report, priority: 'background' } as const
      const record = await withTimeout({ milliseconds, clock, ...(signal && { signal }) }, (limited) =>
        fetchRecord(store, accounts, { ...params, signal: limited }),
      )
      rows.push(rowOf(record))
    } catch (error) {
      const { kind } = failureOf(error)
      // Any other failure says nothing of the report.
      if (kind === 'not-found' || (isOtherToken && kind === 'no-right')) gone.add(report)
    }
  }
  await Promise.all(reports.slice(0, maxRequests).map(one))
  return { rows, gone, unanswered: reports.length - rows.length - gone.size }
}
