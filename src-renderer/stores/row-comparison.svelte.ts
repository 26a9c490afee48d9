import { QueryObserver, notifyManager, queryOptions } from '@tanstack/svelte-query'
import type { QueryKey } from '@tanstack/svelte-query'
import type { JobProgress } from '#shared/app/jobs.ts'
import type { BeforeAnswer, ComparedFigures, Provenance } from '#shared/reports/answer.ts'
import { comparedLengths } from '#shared/reports/change.ts'
import { isSameRange } from '#shared/values/day.ts'
import type { Lengths, Periods } from '#shared/reports/change.ts'
import { beforeKey, queryKey } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { answerOf, progressOf } from '../queries/answers.ts'
import type { WindowApp } from './app.ts'
import { KnownTable } from './known-rows.ts'
import type { OnScreen } from './known-rows.ts'

/** A table and the days to compare it with. */
type ComparedTable = {
  /** Query of the table on screen. */
  readonly query: TableQuery
  /** Days to compare with. */
  readonly before: DayRange
  /** Days of both ranges that are currently compared. */
  readonly periods: Periods
  /** Whether the figures on screen cover all days of the query. */
  readonly isWhole: boolean
  readonly provenance: Pick<Provenance, 'missing' | 'fetchedAt'>
  readonly rowAt: OnScreen['rowAt']
}

const keyOf = ({ query, before }: ComparedTable): string => beforeKey(query, before)

const isSameTable = (one: ComparedTable, other: ComparedTable): boolean =>
  queryKey(one.query) === queryKey(other.query) && isSameRange(one.before, other.before)

const hasSameFigures = ({ provenance: one }: ComparedTable, { provenance: other }: ComparedTable): boolean =>
  one.fetchedAt === other.fetchedAt && one.missing.join() === other.missing.join()

const hasSameDays = (one: ComparedTable, other: ComparedTable): boolean =>
  one.isWhole === other.isWhole &&
  isSameRange(one.periods.now, other.periods.now) &&
  isSameRange(one.periods.before, other.periods.before)

/** An answer, with the rows and the table that it belongs to. */
type Batch = {
  readonly labels: readonly string[]
  readonly table: ComparedTable
  readonly answer: BeforeAnswer
}

/** Figures of a table's rows over other days, requested block by block. A newer query cancels the older one. */
export class RowComparison {
  /** Changes with every answer and failure. */
  version = $state(0)
  fetching = $state(false)
  failure = $state.raw<Failure | null>(null)
  /** Source of the figures; null before the first answer. */
  provenance = $state.raw<Provenance | null>(null)
  progress = $state.raw<JobProgress | null>(null)
  /** Days that are compared; null before the first answer. */
  compared = $state.raw<ComparedFigures | null>(null)
  readonly #then = new KnownTable()
  /** Current figures over the compared days, if they differ from the figures on screen. */
  readonly #now = new KnownTable()
  #usesNow = false
  /** Identifies the days that the stored cells were compared over. Cells of other days are dropped. */
  #basis = ''
  #table: ComparedTable | null = null
  #screen: OnScreen = { first: 0, last: -1, rowAt: () => null }
  /** Rows to request next. Null requests the rows on screen again, for example after an event. */
  #next: readonly string[] | null = null
  /** Whether the user requested the next figures, and so agreed to their announced cost. */
  #isByHand = false
  #lastBatch: Batch | null = null
  #query: QueryObserver<Batch> | null = null
  #progress: QueryObserver<JobProgress | null> | null = null
  readonly #app: Pick<WindowApp, 'bridge' | 'queries'>
  readonly #account: AccountId

  constructor(app: Pick<WindowApp, 'bridge' | 'queries'>, account: AccountId) {
    this.#app = app
    this.#account = account
  }

  /** Starts or changes the comparison. Before the first call, columns of changes show no values. */
  begin(table: ComparedTable): void {
    const last = this.#table
    const same = last !== null && isSameTable(last, table)
    // The answer depends on the figures on screen only if the compared days differ from those on screen.
    const depends = this.#usesNow || !table.isWhole
    const otherDays =
      last !== null && (!hasSameDays(last, table) || (depends && !hasSameFigures(last, table)))
    const subject = last && keyOf(last)
    if (!same || otherDays) this.#unsubscribe()
    this.#table = table
    this.#screen = { ...this.#screen, rowAt: table.rowAt }
    if (subject !== keyOf(table)) this.#forget()
    else if (otherDays) this.#askAnew()
  }

  /** Cells of a row over the days before. Undefined if not loaded yet, null if there was no such row. */
  readonly cellsOf = (row: TableRow): readonly Cell[] | null | undefined => this.#then.cellsOf(row)

  /** Index of a header in the cells of `cellsOf`; -1 if missing. */
  readonly placeOf = (header: string): number => this.#then.placeOf(header)

  /** Current value of a row under a header: the value on screen, or the count over the compared days. */
  readonly nowOf = (row: TableRow, header: string, shown: Cell | undefined): Cell | undefined =>
    this.#usesNow ? this.#now.cellsOf(row)?.[this.#now.placeOf(header)] : shown

  /** Number of days of both sides; null before the first answer. */
  get lengths(): Lengths | null {
    return this.compared && comparedLengths(this.compared.periods, this.compared.compared)
  }

  /** Reports the rows on screen; `last` is included. */
  readonly want = (first: number, last: number): void => {
    this.#screen = { ...this.#screen, first, last }
    this.#askWanted()
  }

  /** Requests the figures by hand, after a failure or an announced cost. */
  again(): void {
    this.failure = null
    this.#isByHand = true
    this.#askWanted()
  }

  /** Cancels the request; rows that were received stay. */
  cancel(): void {
    this.#unsubscribe()
    this.failure = { kind: 'cancelled', message: 'You stopped waiting for the figures to compare with.' }
  }

  close(): void {
    this.#unsubscribe()
  }

  #forget(): void {
    this.#then.clear()
    this.#now.clear()
    this.#usesNow = false
    this.compared = null
    this.#basis = ''
    this.provenance = null
    this.failure = null
    this.version += 1
  }

  /** Destroying the observer cancels its request. */
  #unsubscribe(): void {
    this.#query?.destroy()
    this.#progress?.destroy()
    this.#query = null
    this.#progress = null
    this.fetching = false
    this.progress = null
  }

  /** Requests the rows on screen over other days. The old values stay until the answer arrives. */
  #askAnew(): void {
    if (this.fetching || this.failure?.kind === 'cancelled') return
    this.failure = null
    this.#ask(this.#shownAnew())
  }

  /** Returns the labels on screen, and drops all other rows. */
  #shownAnew(): readonly string[] {
    const shown = this.#then.rows.around(this.#screen)
    this.#then.rows.removeOthers(shown)
    this.#now.rows.removeOthers(shown)
    return shown
  }

  #askWanted(): void {
    if (this.fetching || this.failure) return
    const labels = this.#then.rows.missing(this.#screen)
    if (labels.length > 0) this.#ask(labels)
  }

  #ask(labels: readonly string[]): void {
    const table = this.#table
    if (!table) return
    this.fetching = true
    this.#next = labels
    if (this.#query) void this.#query.refetch()
    else this.#observe(table)
  }

  #observe(table: ComparedTable): void {
    const follow = notifyManager.batchCalls(() => this.#follow())
    this.#progress = new QueryObserver(this.#app.queries, progressOf(this.#account, keyOf(table)))
    this.#progress.subscribe(follow)
    this.#query = new QueryObserver(this.#app.queries, this.#queryOf(table))
    this.#query.subscribe(follow)
  }

  #queryOf(table: ComparedTable) {
    const [{ bridge }, account, key] = [this.#app, this.#account, keyOf(table)]
    const queryKey: QueryKey = ['reports', account, key]
    return queryOptions({
      queryKey,
      queryFn: async ({ signal }): Promise<Batch> => {
        signal.addEventListener('abort', () => void bridge.call('reports/cancel', { account, key }))
        const labels = this.#next ?? this.#shownAnew()
        const compared = this.#table ?? table
        this.#next = null
        const force = this.#isByHand
        this.#isByHand = false
        const { query, before, isWhole } = compared
        const params = { account, query, before, isWhole, labels: [...labels], force }
        return { labels, table: compared, answer: await answerOf(bridge.call('reports/before', params)) }
      },
      staleTime: 0,
      gcTime: 0,
    })
  }

  /** Copies the state of the query. */
  #follow(): void {
    if (!this.#query) return
    const { data, error, fetchStatus } = this.#query.getCurrentResult()
    this.fetching = fetchStatus === 'fetching'
    this.progress = this.fetching ? (this.#progress?.getCurrentResult().data ?? null) : null
    const failure = this.fetching ? null : (error?.failure ?? null)
    // Cells show a dash in place of dots.
    if (failure !== this.failure) this.version += 1
    this.failure = failure
    if (data && data !== this.#lastBatch) {
      this.#lastBatch = data
      this.#take(data)
    }
    this.#askWanted()
  }

  #take({ labels, answer, table: { provenance: shown } }: Batch): void {
    const { sides, periods, compared, provenance } = answer
    const asShown = sides !== null && sides.now === null
    const basis = JSON.stringify([periods, asShown ? null : [shown, provenance.missing, compared]])
    if (basis !== this.#basis) {
      this.#then.clear()
      this.#now.clear()
    }
    this.#basis = basis
    this.#usesNow = !asShown
    this.provenance = provenance
    this.compared = { periods, compared }
    const nothing = { headers: [], all: [], rows: labels.map(() => []) }
    this.#then.take(labels, sides?.before ?? nothing)
    this.#now.take(labels, sides?.now ?? nothing)
    this.version += 1
  }
}
