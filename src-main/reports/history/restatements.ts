import type { StateAndCache } from '#main/database/cache/cache-store.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { TablePlace, Head } from '#main/analytics/history-layout.ts'
import type { RestatementMark } from '#main/database/state/restatements-repository.ts'
import type {
  CountChange,
  RestatedRow,
  Restatement,
  Doubt,
  RestatedDays,
  Restatements,
  Fetched,
  DaysOfAccount,
} from '#shared/reports/answer.ts'
import { daysOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { accountDayOf, isSettledFor } from '#shared/reports/answer.ts'
import type { Differences } from '../engine/table-calls.ts'
import type { Engine } from '../engine/report-engine.ts'
import { readHead } from '#main/analytics/history-layout.ts'

/** Maximum number of rows per restatement, and of their characters as JSON. */
const max = { rows: 200, characters: 50_000 } as const

/** New figures, and the stored tables of the same days. */
type Compared = {
  readonly stored: readonly StoredTable[]
  readonly table: StoredTable
  readonly account: DaysOfAccount
  /** Current time. A table from later was stored before the clock was set back. */
  readonly now: number
}

/** Whether all days of a table were over when it was fetched. Growth of a day in progress is not a restatement. */
export const isOfDaysOver = ({ range, fetchedAt }: Fetched, account: DaysOfAccount): boolean =>
  accountDayOf(fetchedAt, account) > range.end

/** Result of a comparison; `restatement` is null if nothing was restated. */
type Comparison = { readonly beforeFetchedAt: Instant; readonly restatement: Restatement | null }

/**
 * Compares new figures with those stored after their days were over: totals with the newest table, rows with the whole table.
 * Only common columns are compared. Growth of unsettled figures is not a restatement, but any decrease is.
 * @returns null if there is nothing to compare with
 */
export async function restatementOf(
  engine: Engine,
  { stored, table, account, now: time }: Compared,
): Promise<Comparison | null> {
  const isOlder = ({ fetchedAt }: StoredTable) => fetchedAt <= table.fetchedAt || fetchedAt > time
  // Newer figures stay in place, so this table is obsolete.
  if (stored.some((storedTable) => !isOlder(storedTable) && (storedTable.whole || !table.whole))) return null
  const over = stored.filter((storedTable) => isOlder(storedTable) && isOfDaysOver(storedTable, account))
  const before = [...over].sort((one, other) => other.fetchedAt - one.fetchedAt)[0]
  const [then, now] = [before && readHead(before.head), readHead(table.head)]
  if (!before || !then || !now) return null
  const whole = hasAllRows(table) ? over.find(hasAllRows) : undefined
  const found = whole ? await differencesOf(engine, whole, table) : null
  const totals = changesIn(Object.entries(then.total), Object.entries(now.total))
  const all = changesIn(aggregateOf(then), aggregateOf(now))
  const settled = isSettledFor(account, time)
  // The age of figures from the future is unknown; they may have been settled.
  const isSettled = (storedTable: StoredTable) => storedTable.fetchedAt > time || settled(storedTable)
  const fell = found?.fell === true || [...totals, ...all].some(hasFallen)
  const areSumsRestated = totals.length + all.length > 0 && (fell || isSettled(before))
  const areRowsRestated = whole && found && found.differing > 0 && (fell || isSettled(whole))
  const times = { beforeFetchedAt: before.fetchedAt, afterFetchedAt: table.fetchedAt }
  if (!areSumsRestated && !areRowsRestated) return { beforeFetchedAt: before.fetchedAt, restatement: null }
  const ofAll = now.all && all.length > 0 ? [{ label: now.all.label, changes: all }] : []
  const rows = [...ofAll, ...(found?.rows ?? [])]
  const differing = found && found.differing
  const restatement = { range: table.range, ...times, totals, rows, differing }
  return { beforeFetchedAt: before.fetchedAt, restatement }
}

/** Whether a table has all its rows. Otherwise a missing row would look like one that is no longer counted. */
const hasAllRows = ({ whole, doubt }: StoredTable): boolean => whole && !lacksRows.has(doubt)

const lacksRows: ReadonlySet<Doubt | null> = new Set<Doubt>(['fewer-rows', 'rows-moved', 'rows-unreadable'])

/** A count that became null counts as a decrease. */
const hasFallen = ({ before, after }: CountChange) => before !== null && (after === null || after < before)

/** The differing rows; null if they cannot be computed. The new figures are stored in any case. */
async function differencesOf(
  engine: Engine,
  before: StoredTable,
  after: StoredTable,
): Promise<Differences | null> {
  const computed = await engine.call('differences', { before, after, max: max.rows }).catch(() => null)
  if (computed?.kind !== 'computed') return null
  return { ...computed.figures, rows: briefly(computed.figures.rows) }
}

/** The first rows that fit the maximum number of characters. */
function briefly(rows: readonly RestatedRow[]): readonly RestatedRow[] {
  let left: number = max.characters
  const end = rows.findIndex((row) => (left -= JSON.stringify(row).length) < 0)
  return end < 0 ? rows : rows.slice(0, end)
}

type Named = readonly (readonly [name: string, value: unknown])[]

/** Counts with the same name in both that differ. */
function changesIn(before: Named, after: Named): CountChange[] {
  const newer = new Map(after)
  return before.flatMap(([name, value]) => {
    const now = newer.get(name)
    return isCount(value) && isCount(now) && value !== now ? [{ name, before: value, after: now }] : []
  })
}

const isCount = (value: unknown): value is number | null => typeof value === 'number' || value === null

/** Cells of the aggregate row, by header. */
const aggregateOf = ({ headers, all }: Head): Named =>
  headers.slice(1).map((header, place) => [header, all?.cells[place]])

/** Maximum number of restatements to list. */
const maxListed = 100

type RestatementQuery = TablePlace & { readonly range: DayRange }

/** Identifies figures that were compared with newer ones. */
export type Noted = RestatementQuery & Pick<Comparison, 'beforeFetchedAt'>

/** Whether figures were restated after they were fetched. */
export type RestatedSince = (figures: Fetched, now: number) => boolean

/**
 * Stored restatements. The restated ranges of each data scope are cached, so that queries without restatements cost nothing.
 */
export class RestatementLog {
  readonly #store: StateAndCache
  readonly #marks = new Map<DataScopeId, Promise<readonly RestatementMark[]>>()

  constructor(store: StateAndCache) {
    this.#store = store
  }

  /**
   * Stores a restatement, which takes effect once the new figures are stored. It replaces one of the same old figures, left
   * over if the app ended before that. @throws DeskFailure if the disk fails
   */
  async note(compared: Noted, { restatement }: Comparison): Promise<void> {
    if (restatement === null) return await this.withdraw(compared)
    const { dataScope, subject } = compared
    await this.#store.run('restatements/note', { dataScope, subject, ...restatement })
    this.#marks.delete(dataScope)
  }

  /** Deletes a restatement of figures that were not replaced after all. @throws DeskFailure if the disk fails */
  async withdraw({ dataScope, subject, range, beforeFetchedAt }: Noted): Promise<void> {
    const isNoted = (await this.#marksOf(dataScope)).some(
      (mark) =>
        mark.subject === subject &&
        mark.beforeFetchedAt === beforeFetchedAt &&
        isWithin(mark.range, range) &&
        isWithin(range, mark.range),
    )
    if (!isNoted) return
    await this.#store.run('restatements/withdraw', { dataScope, subject, range, beforeFetchedAt })
    this.#marks.delete(dataScope)
  }

  /** Counts the restated days of a range; null if there are none. */
  async restated(query: RestatementQuery): Promise<RestatedDays | null> {
    const marks = await this.#markedIn(query)
    const days = new Set(marks.flatMap(({ range }) => daysOf(range))).size
    const latest = instantOf(Math.max(...marks.map(({ afterFetchedAt }) => afterFetchedAt)))
    return days === 0 ? null : { days, latest }
  }

  /** Returns a check of whether figures of the subject's family were restated later. Unreadable restatements are ignored. */
  async since({ dataScope, subject }: TablePlace): Promise<RestatedSince> {
    const all = await this.#marksOf(dataScope).catch(() => [])
    const family = familyOf(subject)
    const marks = all.filter((mark) => familyOf(mark.subject) === family)
    // A time in the future was recorded before the clock was set back.
    return ({ fetchedAt, range }, now) =>
      marks.some(
        ({ afterFetchedAt, range: { start, end } }) =>
          afterFetchedAt > fetchedAt && afterFetchedAt <= now && start <= range.end && end >= range.start,
      )
  }

  /** Returns the restatements within a range, the newest first. @throws DeskFailure if they cannot be read */
  async list({ dataScope, subject, range }: RestatementQuery): Promise<Restatements> {
    const marks = await this.#markedIn({ dataScope, subject, range })
    if (marks.length === 0) return { items: [], total: 0 }
    const found = await this.#store.run('restatements/list', { dataScope, subject, range, max: maxListed })
    const tables = await this.#store.run('tables/list', { dataScope, subject })
    return { items: found.filter(counts(tables)), total: marks.length }
  }

  /** Deletes the restatements of a data scope. @throws DeskFailure if the disk fails */
  async forget(dataScope: DataScopeId): Promise<void> {
    await this.#store.run('restatements/forget', dataScope)
    this.#marks.delete(dataScope)
  }

  /** Clears the cache, because restatements may have been deleted together with their figures. */
  forgetRead(): void {
    this.#marks.clear()
  }

  async #markedIn({ dataScope, subject, range }: RestatementQuery): Promise<readonly RestatementMark[]> {
    const all = await this.#marksOf(dataScope).catch(() => [])
    const marks = all.filter((mark) => mark.subject === subject && isWithin(mark.range, range))
    if (marks.length === 0) return []
    const tables = await this.#store.run('tables/list', { dataScope, subject }).catch(() => [])
    return marks.filter(counts(tables))
  }

  #marksOf(dataScope: DataScopeId): Promise<readonly RestatementMark[]> {
    const known = this.#marks.get(dataScope)
    if (known) return known
    const reading = this.#store.run('restatements/marks', dataScope)
    this.#marks.set(dataScope, reading)
    reading.catch(() => this.#marks.delete(dataScope))
    return reading
  }
}

/** Family of a subject (src-shared/reports/query.ts). */
const familyOf = (subject: string) => subject.slice(0, subject.indexOf('/'))

const isWithin = (days: DayRange, range: DayRange) => days.start >= range.start && days.end <= range.end

/** Whether a restatement is effective. It is not if the app ended before the new figures were stored. */
const counts =
  (tables: readonly StoredTable[]) =>
  ({ range, afterFetchedAt }: Pick<Restatement, 'range' | 'afterFetchedAt'>): boolean => {
    const stored = tables.filter(
      (table) => table.range.start === range.start && table.range.end === range.end,
    )
    return stored.length === 0 || stored.some(({ fetchedAt }) => fetchedAt >= afterFetchedAt)
  }
