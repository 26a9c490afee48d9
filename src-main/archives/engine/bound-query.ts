import { badResults } from '#shared/archives/rows.ts'
import type { RowsCondition } from '#shared/archives/rows.ts'
import { Statement } from '#main/analytics/statement.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { whereOf, Relation } from './relation.ts'
import { shiftsOf } from './time.ts'
import type { Shift } from './time.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'

/** The engine that reads rows, and the paths of rows files. */
export type Reading = {
  readonly database: EngineDatabase
  readonly placeOf: (file: RowsEntry) => string
}

const watchIntervalMs = 250

/** Builds the SQL of a query and runs statements with its bindings. */
export class BoundQuery {
  readonly statement = new Statement()
  readonly relation: Relation
  readonly #database: EngineDatabase
  readonly #where: string

  constructor(
    files: readonly RowsEntry[],
    conditions: readonly RowsCondition[],
    { database, placeOf }: Reading,
  ) {
    this.#database = database
    this.relation = new Relation(files, placeOf, this.statement.bind)
    this.#where = whereOf(conditions, this.relation, this.statement.bind)
  }

  /** Runs a statement with the bindings of this query. */
  rows(sql: string): ReturnType<EngineDatabase['rows']> {
    return this.#database.rows(sql, this.statement.bound)
  }

  /** Runs a long statement and returns its columns. @param watch called every 250 ms with the progress in per cent */
  columns(sql: string, watch: (percentage: number) => void): ReturnType<EngineDatabase['columns']> {
    return this.#database.using(async (session) => {
      const watching = setInterval(() => watch(Math.max(0, session.percentage)), watchIntervalMs)
      return await session.columns(sql, this.statement.bound).finally(() => clearInterval(watching))
    })
  }

  /** SQL of the rows that match. Columns must be requested before this call. */
  found(): string {
    return `${this.relation.from()} WHERE ${this.#where}`
  }

  /** SQL that tests for a bad row; undefined without a result column. */
  bad(): string | undefined {
    const result = this.relation.standard('result')
    if (result === undefined) return undefined
    return `${this.relation.slot(result).text} IN (${badResults.map(this.statement.bind).join(', ')})`
  }

  /** SQL of a row's result; empty if the row has none. */
  result(): string {
    const result = this.relation.standard('result')
    return result === undefined ? `''` : `coalesce(${this.relation.slot(result).text}, '')`
  }
}

/** Returns the offsets of a zone over the time range of these files. */
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
