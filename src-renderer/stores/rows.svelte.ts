import { untrack } from 'svelte'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { queryKey } from '#shared/reports/query.ts'
import type { TableRow } from '#shared/api/answers.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { LatestBlocks } from './blocks.ts'

export type TableAnswer = Extract<ReportAnswer, { kind: 'table' }>

/** Blocks that are kept at once, and those that are asked for at once. */
const MAX_BLOCKS = 12
const MAX_PENDING = 2
/** Whoever scrolls comes to what lies so many steps further, by the time that a block asked for now is there. */
const STEPS_AHEAD = 6
/** A way of more blocks in one step is a jump: nobody goes on by as much. */
const LONGEST_STEP = 2

/** A list that was begun: what it is the rows of, how many there are, and the first of them. */
type BegunList<Q> = {
  readonly query: Q
  /** The same for two lists of the same rows in the same order. */
  readonly key: string
  readonly count: number
  readonly rows: readonly TableRow[]
  /** What tells one state of the list from another with as many rows; left out where it never changes. */
  readonly moment?: string
}

/** A block of a list, and how many rows the list has by then, in which state. */
type Block = Pick<BegunList<unknown>, 'rows' | 'count' | 'moment'>

type AskBlock<Q> = (
  query: Q,
  /** The first row of the block, from 0, and how many are wanted. */
  first: number,
  rows: number,
) => Promise<Outcome<Block | null>>

/**
 * The rows of a list, however many: blocks are asked for where the list is looked at and where the scrolling leads, and those
 * looked at least lately are let go. The first block comes with its beginning.
 */
export class LongRows<Q> {
  /** How many rows there are. */
  count = $state(0)
  /** Changes with every block that comes where the list is looked at. */
  version = $state(0)
  /** Why rows that were looked at could not be had. */
  failure = $state.raw<Failure | null>(null)
  readonly #askBlock: AskBlock<Q>
  readonly #outdated: () => void
  readonly #block: number
  readonly #blocks = new LatestBlocks<readonly TableRow[]>(MAX_BLOCKS)
  /** What stood there before the answer was renewed: it stays until the new rows come. */
  readonly #older = new LatestBlocks<readonly TableRow[]>(MAX_BLOCKS)
  #pending: readonly number[] = []
  #list: BegunList<Q> | null = null
  /** The blocks that are looked at, and with them those that the scrolling leads to. */
  #visible: readonly number[] = []
  #wanted: readonly number[] = []
  /** The first of the rows looked at, and how far it was from the one before. */
  #first = 0
  #step = 0
  #turn = 0

  /**
   * @param outdated called where a block shows that the list is no longer the one that was begun
   * @param block how many rows are asked for at a time: as many as it begins with
   */
  constructor(askBlock: AskBlock<Q>, outdated: () => void, block: number = limits.rowsPerPage) {
    this.#askBlock = askBlock
    this.#outdated = outdated
    this.#block = block
  }

  /**
   * The rows are those of this list from now on; what an older question still brings is dropped. Where the same was begun
   * before, older rows stand in until the new ones come.
   */
  start(list: BegunList<Q>): void {
    // Effects call it: they depend on the list, and on nothing of this.
    untrack(() => this.#start(list))
  }

  #start(list: BegunList<Q>): void {
    const same = this.#list?.key === list.key
    this.#turn += 1
    this.#pending = []
    this.#step = 0
    this.failure = null
    if (!same) this.#older.clear()
    else for (const block of this.#wanted) this.#remember(block)
    this.#blocks.clear()
    this.#list = list
    this.count = list.count
    this.#blocks.set(0, list.rows)
    this.version += 1
    if (same) this.#askWanted()
  }

  row(index: number): TableRow | null {
    const block = Math.floor(index / this.#block)
    const rows = this.#blocks.peek(block) ?? this.#older.peek(block)
    return rows?.[index - block * this.#block] ?? null
  }

  /** Tells which rows are looked at; the last included. */
  want(first: number, last: number): void {
    if (first !== this.#first) this.#step = first - this.#first
    this.#first = first
    this.#visible = this.#blocksIn(first, last)
    const ahead = this.#blocksAhead(first, last).filter((block) => !this.#visible.includes(block))
    this.#wanted = [...this.#visible, ...ahead]
    for (const block of this.#wanted) this.#blocks.get(block)
    this.#askWanted()
  }

  /** Asks again for what could not be had. */
  again(): void {
    this.failure = null
    this.#askWanted()
  }

  close(): void {
    this.#turn += 1
  }

  /** Those that the scrolling leads to, the nearest first. */
  #blocksAhead(first: number, last: number): number[] {
    const way = Math.abs(this.#step) > LONGEST_STEP * this.#block ? 0 : this.#step * STEPS_AHEAD
    if (way < 0) return this.#blocksIn(Math.max(0, first + way), first).reverse()
    return this.#blocksIn(last, Math.min(this.count - 1, last + way))
  }

  /** The blocks in which rows lie, ends included. */
  #blocksIn(first: number, last: number): number[] {
    const from = Math.floor(first / this.#block)
    return Array.from({ length: Math.floor(last / this.#block) - from + 1 }, (_, index) => from + index)
  }

  #remember(block: number): void {
    const rows = this.#blocks.peek(block)
    if (rows) this.#older.set(block, rows)
  }

  /** Only what is looked at at this moment, or next, is asked for: whoever scrolls fast waits for no block passed by. */
  #askWanted(): void {
    if (this.failure) return
    for (const block of this.#wanted) {
      if (this.#pending.length >= MAX_PENDING) return
      if (this.#blocks.peek(block) === undefined && !this.#pending.includes(block)) void this.#ask(block)
    }
  }

  async #ask(block: number): Promise<void> {
    const list = this.#list
    if (!list) return
    const turn = this.#turn
    this.#pending = [...this.#pending, block]
    const outcome = await this.#askBlock(list.query, block * this.#block, this.#block)
    if (turn !== this.#turn) return
    this.#pending = this.#pending.filter((value) => value !== block)
    if (!outcome.ok) this.failure = outcome.failure
    else if (outcome.value) this.#take(block, outcome.value)
    this.#askWanted()
  }

  #take(block: number, { rows, count, moment }: Block): void {
    this.#blocks.set(block, rows)
    if (this.#visible.includes(block)) this.version += 1
    if (count !== this.count || moment !== this.#list?.moment) this.#outdated()
  }
}

/** The rows of a whole table of the service's, of which the first block is the answer that the view has asked for. */
export class WholeRows extends LongRows<TableQuery> {
  #answer: TableAnswer | null = null

  /** @param outdated called where a block shows that the table is no longer the one that was answered */
  constructor(bridge: DeskBridge, account: AccountId, outdated: () => void) {
    super(async (query, first, rows) => {
      const outcome = await bridge.call('reports/ask', {
        account,
        query: { ...query, whole: true, limit: rows, page: first / rows + 1 },
        force: false,
      })
      if (!outcome.ok) return outcome
      return { ok: true, value: outcome.value.kind === 'table' ? blockOf(outcome.value) : null }
    }, outdated)
  }

  /** The list is that of this answer from now on. */
  begin(answer: TableAnswer): void {
    if (answer === this.#answer) return
    this.#answer = answer
    this.start({ query: answer.query, key: queryKey(answer.query), ...blockOf(answer) })
  }
}

const blockOf = ({ figures, provenance: { fetchedAt, ages, missing } }: TableAnswer): Block => ({
  rows: figures.table.rows,
  count: figures.query.results,
  moment: JSON.stringify([fetchedAt, ages, missing]),
})
