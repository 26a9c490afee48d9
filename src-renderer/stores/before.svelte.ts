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
import type { App } from './app.ts'
import { KnownTable } from './known-rows.ts'
import type { OnScreen } from './known-rows.ts'

/** A table that is compared. */
type ComparedTable = {
  /** Of what is shown. */
  readonly query: TableQuery
  /** The days to compare with. */
  readonly before: DayRange
  /** What is compared of both at this moment. */
  readonly periods: Periods
  /** Whether the figures that are shown have all days of the query whole. */
  readonly isWhole: boolean
  readonly provenance: Pick<Provenance, 'missing' | 'fetchedAt'>
  readonly rowAt: OnScreen['rowAt']
}

const keyOf = ({ query, before }: ComparedTable): string => beforeKey(query, before)

const isSameQuestion = (one: ComparedTable, other: ComparedTable): boolean =>
  queryKey(one.query) === queryKey(other.query) && isSameRange(one.before, other.before)

const hasSameFigures = ({ provenance: one }: ComparedTable, { provenance: other }: ComparedTable): boolean =>
  one.fetchedAt === other.fetchedAt && one.missing.join() === other.missing.join()

const hasSameDays = (one: ComparedTable, other: ComparedTable): boolean =>
  one.isWhole === other.isWhole &&
  isSameRange(one.periods.now, other.periods.now) &&
  isSameRange(one.periods.before, other.periods.before)

/** What was answered, about which rows of which table. */
type Batch = {
  readonly labels: readonly string[]
  readonly table: ComparedTable
  readonly answer: BeforeAnswer
}

/**
 * What stood in the rows of a table over other days. It is asked for the rows that are on screen, block by block; a later
 * question wins over whatever an older one still brings.
 */
export class Before {
  /** Changes with everything that comes. */
  version = $state(0)
  asking = $state(false)
  failure = $state.raw<Failure | null>(null)
  /** Where the figures come from; null before there are any. */
  provenance = $state.raw<Provenance | null>(null)
  progress = $state.raw<JobProgress | null>(null)
  /** What is compared; null before that is known. */
  compared = $state.raw<ComparedFigures | null>(null)
  readonly #then = new KnownTable()
  /** What is compared with it where that is not what the table shows. */
  readonly #now = new KnownTable()
  #usesNow = false
  /** Over which days what is known was compared; what is known of others is no part of it. */
  #basis = ''
  #table: ComparedTable | null = null
  #screen: OnScreen = { first: 0, last: -1, rowAt: () => null }
  /** Rows to ask about next; null asks anew about those on screen, as an event does. */
  #next: readonly string[] | null = null
  #taken: Batch | null = null
  #query: QueryObserver<Batch> | null = null
  #counted: QueryObserver<JobProgress | null> | null = null
  readonly #app: Pick<App, 'bridge' | 'queries'>
  readonly #account: AccountId

  constructor(app: Pick<App, 'bridge' | 'queries'>, account: AccountId) {
    this.#app = app
    this.#account = account
  }

  /** Compares the rows of a table from now on. Until it is called there is nothing to compare, and columns of changes wait. */
  begin(table: ComparedTable): void {
    const last = this.#table
    const same = last !== null && isSameQuestion(last, table)
    // What stood before depends on the figures of now only where others are compared than are shown.
    const depends = this.#usesNow || !table.isWhole
    const otherDays =
      last !== null && (!hasSameDays(last, table) || (depends && !hasSameFigures(last, table)))
    const subject = last && keyOf(last)
    if (!same || otherDays) this.#giveUp()
    this.#table = table
    this.#screen = { ...this.#screen, rowAt: table.rowAt }
    if (subject !== keyOf(table)) this.#forget()
    else if (otherDays) this.#askAnew()
  }

  /** What stood in a row; undefined while that is not known, null where there was no such row. */
  readonly cellsOf = (row: TableRow): readonly Cell[] | null | undefined => this.#then.cellsOf(row)

  /** Where a header stands among the cells of before; -1 where it does not. */
  readonly placeOf = (header: string): number => this.#then.placeOf(header)

  /** What is compared of a row under a header: what is shown, or where other days are compared its count over those. */
  readonly nowOf = (row: TableRow, header: string, shown: Cell | undefined): Cell | undefined =>
    this.#usesNow ? this.#now.cellsOf(row)?.[this.#now.placeOf(header)] : shown

  /** Of how many days both sides are; null where that is not known. */
  get lengths(): Lengths | null {
    return this.compared && comparedLengths(this.compared.periods, this.compared.compared)
  }

  /** Tells which rows are on screen; the last included. */
  readonly want = (first: number, last: number): void => {
    this.#screen = { ...this.#screen, first, last }
    this.#askWanted()
  }

  /** Asks again for what could not be had. */
  again(): void {
    this.failure = null
    this.#askWanted()
  }

  /** Gives up waiting; what came already stays. */
  cancel(): void {
    this.#giveUp()
    this.failure = { kind: 'cancelled', message: 'You stopped waiting for the figures to compare with.' }
  }

  close(): void {
    this.#giveUp()
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

  /** What is asked ends with its observer. */
  #giveUp(): void {
    this.#query?.destroy()
    this.#counted?.destroy()
    this.#query = null
    this.#counted = null
    this.asking = false
    this.progress = null
  }

  /** Other days are compared: what is on screen is asked for anew, and stays until that comes. */
  #askAnew(): void {
    if (this.asking || this.failure?.kind === 'cancelled') return
    this.failure = null
    this.#ask(this.#shownAnew())
  }

  /** The rows on screen, all others forgotten. */
  #shownAnew(): readonly string[] {
    const shown = this.#then.rows.around(this.#screen)
    this.#then.rows.removeOthers(shown)
    this.#now.rows.removeOthers(shown)
    return shown
  }

  #askWanted(): void {
    if (this.asking || this.failure) return
    const labels = this.#then.rows.missing(this.#screen)
    if (labels.length > 0) this.#ask(labels)
  }

  #ask(labels: readonly string[]): void {
    const table = this.#table
    if (!table) return
    this.asking = true
    this.#next = labels
    if (this.#query) void this.#query.refetch()
    else this.#observe(table)
  }

  #observe(table: ComparedTable): void {
    const follow = notifyManager.batchCalls(() => this.#follow())
    this.#counted = new QueryObserver(this.#app.queries, progressOf(this.#account, keyOf(table)))
    this.#counted.subscribe(follow)
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
        const { query, before, isWhole } = compared
        const params = { account, query, before, isWhole, labels: [...labels], force: false }
        return { labels, table: compared, answer: await answerOf(bridge.call('reports/before', params)) }
      },
      staleTime: 0,
      gcTime: 0,
    })
  }

  /** Takes over how the query stands. */
  #follow(): void {
    if (!this.#query) return
    const { data, error, fetchStatus } = this.#query.getCurrentResult()
    this.asking = fetchStatus === 'fetching'
    this.progress = this.asking ? (this.#counted?.getCurrentResult().data ?? null) : null
    this.failure = this.asking ? null : (error?.failure ?? null)
    if (data && data !== this.#taken) {
      this.#taken = data
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
