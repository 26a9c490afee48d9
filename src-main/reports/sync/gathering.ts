import type { CallOptions } from '#main/api/client.ts'
import { withSignal } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { Failure, FailureKind } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { JobProgress } from '#shared/app/jobs.ts'
import { lengthOf, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { Agreed } from '../composing/cost.ts'
import { meaningOf } from '../connection/connection.ts'
import { portionsOf, planToFetch } from '../coverage/plan.ts'
import type { Plan, Need, PagesDone, ComposedFetching, FetchProgress } from '../coverage/plan.ts'
import type { FiguresParts } from '../figures-parts.ts'
import { isDaily } from './table-catalogue.ts'

/**
 * Progress of several needs as one: the days of those before count as done, those after as not yet.
 * @returns who listens to the need with an index
 */
export function progressOver(
  needs: readonly Need[],
  onProgress: (progress: JobProgress) => void,
): (index: number) => (progress: JobProgress) => void {
  const days = needs.map(({ range }) => lengthOf(range))
  const sum = (some: readonly number[]) => some.reduce((all, value) => all + value, 0)
  return (index) => (progress) => {
    if (needs.length === 1 || progress.unit !== 'days') return onProgress(progress)
    onProgress({ unit: 'days', done: sum(days.slice(0, index)) + progress.done, total: sum(days) })
  }
}

/** How days are fetched that nobody waits for or wished for: one table at a time, and none after the first that fails. */
export type Behind = {
  /** Days that are stored but not settled are left alone where they were fetched later than this. */
  readonly staleBefore: number
  /** Hears how many requests a table took. @returns whether another may be asked for */
  readonly requested: (requests: number) => boolean
}

type GatherOptions = {
  /** Whether every day is fetched anew, kept or not. */
  readonly force: boolean
  /** Whether whatever a composed table costs is agreed to; by hand, what was said of it is. */
  readonly agreed?: boolean
  /** Whether each day is to be a table of its own, also where the service would answer more at once. */
  readonly dayByDay: boolean
  readonly signal: AbortSignal
  readonly priority: NonNullable<CallOptions['priority']>
  readonly behind?: Behind | undefined
  readonly onProgress: (progress: JobProgress) => void
}

/** So many tables are asked for at the same time. */
export const fetchConcurrency = 4
/** So many tables that have come may wait to be written while others are asked for, with so many rows in all: the engine may have to begin first. */
const unwritten = { tables: 48, rows: 50_000 } as const
/** After so many failures of different days, the rest is not tried. */
const maxFailures = 3

/**
 * Fetches what is not kept of a range, or too old, the newest first: in one where the service answers so many days at
 * once, else day by day. What has come is kept, however it ends.
 * @returns why some of it did not come; null where all did
 */
export async function gather(
  parts: FiguresParts,
  need: Need,
  options: GatherOptions,
): Promise<Failure | null> {
  const { account } = need.catalogued
  // Others may fetch the same meanwhile, or be about to: what they keep from here on is not asked for again.
  const since = need.catalogued.sofar()
  const { plan, waits } = await planToFetch(parts, need)
  const failure = await fetchDue(parts, need, plan, { ...options, since })
  if (options.signal.aborted || parts.connections.obstacle(account) !== null) return failure
  // What came is added up with what was there before once it is known that both are of the same instances.
  if (!waits && !parts.history.waits(need.catalogued.scope.owner)) return failure
  const unconfirmed = await withSignal(options.signal, () => parts.accounts.confirm(account)).catch(failureOf)
  return failure ?? unconfirmed
}

async function fetchDue(
  parts: FiguresParts,
  need: Need,
  plan: Plan,
  options: GatherOptions & { readonly since: number },
): Promise<Failure | null> {
  const { catalogued, range } = need
  if (catalogued.composed) return compose(need, catalogued.composed, plan, options)
  const byDay =
    options.dayByDay ||
    isDaily(catalogued.kind) ||
    parts.rangeLimits.isTooWide(catalogued.account, catalogued.window, range)
  const days = options.force ? daysOf(range) : daysDue(plan, options.behind?.staleBefore)
  const portions = portionsOf(days, byDay)
  const gathering = new Gathering(parts, need, options, portions)
  const failure = await gathering.run()
  // Now it is known that the range is too wide: what has come of it stays, the rest comes day by day.
  if (!gathering.narrowed) return failure
  const since = catalogued.sofar()
  const { plan: rest } = await planToFetch(parts, need)
  return fetchDue(parts, need, rest, { ...options, since, dayByDay: true })
}

/** Has the desk compose what is due, all of it in one: it takes the same calls for one day as for many. */
async function compose(
  { catalogued }: Need,
  { unit, dueForced }: ComposedFetching,
  plan: Plan,
  { force, agreed = false, signal, priority, onProgress }: GatherOptions,
): Promise<Failure | null> {
  const { days, anew } = force ? dueForced(plan) : { days: daysDue(plan), anew: false }
  const [start, end] = [days[0], days.at(-1)]
  if (start === undefined || end === undefined) return null
  const toWhat: Agreed = agreed ? 'to-all' : force ? 'by-hand' : 'not'
  const onFetchProgress = (progress: FetchProgress) => {
    if (progress.kind === 'pages') onProgress({ done: progress.done, total: progress.total, unit })
  }
  try {
    await catalogued.fetch({ start, end }, { days, anew, agreed: toWhat, signal, priority, onFetchProgress })
    return null
  } catch (error) {
    return failureOf(error)
  }
}

/**
 * Days that are to be fetched, in their order.
 * @param staleBefore stored days that were fetched later than this are fresh enough, in milliseconds since 1970
 */
export function daysDue({ missing, stale, tables }: Plan, staleBefore = Infinity): readonly Day[] {
  const spared = tables.filter(({ fetchedAt }) => fetchedAt > staleBefore)
  const isSpared = (day: Day) => spared.some(({ range }) => range.start <= day && day <= range.end)
  return [...missing, ...stale.filter((day) => !isSpared(day))].sort()
}

class Gathering {
  readonly #parts: FiguresParts
  readonly #need: Need
  readonly #options: GatherOptions & { readonly since: number }
  readonly #portions: readonly DayRange[]
  readonly #failures: Failure[] = []
  readonly #asking: Lane
  /** Pages that have come. */
  #pages = 0
  #rowsUnwritten = 0
  #isOver = false
  #done: number
  narrowed = false

  constructor(
    parts: FiguresParts,
    need: Need,
    options: GatherOptions & { readonly since: number },
    portions: readonly DayRange[],
  ) {
    this.#parts = parts
    this.#need = need
    this.#options = options
    this.#portions = portions
    this.#asking = new Lane(options.behind ? 1 : fetchConcurrency)
    this.#done = portions.reduce((left, portion) => left - lengthOf(portion), lengthOf(need.range))
  }

  async run(): Promise<Failure | null> {
    if (this.#portions.length === 0) return null
    this.#reportDays()
    const { clock, times } = this.#parts
    const began = clock.now()
    try {
      const lane = new Lane(fetchConcurrency + unwritten.tables)
      await lane.forEach(this.#portions, (portion) => this.#fetch(portion))
    } catch (error) {
      return this.#options.signal.aborted ? failureOf(error) : (this.#failures[0] ?? failureOf(error))
    }
    if (this.#failures.length === 0 && !this.#options.behind)
      times.noteGathered(this.#need.catalogued.account, this.#pages, clock.now() - began)
    return this.#failures[0] ?? null
  }

  async #fetch(portion: DayRange): Promise<void> {
    const { signal, priority, since, behind } = this.#options
    const leave = await this.#asking.enter()
    let rows = 0
    let requests = 0
    try {
      // The next one would fail like the one before.
      if (this.#isOver) return
      await this.#need.catalogued.fetch(portion, {
        ...{ signal, priority, since },
        onFetchProgress: (progress) => {
          if (progress.kind === 'pages') return this.#reportPages(progress)
          this.#rowsUnwritten += rows = progress.rows
          requests = Math.max(1, Math.ceil(rows / limits.rowsPerPage))
          this.#pages += requests
          // Where too much waits to be written, this one keeps its place until it is.
          if (!behind && this.#rowsUnwritten <= unwritten.rows) leave()
        },
      })
      this.#done += lengthOf(portion)
      this.#reportDays()
      if (behind && !behind.requested(requests)) this.#isOver = true
    } catch (error) {
      const failure = failureOf(error)
      if (!signal.aborted && (await this.#isTooWide(portion, failure))) this.narrowed = true
      this.#failures.push(failure)
      const max = behind ? 1 : maxFailures
      behind?.requested(1)
      if (this.narrowed || isFinal(failure.kind) || this.#failures.length >= max) {
        this.#isOver = true
        throw error
      }
    } finally {
      this.#rowsUnwritten -= rows
      leave()
    }
  }

  #isTooWide(range: DayRange, failure: Failure): Promise<boolean> {
    const { catalogued } = this.#need
    const { signal, priority } = this.#options
    const probe = (days: DayRange) => catalogued.probe(days, { signal, priority })
    return this.#parts.rangeLimits
      .learn({ account: catalogued.account, window: catalogued.window, range, failure, probe })
      .catch(() => false)
  }

  #reportDays(): void {
    const total = lengthOf(this.#need.range)
    if (!this.#isOnePortion()) this.#options.onProgress({ done: this.#done, total, unit: 'days' })
  }

  #reportPages({ done, total }: PagesDone): void {
    if (this.#isOnePortion() && total > 1) this.#options.onProgress({ done, total, unit: 'pages' })
  }

  /** Whether all of the range comes in one: then progress is of its pages. */
  #isOnePortion(): boolean {
    const [first] = this.#portions
    return first !== undefined && lengthOf(first) === lengthOf(this.#need.range)
  }
}

/** The next day would fail like this one. */
function isFinal(kind: FailureKind): boolean {
  switch (meaningOf(kind)) {
    case 'away':
    case 'refused':
    case 'no-token':
    case 'proxy':
    case 'nothing':
      return true
    case 'answers':
    case 'doubtful':
      return false
  }
}
