import type { CallOptions } from '#main/api/client.ts'
import { withSignal } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { Failure } from '#shared/api/failure.ts'
import { mayOthersSucceed } from '#shared/api/failure-meanings.ts'
import { limits } from '#shared/api/parameters.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { JobProgress } from '#shared/app/jobs.ts'
import { lengthOf, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { portionsOf, planToFetch } from '../coverage/plan.ts'
import type { Agreed, Plan, Need, PagesDone, ComposedFetching, FetchProgress } from '../coverage/plan.ts'
import type { ReportsContext } from '../reports-context.ts'
import { isDaily } from './table-catalogue.ts'

/**
 * Combines the progress of several needs: needs before the current one count as complete, later ones as zero.
 * @returns the progress callback for the need with an index
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

/** Fetches in the background that no user waits for or requested: one table at a time, ending at the first failure. */
export type Behind = {
  /** Unsettled stored days that were fetched after this time are not fetched again. */
  readonly staleBefore: number
  /** Called with the number of requests of a table. @returns whether to fetch another table */
  readonly requested: (requests: number) => boolean
}

type GatherOptions = {
  /** Whether every day is fetched, even if stored. */
  readonly force: boolean
  /** Whether the user has agreed to any cost of a composed table. With `force`, only to the announced cost. */
  readonly agreed?: boolean
  /** Whether each day becomes a table of its own, even if the service would answer several days at once. */
  readonly dayByDay: boolean
  readonly signal: AbortSignal
  readonly priority: NonNullable<CallOptions['priority']>
  readonly behind?: Behind | undefined
  readonly onProgress: (progress: JobProgress) => void
}

/** Number of tables to fetch concurrently. */
export const fetchConcurrency = 4
/** Maximum number of tables, and of their rows, waiting to be written. The engine may still be starting. */
const unwritten = { tables: 48, rows: 50_000 } as const
/** After this number of failed tables, no further ones are fetched. */
const maxFailures = 3

/**
 * Fetches missing and stale days of a range: in one request if the service answers the whole range, otherwise day by day, the
 * newest first. Fetched tables are stored even if others fail.
 * @returns the first failure; null on success
 */
export async function gather(
  context: ReportsContext,
  need: Need,
  options: GatherOptions,
): Promise<Failure | null> {
  const { account } = need.catalogued
  // Tables that concurrent callers store from here on are not fetched again.
  const since = need.catalogued.sofar()
  const { plan, waits } = await planToFetch(context, need)
  const failure = await fetchDue(context, need, plan, { ...options, since })
  if (options.signal.aborted || context.connections.obstacle(account) !== null) return failure
  // New tables are combined with older ones only after a scope check.
  if (!waits && !context.history.waits(need.catalogued.scope.dataScope)) return failure
  const unconfirmed = await withSignal(options.signal, () => context.accounts.confirm(account)).catch(
    failureOf,
  )
  return failure ?? unconfirmed
}

async function fetchDue(
  context: ReportsContext,
  need: Need,
  plan: Plan,
  options: GatherOptions & { readonly since: number },
): Promise<Failure | null> {
  const { catalogued, range } = need
  if (catalogued.composed) return compose(need, catalogued.composed, plan, options)
  const byDay =
    options.dayByDay ||
    isDaily(catalogued.kind) ||
    context.rangeLimits.isTooWide(catalogued.account, catalogued.window, range)
  const days = options.force ? daysOf(range) : daysDue(plan, options.behind?.staleBefore)
  const portions = portionsOf(days, byDay)
  const gathering = new Gathering(context, need, options, portions)
  const failure = await gathering.run()
  // The range turned out to be too wide. Stored tables stay; the rest is fetched day by day.
  if (!gathering.narrowed) return failure
  const since = catalogued.sofar()
  const { plan: remaining } = await planToFetch(context, need)
  return fetchDue(context, need, remaining, { ...options, since, dayByDay: true })
}

/** Composes all due days in one run, because it takes the same calls for one day as for many. */
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
 * Returns the days to fetch, in ascending order.
 * @param staleBefore stored days fetched after this time are fresh enough; milliseconds since 1970
 */
export function daysDue({ missing, stale, tables }: Plan, staleBefore = Infinity): readonly Day[] {
  const spared = tables.filter(({ fetchedAt }) => fetchedAt > staleBefore)
  const isSpared = (day: Day) => spared.some(({ range }) => range.start <= day && day <= range.end)
  return [...missing, ...stale.filter((day) => !isSpared(day))].sort()
}

class Gathering {
  readonly #context: ReportsContext
  readonly #need: Need
  readonly #options: GatherOptions & { readonly since: number }
  readonly #portions: readonly DayRange[]
  readonly #failures: Failure[] = []
  readonly #asking: Lane
  /** Number of pages fetched. */
  #pages = 0
  #rowsUnwritten = 0
  #isOver = false
  #done: number
  narrowed = false

  constructor(
    context: ReportsContext,
    need: Need,
    options: GatherOptions & { readonly since: number },
    portions: readonly DayRange[],
  ) {
    this.#context = context
    this.#need = need
    this.#options = options
    this.#portions = portions
    this.#asking = new Lane(options.behind ? 1 : fetchConcurrency)
    this.#done = portions.reduce((left, portion) => left - lengthOf(portion), lengthOf(need.range))
  }

  async run(): Promise<Failure | null> {
    if (this.#portions.length === 0) return null
    this.#reportDays()
    const { clock, times } = this.#context
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
      // A later table would fail too.
      if (this.#isOver) return
      await this.#need.catalogued.fetch(portion, {
        ...{ signal, priority, since },
        onFetchProgress: (progress) => {
          if (progress.kind === 'pages') return this.#reportPages(progress)
          this.#rowsUnwritten += rows = progress.rows
          requests = Math.max(1, Math.ceil(rows / limits.rowsPerPage))
          this.#pages += requests
          // If too many rows wait to be written, the slot is held until this table is written.
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
      if (this.narrowed || !mayOthersSucceed(failure.kind) || this.#failures.length >= max) {
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
    return this.#context.rangeLimits
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

  /** Whether one request covers the whole range. Then progress counts its pages. */
  #isOnePortion(): boolean {
    const [first] = this.#portions
    return first !== undefined && lengthOf(first) === lengthOf(this.#need.range)
  }
}
