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
import type { DataScopeId, Instant } from '../values/ids.ts'
import type { ComparedDays, ComparedPeriods } from './change.ts'
import type { OverviewQuery, TableQuery } from './query.ts'

/** Where figures come from and how old they are. */
export type Provenance = {
  /** `computed`: added up by the desk from whole tables that it keeps. */
  readonly from: 'service' | 'stored' | 'computed'
  /** When the oldest of the figures was fetched. */
  readonly fetchedAt: Instant
  /** The same by the service's clock; only where this machine's is known to have run ahead of it. */
  readonly servedAt?: Instant
  /** When the figures of which of its days were fetched; only where they are of several times. */
  readonly ages?: readonly DayAge[]
  /** Runs of days that are saved as one, so that no part of them can be told; only where figures are computed from such. */
  readonly spans?: readonly DayRange[]
  /** Whether newer figures are being asked for at this moment; a change event follows. */
  readonly refreshing: boolean
  /** Why newer figures could not be had, where they were asked for and refused or lost. */
  readonly failure: Failure | null
  /** Days of the range that are not in the figures. */
  readonly missing: readonly Day[]
  /** Why the rows do not add up, as the service gives them; null where they do. */
  readonly doubt: Doubt | null
  /** How much of a composed table was asked; only where not all of it was. */
  readonly composed?: ComposedPart
  /** How many of its days were restated since they were first kept; null where none was. */
  readonly restated: RestatedDays | null
}

/** When the figures of a run of days were fetched: the oldest of them. */
export type DayAge = { readonly range: DayRange } & Pick<Provenance, 'fetchedAt' | 'servedAt'>

/** Who computed the rates of a table: the service, or the desk from the counts. Never both in one table. */
export type RatesBy = 'service' | 'desk' | 'nobody'

type StampedAnswer<Query, Figures> = {
  readonly query: Query
  readonly figures: Figures
  readonly provenance: Provenance
}

/** An answered query: the figures, and what is to be known of them. */
export type ReportAnswer =
  | ({ readonly kind: 'overview' } & StampedAnswer<OverviewQuery, OverviewAnswer>)
  | ({
      readonly kind: 'table'
      readonly ratesBy: RatesBy
      /** What the rows add up to that a search or limits found, where that is known. */
      readonly matching?: TableRow
    } & StampedAnswer<TableQuery, TableAnswer>)

/** The daily figures of a query's selection: its family, dimension and filters, whatever is searched or sorted. */
export type TrendAnswer = { readonly chart: Chart; readonly provenance: Provenance }

/** Two runs of whole days, and how many days of them are compared where some are missing; null where all are there. */
export type ComparedFigures = {
  readonly periods: Extract<ComparedPeriods, { kind: 'periods' }>
  readonly compared: ComparedDays | null
}

/** The rows of a table over the days that it is compared with. */
export type BeforeAnswer = ComparedFigures & {
  /** `now` are those that are compared where the table shows other days; null where what it shows is. No sides where nothing is. */
  readonly sides: { readonly now: RowsOfLabels | null; readonly before: RowsOfLabels } | null
  /** Of the days compared with. */
  readonly provenance: Provenance
}

/** Some rows of a table, whatever page they would stand on. */
export type RowsOfLabels = {
  readonly headers: readonly string[]
  readonly all: readonly Cell[] | null
  /** One for each label that was asked about; null where there is no such row. Cells stand as in a table's row. */
  readonly rows: readonly (readonly Cell[] | null)[]
}

/** What is compared of one of two periods. */
export type ComparedSide = { readonly total: Totals }

/** Two periods of which days are missing, over the days that can be compared; no sides where there are none. */
export type PairedAnswer = {
  readonly compared: ComparedDays
  readonly sides: { readonly now: ComparedSide; readonly before: ComparedSide } | null
  /** When the oldest of the figures was fetched; null where there are none. */
  readonly fetchedAt: Instant | null
  /** Why the totals are doubtful; null where nothing is wrong with them. */
  readonly doubt: Doubt | null
}

/** A row that moved between two periods, by one of its counts. A row that was not there counts nothing. */
export type Mover = {
  readonly label: Label
  readonly now: Count
  readonly before: Count
  /** Of what its rates are shares, where it has one that says something. */
  readonly base?: { readonly now: Count; readonly before: Count }
}

export type MoversAnswer = ComparedFigures & {
  /** By what they moved: by their number also where there is no rate. */
  readonly by: 'count' | 'rate'
  /** Of how many requests each of them is at least. */
  readonly min: number
  /** Those that grew, the most first. */
  readonly up: readonly Mover[]
  readonly down: readonly Mover[]
  /** Of the newer period; its `missing` names days of either. */
  readonly provenance: Provenance
}

/**
 * How much of a composed table was asked: of so many sources or campaigns that the look-up lists, those whose figures stand
 * in rows of their own. The others are part of "Other or none".
 */
export type Composed = { readonly requested: number; readonly total: number }

/** The same of an answer, and what is counted. */
export type ComposedPart = Composed & { readonly unit: 'sources' | 'campaigns' }

/** The row of what no source, or no campaign, of the table accounts for. */
export const otherLabel = 'Other or none'

/** More calls than this are made for one look only once a person has agreed to them. */
export const handful = 5

/** The one of several that lacks most; undefined where none lacks anything. */
export const leastComplete = (all: readonly Composed[]): Composed | undefined =>
  all
    .filter(({ requested, total }) => requested < total)
    .sort((one, other) => other.total - other.requested - (one.total - one.requested))[0]

/**
 * Why figures are shown and not vouched for: a closed set, the reason that explains most first. No check of the data scope came after
 * `unconfirmed` ones: the service went, or its list of instances is not believed. `not-listed` ones count nothing for a name that the
 * look-ups do not list. All others do not add up, though the service answers so each time.
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

/** What a reason is called: figures of a doubtful scope may add up all the same. */
export function doubtName(doubt: Doubt): string {
  if (doubt === 'unconfirmed') return 'Not confirmed'
  if (doubt === 'not-listed') return 'Not listed'
  return doubt === 'scope' ? 'Doubtful scope' : 'Does not add up'
}

/** Each reason, in words that follow its name. */
export const doubtWords: Readonly<Record<Doubt, string>> = {
  scope: 'figures may include or lack instances whose access has changed',
  unconfirmed: 'it could not be checked yet which instances these figures include',
  'rows-unreadable': "the service sent rows that can't be read, and they are left out",
  'not-listed': "nothing is counted, and this name was not found in the service's list for these days",
  'fewer-rows': 'the service sent fewer rows than it announced',
  'more-rows': 'the service sent more rows than it announced',
  'labels-repeat': 'the service sent several rows with the same name',
  'rows-moved': 'the pages are from different times, so some rows may be missing',
  'moments-differ': 'the total and the rows are from different times',
  'rows-do-not-add-up': 'the rows do not add up to the total that the service sent',
  'pages-disagree': 'the service sent pages with different totals',
  'no-counts': 'some counts are not numbers and are left out of sums',
}

/** The reason that explains most of several figures together; null where nothing is wrong with any. */
export const firstDoubt = (found: readonly (Doubt | null)[]): Doubt | null =>
  doubts.find((doubt) => found.includes(doubt)) ?? null

/** Reasons for which totals are doubtful as well, and not only the rows of their table. */
export const doubtsOfTotals: readonly Doubt[] = ['scope', 'unconfirmed', 'not-listed', 'pages-disagree']

/** What is known of figures that others beside them are doubtful of. */
export const withDoubt = <K extends Pick<Provenance, 'doubt'>>(known: K, doubt: Doubt | null): K => ({
  ...known,
  doubt: firstDoubt([known.doubt, doubt]),
})

/** How many days of a range were restated, and when newer figures of one of them last came. */
export type RestatedDays = { readonly days: number; readonly latest: Instant }

/** A count that came otherwise: a total by its name, or a cell by its header. Null where it was not known. */
export type CountChange = { readonly name: string; readonly before: Count; readonly after: Count }

/** A row of which counts changed. Of a row that was not there, or is not there any more, no count is known. */
export type RestatedRow = { readonly label: Label; readonly changes: readonly CountChange[] }

/** What was otherwise when days that were over were fetched again. */
export type Restatement = {
  readonly range: DayRange
  /** When the older figures were fetched, and the newer ones. */
  readonly beforeFetchedAt: Instant
  readonly afterFetchedAt: Instant
  readonly totals: readonly CountChange[]
  /** The row of all first, where that changed; then the rows with the largest changes. */
  readonly rows: readonly RestatedRow[]
  /** How many rows changed, without the row of all; null where the rows of both were not there to compare. */
  readonly differing: number | null
}

/** Restatements of a subject within a range, the newest first, as far as they are shown; `total` is how many there are. */
export type Restatements = { readonly items: readonly Restatement[]; readonly total: number }

/**
 * What a total was as known at a time, by the restatements of the same days.
 * @returns undefined where none of them is about that total
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

/** How many days were restated, in words: `1 day`. */
export const restatedWords = ({ days }: Pick<RestatedDays, 'days'>): string =>
  days === 1 ? '1 day' : `${days} days`

/**
 * A data scope, and how often it had been taken up when something was asked for, or computed, for it. What belongs to another
 * term is not stored: the scope was another one in between.
 */
export type ScopeTerm = { readonly owner: DataScopeId; readonly term: number }

/**
 * When an answer was fetched, counted in scope checks. It is provisional until a check that began later finds the same
 * instances. Until then it is shown as the service's own, and added up with nothing.
 */
export type Provisional = {
  /** The run of the app. */
  readonly session: string
  /** How many checks of the account had begun in it when the last of it came. */
  readonly checks: number
  /** When that was, by this machine's clock. */
  readonly arrivedAt: Instant
}

/** A check of the instances that a token sees: in which run of the app, its number there, from 1, and when it began. */
export type ScopeCheck = Pick<Provisional, 'session'> & {
  readonly number: number
  readonly startedAt: Instant
}

/** A provisional table that was deleted, because a check found other instances. */
export type Discarded = {
  /** What it was about (query.ts). */
  readonly subject: string
  /** Its first and last day, as they are written. */
  readonly start: string
  readonly end: string
  readonly fetchedAt: Instant
}

/** From so many days after its end on, a range does not change any more. */
const settledAfterDays = 3

/** Whether a range does not change any more on the day `today`. */
export const isSettledOn = ({ end }: DayRange, today: Day): boolean =>
  daysBetween(end, today) >= settledAfterDays

/** Figures of these days, and when they were fetched. */
export type Fetched = { readonly fetchedAt: Instant; readonly range: DayRange }

/** In which zone an account's days begin, and when this machine's clock ran ahead of its service's. */
export type DaysOfAccount = Pick<Account, 'dayZone'> & {
  readonly clockAhead?: Account['clockAhead'] | undefined
}

/** Whether figures do not change any more: their days had been over for long enough when they were fetched. */
export const isSettledFor =
  (account: DaysOfAccount, now: number) =>
  ({ range, fetchedAt }: Fetched): boolean =>
    fetchedAt <= now && isSettledOn(range, dayOf(fetchedAt, account))

/** On which of an account's days something happened, by the clock of its service as far as that is known. */
export const dayOf = (time: number, { dayZone, clockAhead }: DaysOfAccount): Day =>
  dayAt(trueTime(time, clockAhead), dayZone)

/** When figures were fetched, as whoever reads them has to know it. */
export function stampOf(
  fetchedAt: Instant,
  { clockAhead }: Pick<DaysOfAccount, 'clockAhead'>,
): Pick<Provenance, 'fetchedAt' | 'servedAt'> {
  const servedAt = trueTime(fetchedAt, clockAhead) as Instant
  return { fetchedAt, ...(servedAt !== fetchedAt && { servedAt }) }
}

/** When figures were fetched at the earliest, by a clock that may have run ahead. */
const trueTime = (fetchedAt: number, ahead: Account['clockAhead']): number =>
  ahead && fetchedAt > ahead.from && fetchedAt <= ahead.until
    ? Math.max(ahead.from, fetchedAt - ahead.by)
    : fetchedAt

/** The days of a range of which figures can still become others. Both in order of the calendar. */
export type UnsettledDays = {
  /** Not over when they were fetched: counted in part. */
  readonly open: readonly Day[]
  /** Over, and counted anew for some days to come. */
  readonly moving: readonly Day[]
}

/** Which days of a range were not settled on `fetchedOn`, the day on which their figures were fetched. */
export function unsettledDays({ start, end }: DayRange, fetchedOn: Day): UnsettledDays {
  const days = daysOf({ start, end }).filter((day) => !isSettledOn({ start: day, end: day }, fetchedOn))
  return { open: days.filter((day) => day >= fetchedOn), moving: days.filter((day) => day < fetchedOn) }
}

/** What is to be known of figures for whoever asks which of their days can still become others. */
type FetchedFigures = Stamp & Pick<Provenance, 'ages' | 'missing'>
type Stamp = Pick<Provenance, 'fetchedAt' | 'servedAt'>

/** Day on which figures were fetched, by the service's clock as far as that is known. */
const servedOn = ({ fetchedAt, servedAt = fetchedAt }: Stamp, zone: string): Day => dayAt(servedAt, zone)

/**
 * Which days of figures can still become others; those that are missing are told of as such.
 * @param zone the IANA zone in which the account's days begin
 */
export function unsettledOf(
  { ages, missing, ...stamp }: FetchedFigures,
  range: DayRange,
  zone: string,
): UnsettledDays {
  const found = (ages ?? [{ range, ...stamp }]).map((age) => unsettledDays(age.range, servedOn(age, zone)))
  const there = (day: Day) => !missing.includes(day)
  return {
    open: found.flatMap(({ open }) => open).filter(there),
    moving: found.flatMap(({ moving }) => moving).filter(there),
  }
}

/** Whether figures may be added to others and compared with them: those whose data scope is not confirmed stand alone. */
export const areConfirmed = (...figures: readonly Pick<Provenance, 'doubt'>[]): boolean =>
  figures.every(({ doubt }) => doubt !== 'unconfirmed')

/** Whether figures have every day of a range, and each was over when it was fetched: such figures can be compared as they are. */
export const areWhole = (
  figures: FetchedFigures & Pick<Provenance, 'doubt'>,
  range: DayRange,
  zone: string,
): boolean =>
  figures.missing.length === 0 && unsettledOf(figures, range, zone).open.length === 0 && areConfirmed(figures)

/** Figures that are set against others: their days, and when those were fetched. */
export type AgedFigures = {
  readonly range: DayRange
  readonly provenance: FetchedFigures & Pick<Provenance, 'restated' | 'doubt'>
}

/** Which figures of unsettled days count as fetched together. */
export type Simultaneity = {
  /** Whether figures were fetched in one gathering, by the times of the oldest and the newest of them. */
  readonly isOneGathering: (oldest: Instant, newest: Instant) => boolean
  /** IANA time zone in which the account's days begin. */
  readonly zone: string
}

/** Longest gathering that counts as one moment, in milliseconds. Recent figures are stale after as long. */
const maxGatheringMs = 5 * 60_000

/** Requests of one view are at most this far apart, in milliseconds. */
const nearbyMs = 60_000

/** Figures that were fetched since a gathering began, unless that took too long. */
export const gatheredSince =
  (began: number): Simultaneity['isOneGathering'] =>
  (oldest, newest) =>
    oldest >= began && newest - oldest <= maxGatheringMs

/** Figures that a view asked for separately, within a minute. */
export const gatheredNearby: Simultaneity['isOneGathering'] = (oldest, newest) => newest - oldest < nearbyMs

/**
 * Whether figures of the same days belong together.
 * - `one`: each day was fetched in one gathering
 * - `settled`: a day was fetched at different times, settled each time, and no restatement since the oldest is known
 * - `several`: a day was fetched at different times and may have changed in between, or some are of unconfirmed instances
 */
export type Moment = 'one' | 'settled' | 'several'

/** The days of several figures, and whether they can be set against each other. */
export type CommonDays = {
  /** Days that all of them have. */
  readonly days: readonly Day[]
  /** Days of their ranges that not all of them have. */
  readonly missing: readonly Day[]
  /** Whether each missing day is missing in all of them, so that their totals are of the same days. */
  readonly isEven: boolean
  /** Of the days that all of them have. */
  readonly moment: Moment
}

/**
 * Checks figures before a difference or a ratio is computed from them. It is the one place that decides this: a difference of
 * figures of other days or other moments looks like a count and is none.
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
    const [oldest, newest] = [Math.min(...times) as Instant, Math.max(...times) as Instant]
    if (figures.length === 1) return 'one'
    if (!isConfirmed) return 'several'
    if (isOneGathering(oldest, newest)) return 'one'
    const isSettled = (stamp: Stamp) => isSettledOn({ start: day, end: day }, servedOn(stamp, zone))
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

/** When the figures of a day were fetched. */
const stampIn = ({ ages, ...stamp }: FetchedFigures, day: Day): Stamp =>
  ages?.find(({ range }) => day >= range.start && day <= range.end) ?? stamp
