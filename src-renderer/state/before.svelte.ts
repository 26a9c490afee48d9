import type { AskProgress, DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { BeforeAnswer, Provenance } from '../../src-shared/reports/answer.ts'
import { beforeKey } from '../../src-shared/reports/asking.ts'
import type { TableQuery } from '../../src-shared/reports/query.ts'
import { queryKey } from '../../src-shared/reports/query.ts'
import type { Cell, TableRow } from '../../src-shared/service/answers.ts'
import type { Failure } from '../../src-shared/service/failure.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import { KnownRows } from './known-rows.ts'
import type { OnScreen } from './known-rows.ts'

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
  progress = $state.raw<AskProgress | null>(null)
  /** The cells of the row for all. */
  #all: readonly Cell[] | null | undefined = undefined
  #headers: readonly string[] = []
  readonly #known = new KnownRows()
  #query: TableQuery | null = null
  #screen: OnScreen = { first: 0, last: -1, rowAt: () => null }
  #turn = 0
  readonly #bridge: DeskBridge
  readonly #account: AccountId
  readonly #stopListening: readonly (() => void)[]

  constructor(bridge: DeskBridge, account: AccountId) {
    this.#bridge = bridge
    this.#account = account
    const isOurs = (event: { readonly account: AccountId; readonly key: string }) =>
      event.account === account && this.#query !== null && event.key === beforeKey(this.#query)
    this.#stopListening = [
      bridge.on('reports/progress', (progress) => {
        if (this.asking && isOurs(progress)) this.progress = progress
      }),
      bridge.on('reports/changed', (changed) => {
        if (isOurs(changed)) this.#askAnew()
      }),
    ]
  }

  /**
   * Compares the rows of a table from now on.
   * @param query of the table that is shown
   * @param range the days to compare with
   */
  begin(query: TableQuery, range: DayRange, rowAt: OnScreen['rowAt']): void {
    const asked: TableQuery = { ...query, range }
    const subject = this.#query && beforeKey(this.#query)
    const same = this.#query !== null && queryKey(this.#query) === queryKey(asked)
    this.#query = asked
    this.#screen = { ...this.#screen, rowAt }
    if (!same) this.#giveUp()
    if (subject !== beforeKey(asked)) this.#forget()
  }

  /** What stood in a row; undefined while that is not known, null where there was no such row. */
  readonly of = (row: TableRow): readonly Cell[] | null | undefined =>
    row.label.kind === 'all' ? this.#all : this.#known.of(row)

  /** Where a header stands among the cells of before; -1 where it does not. */
  readonly placeOf = (header: string): number => this.#headers.indexOf(header, 1) - 1

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
    this.#stopListening.forEach((stop) => stop())
  }

  #forget(): void {
    this.#known.clear()
    this.#all = undefined
    this.#headers = []
    this.provenance = null
    this.failure = null
    this.version += 1
  }

  #giveUp(): void {
    this.#turn += 1
    if (this.asking && this.#query) {
      void this.#bridge.call('reports/cancel', { account: this.#account, key: beforeKey(this.#query) })
    }
    this.asking = false
    this.progress = null
  }

  /** The figures of before have changed: what is on screen is asked for anew, and stays until that comes. */
  #askAnew(): void {
    if (this.asking || this.failure?.kind === 'cancelled') return
    this.failure = null
    const shown = this.#known.around(this.#screen)
    this.#known.keepOnly(shown)
    void this.#ask(shown)
  }

  #askWanted(): void {
    if (this.asking || this.failure) return
    const labels = this.#known.lacking(this.#screen)
    if (labels.length > 0) void this.#ask(labels)
  }

  async #ask(labels: readonly string[]): Promise<void> {
    const query = this.#query
    if (!query) return
    this.#turn += 1
    const turn = this.#turn
    this.asking = true
    const outcome = await this.#bridge.call('reports/before', {
      account: this.#account,
      query,
      labels: [...labels],
      byHand: false,
    })
    if (turn !== this.#turn) return
    this.asking = false
    this.progress = null
    if (outcome.ok) this.#take(labels, outcome.value)
    else this.failure = outcome.failure
    this.#askWanted()
  }

  #take(labels: readonly string[], answer: BeforeAnswer): void {
    this.#headers = answer.headers
    this.#all = answer.all
    this.provenance = answer.provenance
    this.#known.take(labels, answer.rows)
    this.version += 1
  }
}
