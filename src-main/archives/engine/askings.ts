import { cancelled } from '#main/lib/async.ts'
import type { EngineDatabase } from '#main/reports/engine/database.ts'
import type { Reading } from './questions.ts'

/** Questions that are being answered, so that they can be given up: one under each key. */
export class Askings {
  readonly #running = new Map<string, AbortController>()

  /** Gives up what is asked under a key. */
  cancel(key: string): void {
    this.#running.get(key)?.abort()
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
    const controller = new AbortController()
    const { signal } = controller
    if (key !== null) this.#running.set(key, controller)
    const rows: Reading['rows'] = (sql, bound) =>
      database.using(async (connection) => {
        const used = new Set(sql.match(/\$\w+/g)?.map((name) => name.slice(1)))
        const mentioned = Object.fromEntries(Object.entries(bound).filter(([name]) => used.has(name)))
        return (await connection.runAndReadAll(sql, mentioned)).getRows()
      }, signal)
    try {
      return await work({ rows, placeOf })
    } catch (error) {
      throw signal.aborted ? cancelled() : error
    } finally {
      if (key !== null && this.#running.get(key) === controller) this.#running.delete(key)
    }
  }
}
