import { deskFailure, failureOf } from '#shared/api/failure.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { ComposedOf } from '#shared/api/dimensions.ts'
import type { FailureKind } from '#shared/api/failure.ts'
import { countsNothing } from '#shared/reports/rows.ts'
import { addDays, lengthOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { DataScopeClient } from '#main/accounts/account-store.ts'
import type { CallOptions } from '#main/api/client.ts'
import { cancelled, throwIfCancelled } from '#main/lib/async.ts'
import { Lane, Lanes } from '#main/lib/lanes.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { meaningOf } from '../connection/connection.ts'
import { gatheredSince } from '#shared/reports/answer.ts'
import type { Fetched } from '#shared/reports/answer.ts'
import { freshFor, portionsOf } from '../coverage/plan.ts'
import type { FiguresParts } from '../figures-parts.ts'
import { readHead } from '#main/analytics/history-layout.ts'
import type { Lookups } from '../lookups/lookups.ts'
import { isStillDataScope, termAndCheckOf } from '../pages/answers.ts'
import { composedTable, largestFirst, namesIn } from './composed-table.ts'
import type { ComposedTable, ComposedTotals } from './composed-table.ts'
import { Agreements, callConcurrency, costly, isCheap } from './cost.ts'
import type { Agreed, Look } from './cost.ts'
import { KnownAnswers } from './known-answers.ts'

type ComposeParams = {
  readonly account: AccountId
  readonly owner: DataScopeId
  readonly subject: string
  /** Plain, over the days that are due and those between them. */
  readonly query: TableQuery
  readonly by: ComposedOf
  /** In their order. */
  readonly days: readonly Day[]
  /** Whether each day is to be a table of its own, also where the service gives no chart. */
  readonly daily: boolean
  readonly agreed: Agreed
  /** Whether all of it is asked for, known or not. */
  readonly anew: boolean
  /** What is kept of the subject. */
  readonly stored: () => Promise<readonly StoredTable[]>
  readonly signal: AbortSignal
  readonly priority: NonNullable<CallOptions['priority']>
  /** Hears, as a job does, of how many of so many rows the figures are there. */
  readonly progress: (names: { readonly done: number; readonly total: number }) => void
}

/** After so many failures of different names, the rest is not tried. */
const maxFailures = 3

/** So often rows are asked for while the total changes; then the table says that it is of several moments. */
const maxRounds = 3

/**
 * Makes tables that the service does not have: it asks for the overview of each source or campaign, with its days, and keeps
 * a table for each day. What is known already is not asked again, and whatever has come is kept, however it ends.
 */
export class Composer {
  readonly #parts: FiguresParts
  readonly #lookups: Lookups
  readonly #mostCalls: () => Promise<number>
  /** By data scope and subject: two looks at one subject do not ask the same at the same time. */
  readonly #turns = new Lanes<string>()
  readonly #agreements = new Agreements()
  /** What is being composed and has been given up: its tables are about to be kept. */
  readonly #ending = new Map<string, Set<Promise<unknown>>>()

  /** @param mostCalls how many calls one look may make */
  constructor(parts: FiguresParts, lookups: Lookups, mostCalls: () => Promise<number>) {
    this.#parts = parts
    this.#lookups = lookups
    this.#mostCalls = mostCalls
  }

  /**
   * Composes the tables of the days that are due, and keeps them.
   * @throws DeskFailure `costly` where it takes more than a few calls and nobody agreed; and what the client, look-ups and the
   * disk throw, once what has come is kept
   */
  async compose(params: ComposeParams): Promise<void> {
    const id = nameOf(params)
    const work = this.#turns.run(id, async () => {
      throwIfCancelled(params.signal)
      const mostCalls = await this.#mostCalls()
      await new Composition(this.#parts, this.#lookups, mostCalls, params, this.#agreements).run()
    })
    const end = () => this.#noteEnding(id, work)
    params.signal.addEventListener('abort', end, { once: true })
    try {
      await work
    } finally {
      params.signal.removeEventListener('abort', end)
    }
  }

  /** Done when what was given up of a subject is kept. */
  async settled(place: Pick<ComposeParams, 'owner' | 'subject'>): Promise<void> {
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

const nameOf = ({ owner, subject }: Pick<ComposeParams, 'owner' | 'subject'>) => `${owner} ${subject}`

/** A call for one name, or for everything. */
type Call = { readonly name: string | null; readonly range: DayRange }

/** One look at a composed table. */
class Composition {
  readonly #parts: FiguresParts
  readonly #lookups: Lookups
  readonly #mostCalls: number
  readonly #params: ComposeParams
  readonly #agreements: Agreements
  readonly #known: KnownAnswers
  /** When it began, in milliseconds since 1970. */
  readonly #began: number
  #client: DataScopeClient | null = null
  #isFresh: (figures: Fetched) => boolean = () => false
  #names: readonly string[] = []
  /** How many calls were made. */
  #made = 0
  /** Whether the service turned out to give no chart of days. */
  #isChartless = false

  constructor(
    parts: FiguresParts,
    lookups: Lookups,
    mostCalls: number,
    params: ComposeParams,
    agreements: Agreements,
  ) {
    this.#parts = parts
    this.#lookups = lookups
    this.#mostCalls = mostCalls
    this.#params = params
    this.#agreements = agreements
    this.#began = parts.clock.now()
    this.#known = new KnownAnswers(parts.answers, params.owner, params.query, params.by)
  }

  async run(): Promise<void> {
    const { aggregate, accounts } = this.#parts
    const { account, anew, by, stored, owner, query, signal, subject } = this.#params
    // What it is made of was asked for in this term of its data scope, or is confirmed.
    this.#client = await accounts.dataScopeClient(account, owner)
    this.#isFresh = await freshFor(this.#parts, {
      account,
      subject,
      scope: { owner, term: this.#client.term },
    })
    await this.#known.read(query.range)
    // A name that came since would be part of "Other or none", and the table be taken for whole.
    const stands = (fetchedAt: Instant) => !anew && this.#isFresh({ fetchedAt, range: query.range })
    const names = await namesIn(this.#lookups, account, query, by, { signal, stands })
    this.#names = await largestFirst(aggregate, names, query, await stored())
    this.#noteChart()
    this.#agreeTo(this.#units())
    await this.#askForAll()
    await this.#refuseEmptyList()
    // The total tells whether the service gives days at all: if not, it takes other calls.
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
   * A list without names, of days that count something, is a mistake where earlier lists had names: every row would be missing.
   * @throws DeskFailure
   */
  async #refuseEmptyList(): Promise<void> {
    const { account, by, query } = this.#params
    const isLimited = query.instance !== null || query.source !== null || query.campaign !== null
    if (isLimited || this.#names.length > 0) return
    const totals = this.#units().flatMap((unit) => this.#totalsOf(null, unit) ?? [])
    if (totals.every(({ total }) => countsNothing(Object.values(total)))) return
    const { sources, campaigns } = await this.#lookups.stored(account)
    const known = by === 'source' ? sources : campaigns
    if (known.every((name) => name === '')) return
    const message = `The service's list of ${by}s is empty for these days, though it counts requests. Try again in a few minutes.`
    throw deskFailure('server-trouble', message)
  }

  /** What tables are made of: each day that is due; runs of days where the service gives no chart, unless each is asked for. */
  #units(): readonly DayRange[] {
    const single = this.#params.days.map((day) => ({ start: day, end: day }))
    return this.#isChartless && !this.#params.daily ? this.#runs(single) : single
  }

  /** A total that is known of days together, and not of each of them, has no chart. */
  #noteChart(): void {
    const { days } = this.#params
    const isUntold = (day: Day) => this.#totalsOf(null, { start: day, end: day }) === null
    const runs = this.#runs(days.map((day) => ({ start: day, end: day })))
    this.#isChartless ||= runs.some(
      (run) => this.#totalsOf(null, run) !== null && days.some((day) => isIn(day, run) && isUntold(day)),
    )
  }

  /** Days that lie side by side together, as many as the service answers at once. */
  #runs(units: readonly DayRange[]): DayRange[] {
    const days = units.flatMap(({ start, end }) => (start === end ? [start] : []))
    const longer = units.filter(({ start, end }) => start !== end)
    const max = this.#parts.accounts.account(this.#params.account).windows.overview ?? Infinity
    return [...portionsOf(days, false).flatMap((run) => piecesOf(run, max)), ...longer]
  }

  #totalsOf(name: string | null, unit: DayRange, isRequested = false): ComposedTotals | null {
    // A part from before counts where the total of its time still holds.
    const isOfUse = (fetchedAt: Instant) =>
      name === null || fetchedAt >= this.#began || this.#known.isSteady(unit, fetchedAt, fetchedAt)
    const isFresh = ({ fetchedAt }: ComposedTotals) =>
      isOfUse(fetchedAt) && this.#isFresh({ fetchedAt, range: unit })
    return this.#known.totalsOf(name, unit, isFresh, isRequested)
  }

  #callsFor(name: string | null, units: readonly DayRange[]): Call[] {
    const { anew } = this.#params
    const untold = units.filter((unit) => this.#totalsOf(name, unit, anew) === null)
    const ranges = this.#isChartless ? untold : this.#runs(untold)
    return ranges.map((range) => ({ name, range }))
  }

  /** The calls that this look makes, within its limit, and how many names are left for another. */
  #plan(units: readonly DayRange[]): { readonly calls: readonly Call[]; readonly more: number } {
    const max = this.#mostCalls - this.#made
    const calls = this.#callsFor(null, units)
    let more = 0
    for (const name of this.#names) {
      const own = name === this.#params.query[this.#params.by] ? [] : this.#callsFor(name, units)
      if (calls.length + own.length <= max) calls.push(...own)
      else more += 1
    }
    return { calls, more }
  }

  /** @throws DeskFailure `costly` */
  #agreeTo(units: readonly DayRange[]): void {
    const { calls, more } = this.#plan(units)
    if (isCheap(calls.length) || this.#isAgreed(this.#made + calls.length)) return
    this.#agreements.announce(this.#look(), this.#made + calls.length)
    throw costly(calls.length, this.#parts.times.median(this.#params.account), more)
  }

  /** Whether a person has agreed to so many calls in all, those among them that were made. */
  #isAgreed(calls: number): boolean {
    switch (this.#params.agreed) {
      case 'to-all':
        return true
      case 'by-hand':
        return this.#agreements.agree(this.#look(), calls)
      case 'not':
        return this.#agreements.covers(this.#look(), calls)
    }
  }

  #look(): Look {
    return { id: nameOf(this.#params), days: this.#params.days }
  }

  /** Asks for the total, and learns how many days the service answers at once where it refuses so many. */
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
        if (!(await this.#parts.rangeLimits.learn(refused))) throw error
      }
    }
  }

  /** A total that came out otherwise takes away the rows from before it, which are then asked for again. @throws as `#askForEach` */
  async #askUntilSteady(units: readonly DayRange[]): Promise<void> {
    for (let round = 1; ; round += 1) {
      await this.#askForEach(units)
      await this.#askForAllAgain(units)
      if (round === maxRounds || this.#plan(units).calls.length === 0) return
    }
  }

  /** A total from before may be of another moment, or less than figures that grew meanwhile: it is asked for once more. */
  async #askForAllAgain(units: readonly DayRange[]): Promise<void> {
    const beyond = units.filter((unit) => (this.#tableOf(unit)?.doubt ?? null) !== null)
    const ranges = this.#isChartless ? beyond : this.#runs(beyond)
    // Where it cannot be had, the table says that it does not add up.
    for (const range of ranges) await this.#ask({ name: null, range }).catch(() => undefined)
  }

  /** Asks for each name, the largest first. @throws the first failure, once what was begun is over */
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
        if (this.#params.signal.aborted || isFinal(failureOf(error).kind) || failures.length >= maxFailures)
          throw error
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
    const { connections, times } = this.#parts
    const { account, priority, signal } = this.#params
    const client = this.#clientOfTerm()
    this.#made += 1
    try {
      const { fetchedAt } = await times.measure(account, () =>
        this.#known.ask(client, name, range, { priority, signal }),
      )
      connections.noteSuccess(account, fetchedAt)
    } catch (error) {
      if (!signal.aborted) connections.noteFailure(account, failureOf(error))
      throw error
    }
  }

  /** Keeps a table for each unit of which something is known. */
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
    // A chart may lack counts that the total has: of these very days together they are known.
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

  /** Whether totals of the same days can be subtracted: counts may grow or be restated between two requests. */
  #areOfOneMoment(range: DayRange, totals: readonly ComposedTotals[]): boolean {
    const times = totals.map(({ fetchedAt }) => fetchedAt)
    const [oldest, newest] = [Math.min(...times) as Instant, Math.max(...times) as Instant]
    return gatheredSince(this.#began)(oldest, newest) || this.#known.isSteady(range, oldest, newest)
  }

  #clientOfTerm(): DataScopeClient {
    if (this.#client === null) throw cancelled()
    return this.#client
  }

  /** @throws DeskFailure `cancelled` where the account has other figures meanwhile */
  async #storeTable(range: DayRange, table: ComposedTable): Promise<void> {
    const { account, owner, subject } = this.#params
    if (!isStillDataScope(this.#parts.accounts, account, owner)) throw cancelled()
    await this.#parts.history.save({
      owner,
      subject,
      range,
      ...table,
      ...termAndCheckOf(this.#clientOfTerm()),
    })
  }
}

const isIn = (day: Day, { start, end }: DayRange): boolean => day >= start && day <= end

/** Whether a table of these days is kept that has more rows of its own: what was given up early is no better. */
const hasMore = (stored: readonly StoredTable[], { start, end }: DayRange, minLength: number): boolean =>
  stored.some(
    ({ range, head }) =>
      range.start === start && range.end === end && (readHead(head)?.composed?.requested ?? 0) > minLength,
  )

/** A range in pieces of so many days at most, the earliest first. */
function piecesOf({ start, end }: DayRange, max: number): DayRange[] {
  const pieces: DayRange[] = []
  for (let from = start; from <= end;) {
    const rest = lengthOf({ start: from, end })
    const to = rest <= max ? end : addDays(from, max - 1)
    pieces.push({ start: from, end: to })
    from = addDays(to, 1)
  }
  return pieces
}

/** The next name would fail like this one. */
function isFinal(kind: FailureKind): boolean {
  return !['answers', 'doubtful'].includes(meaningOf(kind))
}
