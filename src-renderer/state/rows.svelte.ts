import type { DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { ReportAnswer } from '../../src-shared/reports/answer.ts'
import type { TableQuery } from '../../src-shared/reports/query.ts'
import { queryKey } from '../../src-shared/reports/query.ts'
import type { TableRow } from '../../src-shared/service/answers.ts'
import type { Failure } from '../../src-shared/service/failure.ts'
import { limits } from '../../src-shared/service/limits.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import { LatestBlocks } from './blocks.ts'

export type AnsweredTable = Extract<ReportAnswer, { kind: 'table' }>

const BLOCK = limits.rowsPerPage
/** Blocks that are kept at once, and those that are asked for at once. */
const KEPT = 12
const AT_ONCE = 2

/**
 * The rows of a whole table, however many: blocks of 1,000 are asked for where the list is looked at, and those looked at
 * least lately are let go. The first block is the answer that the view has asked for.
 */
export class WholeRows {
  /** How many rows there are. */
  count = $state(0)
  /** Changes with every block that comes. */
  version = $state(0)
  /** Why rows that were looked at could not be had. */
  failure = $state.raw<Failure | null>(null)
  readonly #bridge: DeskBridge
  readonly #account: AccountId
  readonly #outdated: () => void
  readonly #blocks = new LatestBlocks<readonly TableRow[]>(KEPT)
  /** What stood there before the answer was renewed: it stays until the new rows come. */
  readonly #older = new LatestBlocks<readonly TableRow[]>(KEPT)
  #asked: readonly number[] = []
  #query: TableQuery | null = null
  #answer: AnsweredTable | null = null
  #wanted: readonly number[] = []
  #turn = 0

  /** @param outdated called where a block shows that the table is no longer the one that was answered */
  constructor(bridge: DeskBridge, account: AccountId, outdated: () => void) {
    this.#bridge = bridge
    this.#account = account
    this.#outdated = outdated
  }

  /**
   * The list is that of this answer from now on; what an older question still brings is dropped. Where the same was asked
   * before, older rows stand in until the new ones come.
   */
  begin(answer: AnsweredTable): void {
    if (answer === this.#answer) return
    const same = this.#query !== null && queryKey(this.#query) === queryKey(answer.query)
    this.#turn += 1
    this.#asked = []
    this.failure = null
    if (!same) this.#older.clear()
    else for (const block of this.#wanted) this.#remember(block)
    this.#blocks.clear()
    this.#answer = answer
    this.#query = answer.query
    this.count = answer.figures.query.results
    this.#blocks.set(0, answer.figures.table.rows)
    this.version += 1
    if (same) this.#askWanted()
  }

  row(index: number): TableRow | null {
    const block = Math.floor(index / BLOCK)
    const rows = this.#blocks.peek(block) ?? this.#older.peek(block)
    return rows?.[index - block * BLOCK] ?? null
  }

  /** Tells which rows are looked at; the last included. */
  want(first: number, last: number): void {
    const from = Math.floor(first / BLOCK)
    const to = Math.floor(last / BLOCK)
    this.#wanted = from === to ? [from] : [from, to]
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

  #remember(block: number): void {
    const rows = this.#blocks.peek(block)
    if (rows) this.#older.set(block, rows)
  }

  /** Only what is looked at at this moment is asked for: whoever scrolls fast waits for no block passed by. */
  #askWanted(): void {
    if (this.failure) return
    for (const block of this.#wanted) {
      if (this.#asked.length >= AT_ONCE) return
      if (this.#blocks.peek(block) === undefined && !this.#asked.includes(block)) void this.#ask(block)
    }
  }

  async #ask(block: number): Promise<void> {
    const query = this.#query
    if (!query) return
    const turn = this.#turn
    this.#asked = [...this.#asked, block]
    const outcome = await this.#bridge.call('reports/ask', {
      account: this.#account,
      query: { ...query, whole: true, limit: BLOCK, page: block + 1 },
      byHand: false,
    })
    if (turn !== this.#turn) return
    this.#asked = this.#asked.filter((each) => each !== block)
    if (!outcome.ok) this.failure = outcome.failure
    else if (outcome.value.kind === 'table') this.#take(block, outcome.value)
    this.#askWanted()
  }

  #take(block: number, { figures }: AnsweredTable): void {
    this.#blocks.set(block, figures.table.rows)
    this.version += 1
    if (figures.query.results !== this.count) this.#outdated()
  }
}
