import type { AskProgress, DeskBridge } from '#shared/bridge/calls.ts'
import type { BeforeAnswer, ComparedFigures, Provenance } from '#shared/reports/answer.ts'
import { comparedLengths, isSameRange } from '#shared/reports/compared-periods.ts'
import type { Lengths, Periods } from '#shared/reports/compared-periods.ts'
import { beforeKey, queryKey } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { KnownTable } from './known-rows.ts'
import type { OnScreen } from './known-rows.ts'

/** A table that is compared. */
export type ComparedTable = {
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
  #turn = 0
  readonly #bridge: DeskBridge
  readonly #account: AccountId
  readonly #stopListening: readonly (() => void)[]

  constructor(bridge: DeskBridge, account: AccountId) {
    this.#bridge = bridge
    this.#account = account
    const isOurs = (event: { readonly account: AccountId; readonly key: string }) =>
      event.account === account && this.#table !== null && event.key === keyOf(this.#table)
    this.#stopListening = [
      bridge.on('reports/progress', (progress) => {
        if (this.asking && isOurs(progress)) this.progress = progress
      }),
      bridge.on('reports/changed', (changed) => {
        if (isOurs(changed)) this.#askAnew()
      }),
    ]
  }

  /** Compares the rows of a table from now on. */
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
  readonly of = (row: TableRow): readonly Cell[] | null | undefined => this.#then.of(row)

  /** Where a header stands among the cells of before; -1 where it does not. */
  readonly placeOf = (header: string): number => this.#then.placeOf(header)

  /** What is compared of a row under a header: what is shown, or where other days are compared its count over those. */
  readonly nowOf = (row: TableRow, header: string, shown: Cell | undefined): Cell | undefined =>
    this.#usesNow ? this.#now.of(row)?.[this.#now.placeOf(header)] : shown

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
    this.#stopListening.forEach((stop) => stop())
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

  #giveUp(): void {
    this.#turn += 1
    if (this.asking && this.#table) {
      void this.#bridge.call('reports/cancel', { account: this.#account, key: keyOf(this.#table) })
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
    const table = this.#table
    if (!table) return
    this.#turn += 1
    const turn = this.#turn
    this.asking = true
    const { query, before, isWhole } = table
    const outcome = await this.#bridge.call('reports/before', {
      account: this.#account,
      ...{ query, before, isWhole, labels: [...labels], force: false },
    })
    if (turn !== this.#turn) return
    this.asking = false
    this.progress = null
    if (!outcome.ok) this.failure = outcome.failure
    else this.#take(labels, outcome.value, table)
    this.#askWanted()
  }

  #take(labels: readonly string[], answer: BeforeAnswer, { provenance: shown }: ComparedTable): void {
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
