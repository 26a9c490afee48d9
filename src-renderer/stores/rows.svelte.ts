import { untrack } from 'svelte'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { TableReport } from '#shared/reports/answer.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { queryKey } from '#shared/reports/query.ts'
import type { TableRow } from '#shared/api/answers.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { LatestBlocks } from './blocks.ts'

/** Maximum of cached blocks, and of concurrent requests. */
const MAX_BLOCKS = 12
const MAX_PENDING = 2
/** Prefetch distance, in scroll steps: how far scrolling gets before a block requested now arrives. */
const STEPS_AHEAD = 6
/** In blocks. A longer step is a jump and prefetches nothing. */
const LONGEST_STEP = 2

/** A list with its number of rows and its first block. */
type BegunList<Q> = {
  readonly query: Q
  /** Equal for two lists of the same rows in the same order. */
  readonly key: string
  readonly count: number
  readonly rows: readonly TableRow[]
  /** Identifies a state of the list; left out if the list never changes. */
  readonly moment?: string
}

/** A block, with the number of rows and the state of the list when it was read. */
type Block = Pick<BegunList<unknown>, 'rows' | 'count' | 'moment'>

type AskBlock<Q> = (
  query: Q,
  /** First row of the block, from 0, and the number of rows. */
  first: number,
  rows: number,
) => Promise<Outcome<Block | null>>

/**
 * Rows of a list of any length. Blocks are requested for the visible rows and in scroll direction, and cached by last use.
 * The first block comes with the list.
 */
export class LongRows<Q> {
  count = $state(0)
  /** Changes with every new list, and with every block that becomes visible. */
  version = $state(0)
  /** Why visible rows could not be loaded. */
  failure = $state.raw<Failure | null>(null)
  readonly #askBlock: AskBlock<Q>
  readonly #outdated: () => void
  readonly #block: number
  readonly #blocks = new LatestBlocks<readonly TableRow[]>(MAX_BLOCKS)
  /** Rows of the previous answer, shown until the new ones arrive. */
  readonly #older = new LatestBlocks<readonly TableRow[]>(MAX_BLOCKS)
  #pendingBlocks: readonly number[] = []
  #list: BegunList<Q> | null = null
  /** Visible blocks, and those blocks with the prefetched ones. */
  #visible: readonly number[] = []
  #wantedBlocks: readonly number[] = []
  /** First visible row, and its distance from the previous one. */
  #first = 0
  #step = 0
  #turn = 0

  /**
   * @param outdated called when a block shows that the list has changed since `start`
   * @param block rows per request, as many as the first block has
   */
  constructor(askBlock: AskBlock<Q>, outdated: () => void, block: number = limits.rowsPerPage) {
    this.#askBlock = askBlock
    this.#outdated = outdated
    this.#block = block
  }

  /** Starts a list and discards the blocks of an earlier one. With the same key, older rows stay until new ones arrive. */
  start(list: BegunList<Q>): void {
    // Effects call this: they must depend on the list only, not on the state of this class.
    untrack(() => this.#start(list))
  }

  #start(list: BegunList<Q>): void {
    const same = this.#list?.key === list.key
    this.#turn += 1
    this.#pendingBlocks = []
    this.#step = 0
    this.failure = null
    if (!same) this.#older.clear()
    else for (const block of this.#wantedBlocks) this.#remember(block)
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

  /** Reports the visible rows; `last` is included. */
  want(first: number, last: number): void {
    if (first !== this.#first) this.#step = first - this.#first
    this.#first = first
    this.#visible = this.#blocksIn(first, last)
    const ahead = this.#blocksAhead(first, last).filter((block) => !this.#visible.includes(block))
    this.#wantedBlocks = [...this.#visible, ...ahead]
    for (const block of this.#wantedBlocks) this.#blocks.get(block)
    this.#askWanted()
  }

  /** Retries after a failure. */
  again(): void {
    this.failure = null
    this.#askWanted()
  }

  close(): void {
    this.#turn += 1
  }

  /** Blocks in scroll direction, the nearest first. */
  #blocksAhead(first: number, last: number): number[] {
    const way = Math.abs(this.#step) > LONGEST_STEP * this.#block ? 0 : this.#step * STEPS_AHEAD
    if (way < 0) return this.#blocksIn(Math.max(0, first + way), first).reverse()
    return this.#blocksIn(last, Math.min(this.count - 1, last + way))
  }

  /** Blocks that contain a range of rows, both ends included. */
  #blocksIn(first: number, last: number): number[] {
    const from = Math.floor(first / this.#block)
    return Array.from({ length: Math.floor(last / this.#block) - from + 1 }, (_, index) => from + index)
  }

  #remember(block: number): void {
    const rows = this.#blocks.peek(block)
    if (rows) this.#older.set(block, rows)
  }

  /** Requests only blocks that are visible or next. Fast scrolling does not wait for blocks it has passed. */
  #askWanted(): void {
    if (this.failure) return
    for (const block of this.#wantedBlocks) {
      if (this.#pendingBlocks.length >= MAX_PENDING) return
      if (this.#blocks.peek(block) === undefined && !this.#pendingBlocks.includes(block))
        void this.#ask(block)
    }
  }

  async #ask(block: number): Promise<void> {
    const list = this.#list
    if (!list) return
    const turn = this.#turn
    this.#pendingBlocks = [...this.#pendingBlocks, block]
    const outcome = await this.#askBlock(list.query, block * this.#block, this.#block)
    if (turn !== this.#turn) return
    this.#pendingBlocks = this.#pendingBlocks.filter((value) => value !== block)
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

/** Rows of a whole table of the service. The first block is the view's own answer. */
export class WholeRows extends LongRows<TableQuery> {
  #answer: TableReport | null = null

  /** @param outdated called when a block shows that the table has changed since the answer */
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

  begin(answer: TableReport): void {
    if (answer === this.#answer) return
    this.#answer = answer
    this.start({ query: answer.query, key: queryKey(answer.query), ...blockOf(answer) })
  }
}

const blockOf = ({ figures, provenance: { fetchedAt, ages, missing } }: TableReport): Block => ({
  rows: figures.table.rows,
  count: figures.query.results,
  moment: JSON.stringify([fetchedAt, ages, missing]),
})
