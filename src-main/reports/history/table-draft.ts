import type { TableId, TablePlace } from '#main/analytics/history-layout.ts'
import type { TableRow, Totals } from '#shared/api/answers.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { Composed, Doubt, Provisional } from '#shared/reports/answer.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { Engine } from '../engine/report-engine.ts'
import { newTableId } from '#main/analytics/history-layout.ts'

/** Says what an engine that fails means for figures that came. @throws DeskFailure */
export function savingFailed(error: unknown): never {
  const { kind } = failureOf(error)
  if (kind !== 'internal') throw error
  const message =
    'Figures came, but could not be saved: the engine that saves them failed. Days saved before stay. Try again; if it fails again, ask for fewer days, or filter.'
  throw new DeskFailure({ kind, message }, { cause: error })
}

/**
 * Rows of a table that go to the engine as they come: none are held here, so that a table may be of any size. It ends by being kept
 * (History.keep) or given up, and has to.
 */
export class TableDraft {
  readonly id: TableId = newTableId()
  readonly #engine: Pick<Engine, 'call'>
  readonly #over: () => void
  #rows = 0
  #isOver = false

  /** @param over hears once that it has ended */
  constructor(engine: Pick<Engine, 'call'>, over: () => void) {
    this.#engine = engine
    this.#over = over
  }

  /** How many rows have been added. */
  get rows(): number {
    return this.#rows
  }

  /**
   * Adds a page. Whoever waits for it keeps no more pages than he asks for at once.
   * @param columns how many cells follow each label
   * @throws DeskFailure where the engine or its disk refuse
   */
  async add(columns: number, rows: readonly TableRow[]): Promise<void> {
    this.#rows += rows.length
    await this.#engine.call('stage', { staging: this.id, columns, rows }).catch(savingFailed)
  }

  /** The engine has no more rows of it. */
  ended(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#over()
  }

  /** Lets its rows go; nothing happens where it has ended. */
  async discard(): Promise<void> {
    if (this.#isOver) return
    if (this.#rows > 0) await this.#engine.call('discard', this.id).catch(() => null)
    this.ended()
  }
}

/** A table to be kept, fetched as one. */
export type TableToStore = TablePlace & {
  readonly range: DayRange
  /** The label's first, without rates; none of an overview. */
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
  /** Page by page, or handed over as they came; null where totals alone are kept. */
  readonly rows: readonly (readonly TableRow[])[] | TableDraft | null
  readonly fetchedAt: Instant
  /** Why its rows do not add up; null where they do. */
  readonly doubt: Doubt | null
  /** How much of what it is composed of was asked; only of a composed table. */
  readonly composed?: Composed
  /** Under which check it was fetched; absent where no other is waited for. */
  readonly provisional?: Provisional
}

/** A table as it was fetched; whose it is and of which days is said when it is kept. */
export type FetchedTable = Omit<TableToStore, 'owner' | 'subject' | 'range'>
