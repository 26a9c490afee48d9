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
  /** Whether a known report that is not among the rows is not in the service's list. */
  readonly complete: boolean
  /** Reports that the service says it does not know. */
  readonly gone: ReadonlySet<RawReportId>
  readonly turn: ListTurn
  /** Reports whose files are on disk. */
  readonly saved: ReadonlySet<RawReportId>
  /** Milliseconds since 1970, by this machine's clock. */
  readonly now: number
}

type Differences = Pick<ListToStore, 'missing' | 'gone' | 'dropped' | 'undecided' | 'announcements'>

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
  const { known, rows, complete, gone, turn } = compared
  const before = new Map(known.map((knownReport) => [knownReport.id, knownReport]))
  const here = new Set(rows.map(({ id }) => id))
  const absent = known.filter(({ id }) => !here.has(id))
  const ended = rows.flatMap((row) => endOf(row, before.get(row.id), turn))
  const disappeared = absent.filter((knownReport) => hasDisappeared(knownReport, compared)).map(asDisappeared)
  const expiring = expiries(rows.map(asExpiring), compared)
  const isAnnounced = ({ report, kind }: NewAnnouncement) =>
    before.get(report)?.announced.includes(kind) ?? false
  const announcements = [...ended, ...expiring, ...disappeared].filter((one) => !isAnnounced(one))
  const undecided = isUndecided(compared, absent)
  // What another token does not see, or another service does not have, is not missing.
  if (turn === 'anew') {
    return { announcements, undecided, missing: [], gone: [], dropped: complete ? idsOf(absent) : [] }
  }
  return {
    announcements,
    undecided,
    missing: complete ? idsOf(absent.filter(({ id }) => !gone.has(id))) : [],
    gone: idsOf(absent.filter(({ id }) => gone.has(id))),
    dropped: [],
  }
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

/** Missing from two complete lists in a row, or from any where the service itself says that it is not there. */
function hasDisappeared(report: KnownReport, { complete, gone, turn, now }: Compared): boolean {
  const left = leftOf(report.expires, now)
  if (turn === 'anew' || report.removedHere || (left !== null && left <= 0)) return false
  return gone.has(report.id) || report.listsWithout >= 2 || (complete && report.listsWithout >= 1)
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
  return expires === null ? null : Date.parse(expires) - now
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
    if (expires === null || state !== 'ready') return []
    const expiry = Date.parse(expires)
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
  const isOver = ({ expires }: KnownReport) => expires !== null && Date.parse(expires) <= now
  const isMissed = (knownReport: KnownReport) =>
    !here.has(knownReport.id) &&
    !knownReport.removedHere &&
    !knownReport.announced.includes('disappeared') &&
    !isOver(knownReport)
  return known.filter(isMissed)
}

/** Asks the service for reports that are missing: one row left out by mistake is no report that disappeared. */
export async function lookFor(
  store: Store,
  accounts: RawAccounts,
  clock: Clock,
  account: AccountId,
  missing: readonly KnownReport[],
  signal: AbortSignal,
): Promise<MissingReports> {
  const rows: RawListRow[] = []
  const gone = new Set<RawReportId>()
  const one = async ({ id: report }: KnownReport) => {
    try {
      const params = { account, report, priority: 'background' } as const
      const record = await withTimeout({ milliseconds, clock: clock, signal }, (limited) =>
        fetchRecord(store, accounts, { ...params, signal: limited }),
      )
      rows.push(rowOf(record))
    } catch (error) {
      // Any other failure says nothing of the report.
      if (failureOf(error).kind === 'not-found') gone.add(report)
    }
  }
  await Promise.all(missing.slice(0, maxRequests).map(one))
  return { rows, gone }
}
