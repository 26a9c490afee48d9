import type {
  Cell,
  Chart,
  Count,
  Label,
  OverviewAnswer,
  TableAnswer,
  TableRow,
  Totals,
} from '../api/answers.ts'
import type { Account } from '../accounts/account.ts'
import type { Failure } from '../api/failure.ts'
import { dayAt, daysBetween, daysOf } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import { instantOf } from '../values/ids.ts'
import type { DataScopeId, Instant } from '../values/ids.ts'
import type { ComparedDays, ComparedPeriods } from './change.ts'
import type { OverviewQuery, TableQuery } from './query.ts'

/** Origin and age of figures. */
export type Provenance = {
  /** `computed`: added up by the desk from whole stored tables. */
  readonly from: 'service' | 'stored' | 'computed'
  /** When the oldest figures were fetched. */
  readonly fetchedAt: Instant
  /** The same time by the service's clock. Present only if the local clock is known to have run ahead. */
  readonly servedAt?: Instant
  /** Fetch times by run of days. Present only if the figures were fetched at several times. */
  readonly ages?: readonly DayAge[]
  /** Runs of days that are stored as one table each and cannot be split. Present only for computed figures. */
  readonly spans?: readonly DayRange[]
  /** Whether newer figures are loading. A change event follows. */
  readonly refreshing: boolean
  /** Why the last refresh failed; null if none failed. */
  readonly failure: Failure | null
  /** Days of the range without figures. */
  readonly missing: readonly Day[]
  /** Why the figures are doubtful; null if they are not. */
  readonly doubt: Doubt | null
  /** Part of a composed table that was requested. Absent if all of it was. */
  readonly composed?: ComposedPart
  /** Days that the service restated after they were first stored; null if none. */
  readonly restated: RestatedDays | null
}

/** A run of days and when the oldest of its figures was fetched. */
export type DayAge = { readonly range: DayRange } & Pick<Provenance, 'fetchedAt' | 'servedAt'>

/** Source of a table's rates: the service, or the desk from the counts. One table never mixes both. */
export type RatesBy = 'service' | 'desk' | 'nobody'

type StampedAnswer<Query, Figures> = {
  readonly query: Query
  readonly figures: Figures
  readonly provenance: Provenance
}

/** Answer to a report query, with the provenance of its figures. */
export type ReportAnswer =
  | ({ readonly kind: 'overview' } & StampedAnswer<OverviewQuery, OverviewAnswer>)
  | ({
      readonly kind: 'table'
      readonly ratesBy: RatesBy
      /** Total of the rows that a search or limits matched. Absent if unknown. */
      readonly matching?: TableRow
    } & StampedAnswer<TableQuery, TableAnswer>)

export type OverviewReport = Extract<ReportAnswer, { kind: 'overview' }>
export type TableReport = Extract<ReportAnswer, { kind: 'table' }>

/** Daily figures of a query's subject. Search and sort do not affect them. */
export type TrendAnswer = { readonly chart: Chart; readonly provenance: Provenance }

/** The periods that were compared. `compared` counts the days if some are missing, and is null if none is. */
export type ComparedFigures = {
  readonly periods: Extract<ComparedPeriods, { kind: 'periods' }>
  readonly compared: ComparedDays | null
}

/** Rows of a table over the days of the comparison. */
export type BeforeAnswer = ComparedFigures & {
  /** `now` is null if the table's own rows are compared. `sides` is null if no day can be compared. */
  readonly sides: { readonly now: RowsOfLabels | null; readonly before: RowsOfLabels } | null
  /** Provenance of the days of the comparison. */
  readonly provenance: Provenance
}

/** Rows of a table by label, independent of pages. */
export type RowsOfLabels = {
  readonly headers: readonly string[]
  readonly all: readonly Cell[] | null
  /** One entry for each requested label, with cells in the table's order; null if there is no such row. */
  readonly rows: readonly (readonly Cell[] | null)[]
}

/** Total of one of two compared periods. */
export type ComparedSide = { readonly total: Totals }

/** Two periods with missing days, over the days that both have. `sides` is null if there are none. */
export type PairedAnswer = {
  readonly compared: ComparedDays
  readonly sides: { readonly now: ComparedSide; readonly before: ComparedSide } | null
  /** When the oldest figures were fetched; null without figures. */
  readonly fetchedAt: Instant | null
  /** Why the totals are doubtful; null if they are not. */
  readonly doubt: Doubt | null
}

/** A row whose count changed between two periods. A count is 0 in a period without that row. */
export type Mover = {
  readonly label: Label
  readonly now: Count
  readonly before: Count
  /** The count that its rate is a share of. Absent if it has no meaningful rate. */
  readonly base?: { readonly now: Count; readonly before: Count }
}

export type MoversAnswer = ComparedFigures & {
  /** Criterion of the movers. It is `count` if there is no rate, even if `rate` was requested. */
  readonly by: 'count' | 'rate'
  /** Minimum number of requests of each row. */
  readonly min: number
  /** Rows that grew, largest change first. */
  readonly up: readonly Mover[]
  readonly down: readonly Mover[]
  /** Provenance of the newer period. Its `missing` lists days of both periods. */
  readonly provenance: Provenance
}

/**
 * Coverage of a composed table: the sources or campaigns that were requested, out of all that the look-up lists. The
 * others are part of "Other or none".
 */
export type Composed = { readonly requested: number; readonly total: number }

/** Coverage of a composed table, with its unit. */
export type ComposedPart = Composed & { readonly unit: 'sources' | 'campaigns' }

/** Label of the row for traffic that no source or campaign of the table accounts for. */
export const otherLabel = 'Other or none'

/** Maximum number of calls for one view without the user's consent. */
export const maxCallsWithoutConsent = 5

/** Returns the coverage that lacks most; undefined if none lacks anything. */
export const leastComplete = (all: readonly Composed[]): Composed | undefined =>
  all
    .filter(({ requested, total }) => requested < total)
    .sort((one, other) => other.total - other.requested - (one.total - one.requested))[0]

/**
 * Reasons why figures may be wrong, most important first. `unconfirmed`: no valid scope check succeeded since the
 * fetch. `not-listed`: nothing is counted for a name that the look-ups do not list. All others except `scope`: the
 * figures do not add up, however often they are fetched.
 */
export const doubts = [
  'scope',
  'unconfirmed',
  'rows-unreadable',
  'not-listed',
  'fewer-rows',
  'more-rows',
  'labels-repeat',
  'rows-moved',
  'moments-differ',
  'rows-do-not-add-up',
  'pages-disagree',
  'no-counts',
] as const

export type Doubt = (typeof doubts)[number]

/** Returns the name of a doubt. Figures with a doubtful scope may still add up. */
export function doubtName(doubt: Doubt): string {
  if (doubt === 'unconfirmed') return 'Not confirmed'
  if (doubt === 'not-listed') return 'Not listed'
  return doubt === 'scope' ? 'Doubtful scope' : 'Does not add up'
}

/** Texts of the doubts, to follow the name. */
export const doubtWords: Readonly<Record<Doubt, string>> = {
  scope: 'figures may include or lack instances whose access has changed',
  unconfirmed: 'it could not be checked yet which instances these figures include',
  'rows-unreadable': "the service sent rows that can't be read, and they are left out",
  'not-listed': "nothing is counted, and the service doesn't list this name for these days",
  'fewer-rows': 'the service sent fewer rows than it announced',
  'more-rows': 'the service sent more rows than it announced',
  'labels-repeat': 'the service sent several rows with the same name',
  'rows-moved': 'the pages are from different times, so some rows may be missing',
  'moments-differ': 'the total and the rows are from different times',
  'rows-do-not-add-up': 'the rows do not add up to the total that the service sent',
  'pages-disagree': 'the service sent pages with different totals',
  'no-counts': 'some counts are not numbers and are left out of sums',
}

/** Returns the most important of several doubts; null if there is none. */
export const firstDoubt = (found: readonly (Doubt | null)[]): Doubt | null =>
  doubts.find((doubt) => found.includes(doubt)) ?? null

/** Doubts that concern a table's total, and not only its rows. */
export const doubtsOfTotals: readonly Doubt[] = ['scope', 'unconfirmed', 'not-listed', 'pages-disagree']

/** Adds a doubt to a provenance. The more important doubt wins. */
export const withDoubt = <K extends Pick<Provenance, 'doubt'>>(known: K, doubt: Doubt | null): K => ({
  ...known,
  doubt: firstDoubt([known.doubt, doubt]),
})

/** Number of restated days in a range, and when the latest restatement was fetched. */
export type RestatedDays = { readonly days: number; readonly latest: Instant }

/** A count that changed. `name` is a total's name or a column's header. Null is an unknown count. */
export type CountChange = { readonly name: string; readonly before: Count; readonly after: Count }

/** A row with changed counts. Counts of a missing row are null. */
export type RestatedRow = { readonly label: Label; readonly changes: readonly CountChange[] }

/** Change in the figures of days that were over, found by fetching them again. */
export type Restatement = {
  readonly range: DayRange
  /** Fetch times of the older and the newer figures. */
  readonly beforeFetchedAt: Instant
  readonly afterFetchedAt: Instant
  readonly totals: readonly CountChange[]
  /** The row for all first, if it changed; then the rows with the largest changes. */
  readonly rows: readonly RestatedRow[]
  /** Number of changed rows without the row for all; null if the rows could not be compared. */
  readonly differing: number | null
}

/** Restatements of a subject in a range, newest first. `total` also counts those that are not listed. */
export type Restatements = { readonly items: readonly Restatement[]; readonly total: number }

/**
 * Returns a total as it was known at a time, derived from restatements of the same days.
 * @returns undefined if no restatement concerns that total
 */
export function totalAt(restatements: readonly Restatement[], name: string, time: number): Count | undefined {
  const changes = [...restatements]
    .sort((one, other) => one.afterFetchedAt - other.afterFetchedAt)
    .flatMap(({ afterFetchedAt, totals }) =>
      totals.filter((total) => total.name === name).map((change) => ({ ...change, at: afterFetchedAt })),
    )
  const next = changes.find(({ at }) => at > time)
  return next ? next.before : changes.at(-1)?.after
}

/** Number of restated days as text: `1 day`. */
export const restatedWords = ({ days }: Pick<RestatedDays, 'days'>): string =>
  days === 1 ? '1 day' : `${days} days`

/**
 * A data scope and how often it had become current when a request or computation began. Results of another term are
 * not stored, because another scope was current in between.
 */
export type ScopeTerm = { readonly dataScope: DataScopeId; readonly term: number }

/**
 * Position of an answer relative to scope checks. The answer is provisional until a later check finds the same
 * instances. Provisional figures are shown as the service's own and never added up.
 */
export type Provisional = {
  /** Id of the app's run. */
  readonly session: string
  /** Number of checks of the account that had begun when the last response arrived. */
  readonly checks: number
  /** When the last response arrived, by the local clock. */
  readonly arrivedAt: Instant
}

/** A check of the instances that a token sees. `number` counts from 1 in each run of the app. */
export type ScopeCheck = Pick<Provisional, 'session'> & {
  readonly number: number
  readonly startedAt: Instant
}

/** A provisional table that was deleted because a check found other instances. */
export type Discarded = {
  /** Subject of the table (query.ts: `subjectOf`). */
  readonly subject: string
  /** First and last day, as stored. */
  readonly start: string
  readonly end: string
  readonly fetchedAt: Instant
}

/** Number of days after its end until a range is settled. */
export const settledAfterDays = 3

/** Whether a range is settled on the day `today`. */
export const isSettledOn = ({ end }: DayRange, today: Day): boolean =>
  daysBetween(end, today) >= settledAfterDays

/** Days of figures, and when they were fetched. */
export type Fetched = { readonly fetchedAt: Instant; readonly range: DayRange }

/** Day zone of an account, and the time in which the local clock ran ahead of its service's. */
export type DaysOfAccount = Pick<Account, 'dayZone'> & {
  readonly clockAhead?: Account['clockAhead'] | undefined
}

/** Whether figures were settled when they were fetched. */
export const isSettledFor =
  (account: DaysOfAccount, now: number) =>
  ({ range, fetchedAt }: Fetched): boolean =>
    fetchedAt <= now && isSettledOn(range, accountDayOf(fetchedAt, account))

/** Returns the account's day of a time, corrected for a local clock that ran ahead. */
export const accountDayOf = (time: number, { dayZone, clockAhead }: DaysOfAccount): Day =>
  dayAt(trueTime(time, clockAhead), dayZone)

/** Returns the provenance fields for a fetch time. */
export function stampOf(
  fetchedAt: Instant,
  { clockAhead }: Pick<DaysOfAccount, 'clockAhead'>,
): Pick<Provenance, 'fetchedAt' | 'servedAt'> {
  const servedAt = instantOf(trueTime(fetchedAt, clockAhead))
  return { fetchedAt, ...(servedAt !== fetchedAt && { servedAt }) }
}

/** Corrects a time that was taken while the local clock ran ahead. */
const trueTime = (fetchedAt: number, ahead: Account['clockAhead']): number =>
  ahead && fetchedAt > ahead.from && fetchedAt <= ahead.until
    ? Math.max(ahead.from, fetchedAt - ahead.by)
    : fetchedAt

/** Days of a range whose figures can still change, in calendar order. */
export type UnsettledDays = {
  /** Days that were not over when they were fetched. */
  readonly open: readonly Day[]
  /** Days that were over, but which the service may still restate. */
  readonly moving: readonly Day[]
}

/** Returns the days of a range that were not settled on `fetchedOn`, the day of the fetch. */
export function unsettledDays({ start, end }: DayRange, fetchedOn: Day): UnsettledDays {
  const days = daysOf({ start, end }).filter((day) => !isSettledOn({ start: day, end: day }, fetchedOn))
  return { open: days.filter((day) => day >= fetchedOn), moving: days.filter((day) => day < fetchedOn) }
}

/** Provenance fields that decide which days can still change. */
type FetchedFigures = Stamp & Pick<Provenance, 'ages' | 'missing'>
type Stamp = Pick<Provenance, 'fetchedAt' | 'servedAt'>

/** Day on which figures were fetched, by the service's clock as far as that is known. */
const dayOfStamp = ({ fetchedAt, servedAt = fetchedAt }: Stamp, zone: string): Day => dayAt(servedAt, zone)

/**
 * Returns the days of figures that can still change, without the missing days.
 * @param zone IANA zone in which the account's days begin
 */
export function unsettledOf(
  { ages, missing, ...stamp }: FetchedFigures,
  range: DayRange,
  zone: string,
): UnsettledDays {
  const found = (ages ?? [{ range, ...stamp }]).map((age) => unsettledDays(age.range, dayOfStamp(age, zone)))
  const there = (day: Day) => !missing.includes(day)
  return {
    open: found.flatMap(({ open }) => open).filter(there),
    moving: found.flatMap(({ moving }) => moving).filter(there),
  }
}

/** Whether figures may be added and compared: their data scope is confirmed. */
export const areConfirmed = (...figures: readonly Pick<Provenance, 'doubt'>[]): boolean =>
  figures.every(({ doubt }) => doubt !== 'unconfirmed')

/** Whether figures can be compared directly: every day is present and was over, and the scope is confirmed. */
export const areWhole = (
  figures: FetchedFigures & Pick<Provenance, 'doubt'>,
  range: DayRange,
  zone: string,
): boolean =>
  figures.missing.length === 0 && unsettledOf(figures, range, zone).open.length === 0 && areConfirmed(figures)

/** Figures for a comparison, with their days and fetch times. */
export type AgedFigures = {
  readonly range: DayRange
  readonly provenance: FetchedFigures & Pick<Provenance, 'restated' | 'doubt'>
}

/** When figures of different fetches belong together. */
export type Simultaneity = {
  /** Whether figures were fetched in one gathering, given the oldest and the newest fetch time. */
  readonly isOneGathering: (oldest: Instant, newest: Instant) => boolean
  /** IANA time zone in which the account's days begin. */
  readonly zone: string
}

/** Maximum duration of a gathering, in milliseconds. Recent figures become stale after the same time. */
const maxGatheringMs = 5 * 60_000

/** Maximum time between the requests of one view, in milliseconds. */
const nearbyMs = 60_000

/** Accepts figures fetched since a gathering began, if the gathering did not take too long. */
export const gatheredSince =
  (began: number): Simultaneity['isOneGathering'] =>
  (oldest, newest) =>
    oldest >= began && newest - oldest <= maxGatheringMs

/** Accepts figures that a view requested separately within a minute. */
export const gatheredNearby: Simultaneity['isOneGathering'] = (oldest, newest) => newest - oldest < nearbyMs

/**
 * Whether figures of the same days can be compared.
 * - `one`: each day was fetched in one gathering
 * - `settled`: a day was fetched at several times, settled each time, without a later restatement
 * - `several`: a day may have changed between its fetches, or a data scope is unconfirmed
 */
export type Moment = 'one' | 'settled' | 'several'

/** Days of several figures, and whether the figures can be compared. */
export type CommonDays = {
  /** Days that all figures have. */
  readonly days: readonly Day[]
  /** Days of the ranges that not all figures have. */
  readonly missing: readonly Day[]
  /** Whether each missing day is missing from all figures, so that their totals cover the same days. */
  readonly isEven: boolean
  /** Moment of the common days. */
  readonly moment: Moment
}

/**
 * Checks figures before a difference or ratio is computed from them. A
 * difference between other days or times looks like a valid count.
 */
export function commonDays(
  figures: readonly AgedFigures[],
  { isOneGathering, zone }: Simultaneity,
): CommonDays {
  const has = ({ range, provenance: { missing } }: AgedFigures, day: Day) =>
    day >= range.start && day <= range.end && !missing.includes(day)
  const all = [...new Set(figures.flatMap(({ range }) => daysOf(range)))].sort()
  const days = all.filter((day) => figures.every((item) => has(item, day)))
  const missing = all.filter((day) => !days.includes(day))
  const latest = Math.max(...figures.map(({ provenance: { restated } }) => restated?.latest ?? 0))
  const isConfirmed = areConfirmed(...figures.map(({ provenance }) => provenance))
  const momentOf = (day: Day): Moment => {
    const stamps = figures.map(({ provenance }) => stampIn(provenance, day))
    const times = stamps.map(({ fetchedAt }) => fetchedAt)
    const [oldest, newest] = [instantOf(Math.min(...times)), instantOf(Math.max(...times))]
    if (figures.length === 1) return 'one'
    if (!isConfirmed) return 'several'
    if (isOneGathering(oldest, newest)) return 'one'
    const isSettled = (stamp: Stamp) => isSettledOn({ start: day, end: day }, dayOfStamp(stamp, zone))
    return latest <= oldest && stamps.every(isSettled) ? 'settled' : 'several'
  }
  const moments = new Set(days.map(momentOf))
  return {
    days,
    missing,
    isEven: missing.every((day) => !figures.some((item) => has(item, day))),
    moment: moments.has('several') ? 'several' : moments.has('settled') ? 'settled' : 'one',
  }
}

/** Returns when the figures of a day were fetched. */
const stampIn = ({ ages, ...stamp }: FetchedFigures, day: Day): Stamp =>
  ages?.find(({ range }) => day >= range.start && day <= range.end) ?? stamp
