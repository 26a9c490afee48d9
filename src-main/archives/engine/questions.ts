import type { DuckDBValue } from '@duckdb/node-api'
import { badResults } from '#shared/archives/question.ts'
import type { RowsCondition } from '#shared/archives/question.ts'
import { Statement } from '#main/reports/engine/questions.ts'
import type { RowsEntry } from '../../analytics/rows-layout.ts'
import { whereOf, Relation } from './relation.ts'
import { shiftsOf } from './time.ts'
import type { Shift } from './time.ts'
import { cancelled } from '#main/lib/async.ts'
import type { EngineDatabase } from '#main/analytics/database.ts'

/** Where files of rows lie, and the engine that reads them. */
export type Reading = {
  readonly rows: (sql: string, bound: Statement['bound']) => Promise<readonly (readonly DuckDBValue[])[]>
  readonly placeOf: (file: RowsEntry) => string
}

/** A question that is being put into a statement. */
export class Question {
  readonly statement = new Statement()
  readonly relation: Relation
  readonly #where: string

  constructor(
    files: readonly RowsEntry[],
    conditions: readonly RowsCondition[],
    placeOf: Reading['placeOf'],
  ) {
    this.relation = new Relation(files, placeOf, this.statement.bind)
    this.#where = whereOf(conditions, this.relation, this.statement.bind)
  }

  /** The rows that are found. Every column that a statement names has to be asked for before. */
  found(): string {
    return `${this.relation.from()} WHERE ${this.#where}`
  }

  /** Whether a row is bad; undefined where no column says so. */
  bad(): string | undefined {
    const result = this.relation.standard('result')
    if (result === undefined) return undefined
    return `${this.relation.slot(result).text} IN (${badResults.map(this.statement.bind).join(', ')})`
  }

  /** The result of a row, empty where it has none. */
  result(): string {
    const result = this.relation.standard('result')
    return result === undefined ? `''` : `coalesce(${this.relation.slot(result).text}, '')`
  }
}

/** How a zone shifts over the moments of these files. */
export function shiftsOver(files: readonly RowsEntry[], zone: string): readonly Shift[] {
  const moments: readonly number[] = files.flatMap(({ first, last }) =>
    [first, last].flatMap((item) => item ?? []),
  )
  if (moments.length === 0) return shiftsOf('UTC', 0, 0)
  const first = moments.reduce((a, b) => Math.min(a, b))
  return shiftsOf(
    zone,
    first,
    moments.reduce((a, b) => Math.max(a, b)),
  )
}

export const countFrom = (value: DuckDBValue | undefined): number => Number(value ?? 0)
export const textFrom = (value: DuckDBValue | undefined): string => (typeof value === 'string' ? value : '')

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
