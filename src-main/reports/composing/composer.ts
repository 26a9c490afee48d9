import { deskFailure, failureOf } from '#shared/api/failure.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { ComposedOf } from '#shared/api/dimensions.ts'
import { mayOthersSucceed } from '#shared/api/failure-meanings.ts'
import { countsNothing } from '#shared/reports/rows.ts'
import { addDays, lengthOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { DataScopeClient } from '#main/accounts/accounts.ts'
import type { CallOptions } from '#main/api/client.ts'
import { cancelled, throwIfCancelled } from '#main/lib/async.ts'
import { Lane, Lanes } from '#main/lib/lanes.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { gatheredSince } from '#shared/reports/answer.ts'
import type { Fetched } from '#shared/reports/answer.ts'
import { freshFor, portionsOf } from '../coverage/plan.ts'
import type { Agreed } from '../coverage/plan.ts'
import type { ReportsContext } from '../reports-context.ts'
import { readHead } from '#main/analytics/history-layout.ts'
import type { Lookups } from '../lookups/lookups.ts'
import { isStillDataScope, termAndCheckOf } from '../requests/answer-cache.ts'
import { composedTable, largestFirst, namesIn } from './composed-table.ts'
import type { ComposedTable, ComposedTotals } from './composed-table.ts'
import { Agreements, callConcurrency, costly, isCheap } from './cost.ts'
import type { Look } from './cost.ts'
import { KnownAnswers } from './known-answers.ts'

type ComposeParams = {
  readonly account: AccountId
  readonly dataScope: DataScopeId
  readonly subject: string
  /** Plain query over the range from the first to the last due day. */
  readonly query: TableQuery
  readonly by: ComposedOf
  /** In ascending order. */
  readonly days: readonly Day[]
  /** Whether every day becomes a table of its own, even if the service has no chart. */
  readonly daily: boolean
  readonly agreed: Agreed
  /** Whether everything is requested, even if it is stored. */
  readonly anew: boolean
  /** Returns the stored tables of the subject. */
  readonly stored: () => Promise<readonly StoredTable[]>
  readonly signal: AbortSignal
  readonly priority: NonNullable<CallOptions['priority']>
  /** Called with the number of complete rows. */
  readonly progress: (names: { readonly done: number; readonly total: number }) => void
}

type ComposingContext = ReportsContext & {
  readonly lookups: Lookups
  readonly agreements: Agreements
}

/** After this number of failed calls, no further calls are made. */
const maxFailures = 3

/** Maximum number of rounds while the total changes. After that, the table gets a doubt. */
const maxRounds = 3

/**
 * Composes tables that the service does not have from the overviews of each source or campaign. Stored answers are not fetched
 * again. Answers are stored even if composing fails later.
 */
export class Composer {
  readonly #context: ComposingContext
  /** By data scope and subject: concurrent views of one subject must not send the same requests. */
  readonly #turns = new Lanes<string>()
  /** Cancelled runs that are still storing their tables. */
  readonly #ending = new Map<string, Set<Promise<unknown>>>()

  constructor(context: ReportsContext, lookups: Lookups) {
    this.#context = { ...context, lookups, agreements: new Agreements() }
  }

  /**
   * Composes and stores the tables of the days that are due.
   * @throws DeskFailure `costly` if it takes more than a few calls without the user's consent; errors of the client, the
   * look-ups and the disk, after the available figures are stored
   */
  async compose(params: ComposeParams): Promise<void> {
    const id = nameOf(params)
    const work = this.#turns.run(id, async () => {
      throwIfCancelled(params.signal)
      const { mostCalls } = await this.#context.settings.read()
      await new Composition(this.#context, params, mostCalls).run()
    })
    const end = () => this.#noteEnding(id, work)
    params.signal.addEventListener('abort', end, { once: true })
    try {
      await work
    } finally {
      params.signal.removeEventListener('abort', end)
    }
  }

  /** Resolves when cancelled runs of a subject have stored their tables. */
  async settled(place: Pick<ComposeParams, 'dataScope' | 'subject'>): Promise<void> {
    await Promise.allSettled(this.#ending.get(nameOf(place)) ?? [])
  }

  #noteEnding(id: string, work: Promise<unknown>): void {
    const ending = this.#ending.get(id) ?? new Set()
    this.#ending.set(id, ending.add(work))
    const over = () => {
      ending.delete(work)
      if (ending.size === 0) this.#ending.delete(id)
    }
    work.then(over, over)
  }
}

const nameOf = ({ dataScope, subject }: Pick<ComposeParams, 'dataScope' | 'subject'>) =>
  `${dataScope} ${subject}`

/** A call for one name; null for everything. */
type Call = { readonly name: string | null; readonly range: DayRange }

/** A single run that composes one subject. */
class Composition {
  readonly #context: ComposingContext
  readonly #params: ComposeParams
  readonly #mostCalls: number
  readonly #knownAnswers: KnownAnswers
  /** Start time, in milliseconds since 1970. */
  readonly #began: number
  #client: DataScopeClient | null = null
  #isFresh: (figures: Fetched) => boolean = () => false
  #names: readonly string[] = []
  /** Number of calls made. */
  #calls = 0
  /** Whether the service returned no daily chart. */
  #isChartless = false

  /** @param mostCalls maximum number of calls for one view */
  constructor(context: ComposingContext, params: ComposeParams, mostCalls: number) {
    this.#context = context
    this.#params = params
    this.#mostCalls = mostCalls
    this.#began = context.clock.now()
    this.#knownAnswers = new KnownAnswers(context.answers, params.dataScope, params.query, params.by)
  }

  async run(): Promise<void> {
    const { accounts, engine } = this.#context
    const { account, anew, by, stored, dataScope, query, signal, subject } = this.#params
    // All requests are of the data scope's current term, or their answers are confirmed.
    this.#client = await accounts.dataScopeClient(account, dataScope)
    this.#isFresh = await freshFor(this.#context, {
      account,
      subject,
      scope: { dataScope, term: this.#client.term },
    })
    await this.#knownAnswers.read(query.range)
    // Stale lists are not used. A newer name would be part of "Other or none", while the table counts as whole.
    const stands = (fetchedAt: Instant) => !anew && this.#isFresh({ fetchedAt, range: query.range })
    const names = await namesIn(this.#context.lookups, account, query, by, { signal, stands })
    this.#names = await largestFirst(engine, names, query, await stored())
    this.#noteChart()
    this.#agreeTo(this.#units())
    await this.#askForAll()
    await this.#refuseEmptyList()
    // Only the total shows whether the service returns daily charts, which changes the number of calls.
    const units = this.#units()
    this.#agreeTo(units)
    let failure: unknown
    try {
      await this.#askUntilSteady(units)
    } catch (error) {
      failure = error
    }
    await this.#store(units)
    if (failure !== undefined) throw failure
  }

  /**
   * Rejects an empty list of names if the days count something and earlier lists had names, because every row would be missing.
   * @throws DeskFailure
   */
  async #refuseEmptyList(): Promise<void> {
    const { account, by, query } = this.#params
    const isLimited = query.instance !== null || query.source !== null || query.campaign !== null
    if (isLimited || this.#names.length > 0) return
    const totals = this.#units().flatMap((unit) => this.#totalsOf(null, unit) ?? [])
    if (totals.every(({ total }) => countsNothing(Object.values(total)))) return
    const { sources, campaigns } = await this.#context.lookups.stored(account)
    const known = by === 'source' ? sources : campaigns
    if (known.every((name) => name === '')) return
    const message = `The service's list of ${by}s is empty, though these days have requests. Try again in a few minutes.`
    throw deskFailure('server-trouble', message)
  }

  /** Ranges of the tables: each due day, or runs of days if there is no chart and separate days are not required. */
  #units(): readonly DayRange[] {
    const single = this.#params.days.map((day) => ({ start: day, end: day }))
    return this.#isChartless && !this.#params.daily ? this.#runs(single) : single
  }

  /** Without a chart, only the total of a run is known, but not the totals of its days. */
  #noteChart(): void {
    const { days } = this.#params
    const isUntold = (day: Day) => this.#totalsOf(null, { start: day, end: day }) === null
    const runs = this.#runs(days.map((day) => ({ start: day, end: day })))
    this.#isChartless ||= runs.some(
      (run) => this.#totalsOf(null, run) !== null && days.some((day) => isIn(day, run) && isUntold(day)),
    )
  }

  /** Joins adjacent days into runs that fit the service's range limit. */
  #runs(units: readonly DayRange[]): DayRange[] {
    const days = units.flatMap(({ start, end }) => (start === end ? [start] : []))
    const longer = units.filter(({ start, end }) => start !== end)
    const max = this.#context.accounts.account(this.#params.account).windows.overview ?? Infinity
    return [...portionsOf(days, false).flatMap((run) => piecesOf(run, max)), ...longer]
  }

  #totalsOf(name: string | null, unit: DayRange, isRequested = false): ComposedTotals | null {
    // An older part is only used if the total has not changed since.
    const isOfUse = (fetchedAt: Instant) =>
      name === null || fetchedAt >= this.#began || this.#knownAnswers.isSteady(unit, fetchedAt, fetchedAt)
    const isFresh = ({ fetchedAt }: ComposedTotals) =>
      isOfUse(fetchedAt) && this.#isFresh({ fetchedAt, range: unit })
    return this.#knownAnswers.totalsOf(name, unit, isFresh, isRequested)
  }

  /** @param anew whether only answers fetched in this run count */
  #callsFor(name: string | null, units: readonly DayRange[], anew = this.#params.anew): Call[] {
    const untold = units.filter((unit) => this.#totalsOf(name, unit, anew) === null)
    const ranges = this.#isChartless ? untold : this.#runs(untold)
    return ranges.map((range) => ({ name, range }))
  }

  /** The calls of this run within its limit, and the number of names that do not fit. */
  #plan(units: readonly DayRange[]): { readonly calls: readonly Call[]; readonly more: number } {
    const max = this.#mostCalls - this.#calls
    const calls = this.#callsFor(null, units)
    let more = 0
    for (const name of this.#names) {
      const own = name === this.#params.query[this.#params.by] ? [] : this.#callsFor(name, units)
      if (calls.length + own.length <= max) calls.push(...own)
      else more += 1
    }
    return { calls, more }
  }

  /**
   * A stored total counts as a call: it may be too old by the time that the user agrees, and the consent must still hold.
   * @throws DeskFailure `costly`
   */
  #agreeTo(units: readonly DayRange[]): void {
    const { calls, more } = this.#plan(units)
    const known = this.#callsFor(null, units, true).length - this.#callsFor(null, units).length
    const all = Math.min(calls.length + known, this.#mostCalls - this.#calls)
    if (isCheap(calls.length) || this.#isAgreed(this.#calls + all)) return
    this.#context.agreements.announce(this.#look(), this.#calls + all)
    throw costly(all, this.#context.times.median(this.#params.account), more)
  }

  /** Whether the user has agreed to this number of calls, including those already made. */
  #isAgreed(calls: number): boolean {
    switch (this.#params.agreed) {
      case 'to-all':
        return true
      case 'by-hand':
        return this.#context.agreements.agree(this.#look(), calls)
      case 'not':
        return this.#context.agreements.covers(this.#look(), calls)
    }
  }

  #look(): Look {
    return { id: nameOf(this.#params), days: this.#params.days }
  }

  /** Fetches the total. If the service refuses the range, learns its window. */
  async #askForAll(): Promise<void> {
    const { account, signal } = this.#params
    const probe = (range: DayRange) => this.#ask({ name: null, range })
    for (;;) {
      this.#noteChart()
      const [call] = this.#callsFor(null, this.#units())
      if (!call) return
      try {
        await this.#ask(call)
      } catch (error) {
        throwIfCancelled(signal)
        const refused = {
          account,
          window: 'overview',
          range: call.range,
          failure: failureOf(error),
          probe,
        } as const
        if (!(await this.#context.rangeLimits.learn(refused))) throw error
      }
    }
  }

  /** Repeats while the total changes, because a changed total invalidates older rows. @throws like `#askForEach` */
  async #askUntilSteady(units: readonly DayRange[]): Promise<void> {
    for (let round = 1; ; round += 1) {
      await this.#askForEach(units)
      await this.#askForAllAgain(units)
      if (round === maxRounds || this.#plan(units).calls.length === 0) return
    }
  }

  /** Fetches the total again for tables with a doubt: it may be older than the rows. */
  async #askForAllAgain(units: readonly DayRange[]): Promise<void> {
    const beyond = units.filter((unit) => (this.#tableOf(unit)?.doubt ?? null) !== null)
    const ranges = this.#isChartless ? beyond : this.#runs(beyond)
    // On failure, the table keeps its doubt.
    for (const range of ranges) await this.#ask({ name: null, range }).catch(() => undefined)
  }

  /** Fetches each name, the largest first. @throws the first failure, after all running calls have ended */
  async #askForEach(units: readonly DayRange[]): Promise<void> {
    const { calls } = this.#plan(units)
    const failures: unknown[] = []
    const left = new Map<string | null, number>()
    for (const { name } of calls) left.set(name, (left.get(name) ?? 0) + 1)
    let done = this.#names.filter((name) => !left.has(name) && this.#isKnown(name, units)).length
    const total = done + left.size
    this.#params.progress({ done, total })
    await new Lane(callConcurrency).forEach(calls, async (call) => {
      try {
        await this.#ask(call)
      } catch (error) {
        failures.push(error)
        const isFinal = !mayOthersSucceed(failureOf(error).kind) || failures.length >= maxFailures
        if (this.#params.signal.aborted || isFinal) throw error
        return
      }
      const more = (left.get(call.name) ?? 1) - 1
      left.set(call.name, more)
      if (more === 0) this.#params.progress({ done: (done += 1), total })
    })
    if (failures.length > 0) throw failures[0]
  }

  #isKnown(name: string, units: readonly DayRange[]): boolean {
    return units.every((unit) => this.#totalsOf(name, unit) !== null)
  }

  async #ask({ name, range }: Call): Promise<void> {
    const { connections, times } = this.#context
    const { account, priority, signal } = this.#params
    const client = this.#clientOfTerm()
    this.#calls += 1
    try {
      const { fetchedAt } = await times.measure(account, () =>
        this.#knownAnswers.ask(client, name, range, { priority, signal }),
      )
      connections.noteSuccess(account, fetchedAt)
    } catch (error) {
      if (!signal.aborted) connections.noteFailure(account, failureOf(error))
      throw error
    }
  }

  /** Stores a table for each unit with known figures. */
  async #store(units: readonly DayRange[]): Promise<void> {
    const stored = await this.#params.stored()
    let columns = 0
    for (const range of units) {
      const table = this.#tableOf(range)
      if (
        table === null ||
        table.composed.requested === 0 ||
        hasMore(stored, range, table.composed.requested)
      )
        continue
      columns = table.headers.length
      await this.#storeTable(range, table)
    }
    // A chart may lack counts that the total has; these are stored for the run of days.
    for (const range of this.#runs(units)) {
      const table = units.includes(range) ? null : this.#tableOf(range)
      const isWhole = table !== null && table.composed.requested === table.composed.total
      if (isWhole && table.headers.length > columns) await this.#storeTable(range, table)
    }
  }

  #tableOf(range: DayRange): ComposedTable | null {
    const all = this.#totalsOf(null, range)
    if (all === null) return null
    const totals = this.#names.map((name) => [name, this.#totalsOf(name, range)] as const)
    const byName = new Map(totals.flatMap(([name, of]) => (of ? [[name, of] as const] : [])))
    const isOfOneMoment = this.#areOfOneMoment(range, [all, ...byName.values()])
    return composedTable(this.#params.query, { all, byName, count: this.#names.length, isOfOneMoment })
  }

  /** Whether totals of the same days can be subtracted. Counts may grow or be restated between two requests. */
  #areOfOneMoment(range: DayRange, totals: readonly ComposedTotals[]): boolean {
    const times = totals.map(({ fetchedAt }) => fetchedAt)
    const [oldest, newest] = [instantOf(Math.min(...times)), instantOf(Math.max(...times))]
    return gatheredSince(this.#began)(oldest, newest) || this.#knownAnswers.isSteady(range, oldest, newest)
  }

  #clientOfTerm(): DataScopeClient {
    if (this.#client === null) throw cancelled()
    return this.#client
  }

  /** @throws DeskFailure `cancelled` if the account's data scope has changed */
  async #storeTable(range: DayRange, table: ComposedTable): Promise<void> {
    const { account, dataScope, subject } = this.#params
    if (!isStillDataScope(this.#context.accounts, account, dataScope)) throw cancelled()
    await this.#context.history.save({
      dataScope,
      subject,
      range,
      ...table,
      ...termAndCheckOf(this.#clientOfTerm()),
    })
  }
}

const isIn = (day: Day, { start, end }: DayRange): boolean => day >= start && day <= end

/** Whether a stored table of the same days has more rows, so that an incomplete one must not replace it. */
const hasMore = (stored: readonly StoredTable[], { start, end }: DayRange, minLength: number): boolean =>
  stored.some(
    ({ range, head }) =>
      range.start === start && range.end === end && (readHead(head)?.composed?.requested ?? 0) > minLength,
  )

/** Splits a range into pieces of at most `max` days, the earliest first. */
function piecesOf({ start, end }: DayRange, max: number): DayRange[] {
  const pieces: DayRange[] = []
  for (let from = start; from <= end;) {
    const remainingDays = lengthOf({ start: from, end })
    const to = remainingDays <= max ? end : addDays(from, max - 1)
    pieces.push({ start: from, end: to })
    from = addDays(to, 1)
  }
  return pieces
}
