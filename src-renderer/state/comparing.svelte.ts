import type { DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { TableQuery } from '../../src-shared/reports/query.ts'
import type { Cell, TableRow } from '../../src-shared/service/answers.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { Before } from './before.svelte.ts'

type Question = {
  readonly query: TableQuery
  readonly range: DayRange
  readonly rowAt: (index: number) => TableRow | null
}

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
  begin(query: TableQuery | null, range: DayRange | null, rowAt: Question['rowAt']): void {
    this.#question = query && range ? { query, range, rowAt } : null
    if (!this.#question) return
    if (this.before) this.before.begin(this.#question.query, this.#question.range, rowAt)
    else void this.#load()
  }

  get version(): number {
    return this.before?.version ?? 0
  }

  readonly of = (row: TableRow): readonly Cell[] | null | undefined => this.before?.of(row)

  readonly placeOf = (header: string): number => this.before?.placeOf(header) ?? -1

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
    const { query, range, rowAt } = this.#question ?? {}
    if (query && range && rowAt) before.begin(query, range, rowAt)
    this.before = before
  }
}
