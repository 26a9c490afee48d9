import type { AskProgress, DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { BeforeAnswer, ComparedDays, PairedAnswer, Provenance } from '../../src-shared/reports/answer.ts'
import { beforeKey, queryKey } from '../../src-shared/reports/query.ts'
import type { TableQuery } from '../../src-shared/reports/query.ts'
import type { Cell, TableRow } from '../../src-shared/service/answers.ts'
import type { Failure } from '../../src-shared/service/failure.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import { KnownTable } from './known-rows.ts'
import type { OnScreen } from './known-rows.ts'

/** The days that a table shows, those of them that its figures lack, and how old they are. */
type ShownDays = { readonly range: DayRange } & Pick<Provenance, 'missing' | 'fetchedAt'>

const isSame = (one: ShownDays, other: ShownDays): boolean =>
  one.range.start === other.range.start &&
  one.range.end === other.range.end &&
  one.fetchedAt === other.fetchedAt &&
  one.missing.join() === other.missing.join()

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
  /** The days that are compared, where some of either period are missing; null where all are there. */
  compared = $state.raw<ComparedDays | null>(null)
  readonly #then = new KnownTable()
  /** What is compared with it where days are missing: not what the table shows. */
  readonly #now = new KnownTable()
  /** Over which days what is known was compared; what is known of others is no part of it. */
  #basis = 'whole'
  #query: TableQuery | null = null
  /** The days that the table shows, and those of them that are missing. */
  #shown: ShownDays | null = null
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
   * @param provenance of the figures that are shown
   */
  begin(query: TableQuery, range: DayRange, provenance: Provenance, rowAt: OnScreen['rowAt']): void {
    const asked: TableQuery = { ...query, range }
    const subject = this.#query && beforeKey(this.#query)
    const same = this.#query !== null && queryKey(this.#query) === queryKey(asked)
    const shown = { range: query.range, missing: provenance.missing, fetchedAt: provenance.fetchedAt }
    // Whole periods are compared as they are: what stood before does not depend on the figures of now.
    const depends = this.compared !== null || shown.missing.length > 0
    const otherDays = this.#shown !== null && depends && !isSame(this.#shown, shown)
    this.#query = asked
    this.#shown = shown
    this.#screen = { ...this.#screen, rowAt }
    if (!same || otherDays) this.#giveUp()
    if (subject !== beforeKey(asked)) this.#forget()
    else if (otherDays) this.#askAnew()
  }

  /** What stood in a row; undefined while that is not known, null where there was no such row. */
  readonly of = (row: TableRow): readonly Cell[] | null | undefined => this.#then.of(row)

  /** Where a header stands among the cells of before; -1 where it does not. */
  readonly placeOf = (header: string): number => this.#then.placeOf(header)

  /** What is compared of a row under a header: what is shown, or where days are missing its count over the days kept of both. */
  readonly nowOf = (row: TableRow, header: string, shown: Cell | undefined): Cell | undefined =>
    this.compared ? this.#now.of(row)?.[this.#now.placeOf(header)] : shown

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
    this.#then.clear()
    this.#now.clear()
    this.compared = null
    this.#basis = 'whole'
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
    const shown = this.#then.rows.around(this.#screen)
    this.#then.rows.keepOnly(shown)
    this.#now.rows.keepOnly(shown)
    void this.#ask(shown)
  }

  #askWanted(): void {
    if (this.asking || this.failure) return
    const labels = this.#then.rows.lacking(this.#screen)
    if (labels.length > 0) void this.#ask(labels)
  }

  async #ask(labels: readonly string[]): Promise<void> {
    const [query, shown] = [this.#query, this.#shown]
    if (!query || !shown) return
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
    const lacks = outcome.ok && shown.missing.length + outcome.value.provenance.missing.length > 0
    const paired = lacks ? await this.#askPaired(query, shown, labels) : null
    if (turn !== this.#turn) return
    this.asking = false
    this.progress = null
    if (!outcome.ok) this.failure = outcome.failure
    else if (!paired) this.#take(labels, outcome.value, null, 'whole')
    else if (paired.ok) {
      const basis = JSON.stringify([shown, outcome.value.provenance.missing, paired.value.compared])
      this.#take(labels, outcome.value, paired.value, basis)
    } else this.failure = paired.failure
    // The table became another while it was asked.
    if (paired && this.#shown && !isSame(this.#shown, shown)) this.#askAnew()
    else this.#askWanted()
  }

  /** Where days are missing the rows are compared over those that are kept of both. */
  #askPaired(query: TableQuery, { range }: ShownDays, labels: readonly string[]) {
    return this.#bridge.call('reports/paired', {
      account: this.#account,
      query: { ...query, range },
      before: query.range,
      labels: [...labels],
    })
  }

  #take(labels: readonly string[], answer: BeforeAnswer, paired: PairedAnswer | null, basis: string): void {
    if (basis !== this.#basis) {
      this.#then.clear()
      this.#now.clear()
    }
    this.#basis = basis
    this.provenance = answer.provenance
    this.compared = paired?.compared ?? null
    const nothing = { headers: [], all: [], rows: labels.map(() => []) }
    this.#then.take(labels, paired ? (paired.sides?.before.rows ?? nothing) : answer)
    this.#now.take(labels, paired?.sides?.now.rows ?? nothing)
    this.version += 1
  }
}
