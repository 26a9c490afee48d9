import type { Lengths } from '#shared/reports/change.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { App } from './app.ts'
import type { Before, ComparedTable } from './before.svelte.ts'

/**
 * A table's comparison with other days, whether or not there is one. What asks for the figures (before.svelte.ts) is
 * loaded when something is compared for the first time; until then the columns of changes wait.
 */
export class Comparing {
  before = $state.raw<Before | null>(null)
  #table: ComparedTable | null = null
  #loading = false
  #closed = false
  readonly #app: Pick<App, 'bridge' | 'queries'>
  readonly #account: AccountId

  constructor(app: Pick<App, 'bridge' | 'queries'>, account: AccountId) {
    this.#app = app
    this.#account = account
  }

  /** Compares the rows of a table from now on; null compares with nothing. */
  begin(table: ComparedTable | null): void {
    this.#table = table
    if (!table) return
    if (this.before) this.before.begin(table)
    else void this.#load()
  }

  get version(): number {
    return this.before?.version ?? 0
  }

  readonly cellsOf = (row: TableRow): readonly Cell[] | null | undefined => this.before?.cellsOf(row)

  readonly placeOf = (header: string): number => this.before?.placeOf(header) ?? -1

  readonly nowOf = (row: TableRow, header: string, shown: Cell | undefined): Cell | undefined =>
    this.before ? this.before.nowOf(row, header, shown) : shown

  get lengths(): Lengths | null {
    return this.before?.lengths ?? null
  }

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
    const before = new Before(this.#app, this.#account)
    if (this.#table) before.begin(this.#table)
    this.before = before
  }
}
