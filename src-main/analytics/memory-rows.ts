import {
  BIGINT,
  DATE,
  DOUBLE,
  DuckDBDateValue,
  DuckDBTableFunction,
  USMALLINT,
  VARCHAR,
} from '@duckdb/node-api'
import type { DayRange } from '#shared/values/day.ts'
import type { EngineDatabase } from './engine-database.ts'
import type { Value } from './statement.ts'

/** Rows that the engine takes at a time. */
export const chunkRows = 2048

const types = { BIGINT, DATE, DOUBLE, USMALLINT, VARCHAR }

/** A column of rows in memory. */
export type MemoryColumn<R> = {
  readonly name: string
  readonly type: keyof typeof types
  readonly value: (row: R) => Value
}

type Reading<R> = { readonly rows: readonly R[]; readonly columns: readonly MemoryColumn<R>[] }

/** Name of the engine's table function: `FROM rows_in_memory('0123456789abcdef')`. */
const inMemory = 'rows_in_memory'

/** Rows in memory that statements can read by name. */
export class MemoryRows<R> {
  readonly #readings = new Map<string, Reading<R>>()

  static async open<R>(database: EngineDatabase): Promise<MemoryRows<R>> {
    const memory = new MemoryRows<R>()
    await database.using((session) => Promise.resolve(session.register(memory.#reader())))
    return memory
  }

  /** @param name letters and digits only @returns the SQL after FROM */
  put(name: string, rows: readonly R[], columns: readonly MemoryColumn<R>[]): string {
    this.#readings.set(name, { rows, columns })
    return `${inMemory}('${name}')`
  }

  drop(name: string): void {
    this.#readings.delete(name)
  }

  #reading(name: string): Reading<R> {
    const found = this.#readings.get(name)
    if (!found) throw new RangeError('Nothing is staged under this name')
    return found
  }

  /** Table function. The engine calls it for the columns, then for chunks of rows until one is empty. */
  #reader(): DuckDBTableFunction {
    return DuckDBTableFunction.create({
      name: inMemory,
      parameterTypes: [VARCHAR],
      bindFunction: (binding) => {
        const name = String(binding.getParameter(0))
        const { rows, columns } = this.#reading(name)
        for (const column of columns) binding.addResultColumn(column.name, types[column.type])
        binding.setCardinality(rows.length, true)
        binding.setBindData({ name })
      },
      initFunction: (beginning) => {
        beginning.setInitData({ next: 0 })
        beginning.setMaxThreads(1)
      },
      mainFunction: (running, chunk) => {
        const { name } = running.bindData as { readonly name: string }
        const state = running.initData as { next: number }
        const { rows, columns } = this.#reading(name)
        const some = rows.slice(state.next, state.next + chunkRows)
        state.next += some.length
        chunk.rowCount = some.length
        if (some.length > 0) chunk.setColumns(columns.map(({ value }) => some.map(value)))
      },
    })
  }
}

const dayInMilliseconds = 86_400_000

/** Returns the first day of a range as a value of the engine. */
export const firstDay = ({ start }: DayRange): Value =>
  new DuckDBDateValue(Date.parse(start) / dayInMilliseconds)
