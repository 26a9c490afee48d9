import type { DuckDBConnection } from '@duckdb/node-api'
import { cancelled } from '../../lib/waiting.ts'
import type { EngineDatabase } from '../../figures/engine/database.ts'
import type { Reading } from './questions.ts'

type Asking = { isOver: boolean; connection: DuckDBConnection | null }

/** Questions that are being answered, so that they can be given up: one under each key. */
export class Askings {
  readonly #running = new Map<string, Asking>()

  /** Gives up what is asked under a key. */
  cancel(key: string): void {
    const asking = this.#running.get(key)
    if (!asking) return
    asking.isOver = true
    asking.connection?.interrupt()
    this.#running.delete(key)
  }

  /** Answers a question; what was asked under its key before is given up. @throws DeskFailure `cancelled` */
  async run<A>(
    key: string | null,
    database: EngineDatabase,
    placeOf: Reading['placeOf'],
    work: (reading: Reading) => Promise<A>,
  ): Promise<A> {
    if (key !== null) this.cancel(key)
    const asking: Asking = { isOver: false, connection: null }
    if (key !== null) this.#running.set(key, asking)
    const throwIfOver = () => {
      if (asking.isOver) throw cancelled()
    }
    const rows: Reading['rows'] = (sql, bound) =>
      database.using(async (connection) => {
        throwIfOver()
        asking.connection = connection
        try {
          const used = new Set(sql.match(/\$\w+/g)?.map((name) => name.slice(1)))
          const mentioned = Object.fromEntries(Object.entries(bound).filter(([name]) => used.has(name)))
          return (await connection.runAndReadAll(sql, mentioned)).getRows()
        } finally {
          asking.connection = null
        }
      })
    try {
      return await work({ rows, placeOf })
    } catch (error) {
      throwIfOver()
      throw error
    } finally {
      if (key !== null && this.#running.get(key) === asking) this.#running.delete(key)
    }
  }
}
