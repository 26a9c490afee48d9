import type { RestatedDays, Restatement, Restatements } from '#shared/reports/restated.ts'
import { daysOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import type { RestatementMark } from '#main/database/state/restatements-repository.ts'
import type { Store as StateStore } from '#main/database/state/state-store.ts'
import type { Store } from '#main/database/cache/cache-store.ts'
import type { StoredTable, TablePlace } from '#main/database/cache/catalogue-repository.ts'
import type { Fetched } from '../coverage/freshness.ts'
import type { Comparison } from './comparing.ts'

/** So many are told of at a time. */
const maxTold = 100

type RestatementQuery = TablePlace & { readonly range: DayRange }

/** Whose figures of which days were compared with newer ones, and when they were fetched. */
export type Noted = RestatementQuery & Pick<Comparison, 'beforeFetchedAt'>

/** Whether figures of the days of these were found to be restated after they were fetched. */
export type RestatedSince = (figures: Fetched, now: number) => boolean

/** What was restated. Which days were is remembered of each owner, so that answers where nothing was cost nothing. */
export class RestatementLog {
  readonly #state: Pick<StateStore, 'run'>
  readonly #store: Pick<Store, 'run'>
  readonly #marks = new Map<DataScopeId, Promise<readonly RestatementMark[]>>()

  constructor(state: Pick<StateStore, 'run'>, store: Pick<Store, 'run'>) {
    this.#state = state
    this.#store = store
  }

  /**
   * Notes what newer figures restate, in place of what was noted of the same older ones: the app ended before the figures of
   * that were kept. It counts once the newer figures are kept. @throws DeskFailure where the disk refuses
   */
  async note(compared: Noted, { restatement }: Comparison): Promise<void> {
    if (restatement === null) return await this.withdraw(compared)
    const { owner, subject } = compared
    await this.#state.run('restatements/note', { owner, subject, ...restatement })
    this.#marks.delete(owner)
  }

  /** Lets go what was noted of figures that are not replaced after all. @throws DeskFailure where the disk refuses */
  async withdraw({ owner, subject, range, beforeFetchedAt }: Noted): Promise<void> {
    const isNoted = (await this.#marksOf(owner)).some(
      (mark) =>
        mark.subject === subject &&
        mark.beforeFetchedAt === beforeFetchedAt &&
        isWithin(mark.range, range) &&
        isWithin(range, mark.range),
    )
    if (!isNoted) return
    await this.#state.run('restatements/withdraw', { owner, subject, range, beforeFetchedAt })
    this.#marks.delete(owner)
  }

  /** How many days of a range were restated; null where none was. */
  async restated(query: RestatementQuery): Promise<RestatedDays | null> {
    const marks = await this.#markedIn(query)
    const days = new Set(marks.flatMap(({ range }) => daysOf(range))).size
    const latest = Math.max(...marks.map(({ afterFetchedAt }) => afterFetchedAt)) as Instant
    return days === 0 ? null : { days, latest }
  }

  /** Whether anything of a subject's family was restated since. What cannot be read counts as nothing. */
  async since({ owner, subject }: TablePlace): Promise<RestatedSince> {
    const all = await this.#marksOf(owner).catch(() => [])
    const family = familyOf(subject)
    const marks = all.filter((mark) => familyOf(mark.subject) === family)
    // A time that is still to come was written by a clock that was set back since.
    return ({ fetchedAt, range }, now) =>
      marks.some(
        ({ afterFetchedAt, range: { start, end } }) =>
          afterFetchedAt > fetchedAt && afterFetchedAt <= now && start <= range.end && end >= range.start,
      )
  }

  /** The restatements within a range, the newest first. @throws DeskFailure where they cannot be read */
  async list({ owner, subject, range }: RestatementQuery): Promise<Restatements> {
    const marks = await this.#markedIn({ owner, subject, range })
    if (marks.length === 0) return { found: [], of: 0 }
    const found = await this.#state.run('restatements/list', { owner, subject, range, max: maxTold })
    const tables = await this.#store.run('tables/list', { owner, subject })
    return { found: found.filter(counts(tables)), of: marks.length }
  }

  /** Lets go what is noted of an owner. @throws DeskFailure where the disk refuses */
  async forget(owner: DataScopeId): Promise<void> {
    await this.#state.run('restatements/forget', owner)
    this.#marks.delete(owner)
  }

  /** They are read anew: some may have been let go with the figures that they are about. */
  forgetRead(): void {
    this.#marks.clear()
  }

  async #markedIn({ owner, subject, range }: RestatementQuery): Promise<readonly RestatementMark[]> {
    const all = await this.#marksOf(owner).catch(() => [])
    const marks = all.filter((mark) => mark.subject === subject && isWithin(mark.range, range))
    if (marks.length === 0) return []
    const tables = await this.#store.run('tables/list', { owner, subject }).catch(() => [])
    return marks.filter(counts(tables))
  }

  #marksOf(owner: DataScopeId): Promise<readonly RestatementMark[]> {
    const known = this.#marks.get(owner)
    if (known) return known
    const reading = this.#state.run('restatements/marks', owner)
    this.#marks.set(owner, reading)
    reading.catch(() => this.#marks.delete(owner))
    return reading
  }
}

/** Of what kind of traffic a subject is (src-shared/reports/query.ts). */
const familyOf = (subject: string) => subject.slice(0, subject.indexOf('/'))

const isWithin = (days: DayRange, range: DayRange) => days.start >= range.start && days.end <= range.end

/** Whether a restatement counts: not where the app ended before the newer figures were kept, and the older ones stand. */
const counts =
  (tables: readonly StoredTable[]) =>
  ({ range, afterFetchedAt }: Pick<Restatement, 'range' | 'afterFetchedAt'>): boolean => {
    const stored = tables.filter(
      (table) => table.range.start === range.start && table.range.end === range.end,
    )
    return stored.length === 0 || stored.some(({ fetchedAt }) => fetchedAt >= afterFetchedAt)
  }
