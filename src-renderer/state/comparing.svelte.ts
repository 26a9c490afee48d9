import type { DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { Provenance } from '../../src-shared/reports/answer.ts'
import type { TableQuery } from '../../src-shared/reports/query.ts'
import type { Cell, TableRow } from '../../src-shared/service/answers.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { Before } from './before.svelte.ts'

type Question = {
  readonly query: TableQuery
  readonly range: DayRange
  /** Of the figures that are shown. */
  readonly provenance: Provenance
  readonly rowAt: (index: number) => TableRow | null
}

const beginWith = (before: Before, { query, range, provenance, rowAt }: Question): void =>
  before.begin(query, range, provenance, rowAt)

/**
 * A table's comparison with other days, whether or not there is one. What asks for the figures (before.svelte.ts) is
 * loaded when something is compared for the first time; until then the columns of changes wait.
 */
export class Comparing {
  before = $state.raw<Before | null>(null)
  #question: Question | null = null
  #loading = false
  #closed = false
  readonly #bridge: DeskBridge
  readonly #account: AccountId

  constructor(bridge: DeskBridge, account: AccountId) {
    this.#bridge = bridge
    this.#account = account
  }

  /** Compares the rows of a table with those days from now on; null compares with nothing. */
  begin(question: Question | null): void {
    this.#question = question
    if (!question) return
    if (this.before) beginWith(this.before, question)
    else void this.#load()
  }

  get version(): number {
    return this.before?.version ?? 0
  }

  readonly of = (row: TableRow): readonly Cell[] | null | undefined => this.before?.of(row)

  readonly placeOf = (header: string): number => this.before?.placeOf(header) ?? -1

  readonly nowOf = (row: TableRow, header: string, shown: Cell | undefined): Cell | undefined =>
    this.before ? this.before.nowOf(row, header, shown) : shown

  readonly want = (first: number, last: number): void => this.before?.want(first, last)

  close(): void {
    this.#closed = true
    this.before?.close()
  }

  async #load(): Promise<void> {
    if (this.#loading) return
    this.#loading = true
    const { Before } = await import('./before.svelte.ts')
    if (this.#closed) return
    const before = new Before(this.#bridge, this.#account)
    if (this.#question) beginWith(before, this.#question)
    this.before = before
  }
}
