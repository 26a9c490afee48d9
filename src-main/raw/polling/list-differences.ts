import type { AnnouncementKind } from '#shared/raw/settings.ts'
import { isRunning, lifeOf } from '#shared/raw/list.ts'
import type { RawState } from '#shared/raw/list.ts'
import type { RawContext } from '../raw-context.ts'
import type { RawListRow, Timestamp } from '#shared/api/answers.ts'
import type { RawReportId, AccountId } from '#shared/values/ids.ts'
import type { NewAnnouncement } from '#main/database/state/raw-announcements-repository.ts'
import type { KnownReport, ListToStore } from '#main/database/state/raw-reports-repository.ts'
import { failureOf } from '#shared/api/failure.ts'
import { timeOf } from '#shared/values/timestamp.ts'
import { withTimeout } from '#main/lib/async.ts'
import { fetchRecord, rowOf } from '../list/fetch-list.ts'

/**
 * Position of a list: the `first` of an account, the first `anew` (with another token or address), or a `next` one. The
 * first two announce only the ends of reports known to run, and expiries.
 */
export type ListPosition = 'first' | 'anew' | 'next'

export type Compared = {
  readonly known: readonly KnownReport[]
  readonly rows: readonly RawListRow[]
  /** Whether a first list is complete. Later lists never prove that a report is gone. */
  readonly complete: boolean
  /** Missing reports that the service does not know when requested individually. */
  readonly gone: ReadonlySet<RawReportId>
  readonly position: ListPosition
  /** Reports with saved files. */
  readonly saved: ReadonlySet<RawReportId>
  /** Local time in milliseconds since 1970. */
  readonly now: number
}

type Differences = Pick<ListToStore, 'gone' | 'dropped' | 'undecided' | 'announcements'> & {
  /** Reports missing from the list that the service has not reported as gone. They stay listed. */
  readonly remaining: readonly KnownReport[]
}

const day = 86_400_000

/** Announcement for each final state; null for running and unknown states. */
const endings: Readonly<Record<RawState, AnnouncementKind | null>> = {
  'in-progress': null,
  unknown: null,
  ready: 'ready',
  failed: 'failed',
  'timed-out': 'timed-out',
  cancelled: 'cancelled',
}

/** Compares a list with the known reports, and returns the announcements. Never repeats an earlier announcement. */
export function differences(compared: Compared): Differences {
  const { known, rows, complete, gone, position, now } = compared
  const before = new Map(known.map((knownReport) => [knownReport.id, knownReport]))
  const here = new Set(rows.map(({ id }) => id))
  const absent = known.filter(({ id }) => !here.has(id))
  const [lost, left] = [absent.filter(({ id }) => gone.has(id)), absent.filter(({ id }) => !gone.has(id))]
  // Reports of another token or service are not missing.
  const dropped = position === 'anew' ? (complete ? absent : lost) : []
  const ended =
    position === 'anew' ? [] : [...lost, ...(complete ? left.filter((one) => isToGo(one, now)) : [])]
  const away = new Set(idsOf([...dropped, ...ended]))
  const remaining = left.filter(({ id, listsWithout }) => listsWithout === 0 && !away.has(id))
  const disappeared = position === 'anew' ? [] : lost.filter((one) => !isToGo(one, now)).map(asDisappeared)
  const announcements = [
    ...rows.flatMap((row) => endOf(row, before.get(row.id), position)),
    ...expiries([...rows.map(asExpiring), ...remaining], compared),
    ...disappeared,
  ].filter(({ report, kind }) => !(before.get(report)?.announced.includes(kind) ?? false))
  const undecided = isUndecided(compared, absent)
  return { announcements, undecided, remaining, gone: idsOf(ended), dropped: idsOf(dropped) }
}

/**
 * Whether an incomplete first list is undecided. The next list then counts as a first one too, so that old reports are
 * not announced. Two equal lists are accepted.
 */
function isUndecided({ known, rows, complete, position }: Compared, absent: readonly KnownReport[]): boolean {
  const before = new Set(known.map(({ id }) => id))
  const differs =
    absent.some(({ listsWithout }) => listsWithout === 0) || rows.some(({ id }) => !before.has(id))
  return position !== 'next' && !complete && differs
}

const idsOf = (reports: readonly KnownReport[]): RawReportId[] => reports.map(({ id }) => id)

function endOf(row: RawListRow, before: KnownReport | undefined, position: ListPosition): NewAnnouncement[] {
  const kind = endings[lifeOf(row).state]
  if (kind === null) return []
  // A new report that has already ended ran entirely between two lists.
  const isNews = before ? isRunning(before.state) : position === 'next'
  if (!isNews || (kind === 'cancelled' && before?.cancelledHere === true)) return []
  return [{ report: row.id, kind, name: row.name }]
}

/** Whether a report is expected to leave the list: it was removed here, or has expired. */
function isToGo({ removedHere, expires }: KnownReport, now: number): boolean {
  const left = leftOf(expires, now)
  return removedHere || (left !== null && left <= 0)
}

const asDisappeared = ({ id, name }: KnownReport): NewAnnouncement => ({
  report: id,
  kind: 'disappeared',
  name,
})

/** Fields of a report that determine its expiry. */
export type Expiring = Pick<KnownReport, 'id' | 'name' | 'state' | 'expires'>

export const asExpiring = (row: RawListRow): Expiring => {
  const { id, name, expires } = row
  return { id, name, expires, state: lifeOf(row).state }
}

/** A known report as an array; empty if it is no longer listed. */
export const asExpiringKnown = (known: KnownReport): Expiring[] => (known.listsWithout === 0 ? [known] : [])

/** Time until a report expires, in milliseconds; null if it does not expire. */
function leftOf(expires: Timestamp, now: number): number | null {
  const expiry = timeOf(expires)
  return expiry === null ? null : expiry - now
}

/** Reports that expire soon, including those already announced. Only ready reports have a file to lose. */
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

/** Reports that expire tomorrow unless they are saved. */
export const expireTomorrow = (reports: readonly Expiring[], now: number): RawReportId[] =>
  expiries(reports, { saved: new Set(), now }).flatMap(({ kind, report }) =>
    kind === 'expires-in-1-day-unsaved' ? [report] : [],
  )

/** When the next expiry announcement is due; null if none. */
export function nextExpiry(reports: readonly Expiring[], now: number): number | null {
  const moments = reports.flatMap(({ state, expires }) => {
    const expiry = timeOf(expires)
    if (expiry === null || state !== 'ready') return []
    return [expiry - 3 * day, expiry - day].filter((moment) => moment > now)
  })
  return moments.length === 0 ? null : Math.min(...moments)
}

/** Results of individual requests for missing reports. */
type MissingReports = {
  /** Rows of reports that exist. */
  readonly rows: readonly RawListRow[]
  /** Reports that the service does not know. */
  readonly gone: ReadonlySet<RawReportId>
  /** Number of reports without a clear result, including those not requested. */
  readonly unanswered: number
}

/** Maximum number of individual requests per list. Other reports wait for the next list. */
const maxRequests = 8
/** Timeout of a request, in milliseconds. */
const milliseconds = 10_000

/** Known reports missing from a list, except removed and expired ones. */
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
 * Selects missing reports to request now: running ones first, because their ends are awaited, then the longest
 * unrequested ones.
 * @param foundAt when the service last confirmed each missing report
 */
export function nextToAsk(
  missing: readonly KnownReport[],
  foundAt: ReadonlyMap<RawReportId, number>,
): readonly RawReportId[] {
  const rank = ({ id, state }: KnownReport) => (isRunning(state) ? -1 : (foundAt.get(id) ?? 0))
  return idsOf(missing.toSorted((one, other) => rank(one) - rank(other)).slice(0, maxRequests))
}

/**
 * Requests missing reports individually, because a row may be missing by mistake.
 * @param isOtherToken whether a report that the token may not read counts as gone, because an earlier token saw it
 */
export async function lookFor(
  context: RawContext,
  account: AccountId,
  reports: readonly RawReportId[],
  { isOtherToken = false, signal }: { readonly isOtherToken?: boolean; readonly signal?: AbortSignal } = {},
): Promise<MissingReports> {
  const rows: RawListRow[] = []
  const gone = new Set<RawReportId>()
  const one = async (report: RawReportId) => {
    try {
      const params = { account, report, priority: 'background' } as const
      const limit = { milliseconds, clock: context.clock, ...(signal && { signal }) }
      const record = await withTimeout(limit, (limited) =>
        fetchRecord(context, { ...params, signal: limited }),
      )
      rows.push(rowOf(record))
    } catch (error) {
      const { kind } = failureOf(error)
      // Other failures reveal nothing about the report.
      if (kind === 'not-found' || (isOtherToken && kind === 'no-right')) gone.add(report)
    }
  }
  await Promise.all(reports.slice(0, maxRequests).map(one))
  return { rows, gone, unanswered: reports.length - rows.length - gone.size }
}
