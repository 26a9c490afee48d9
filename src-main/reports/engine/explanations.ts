import { explain } from '#shared/reports/explain.ts'
import type { ExplainedSide, ExplainedValue, Explanation } from '#shared/reports/explain.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import { numberFrom, Statement } from '#main/analytics/statement.ts'
import { joinedRows } from './comparisons.ts'
import { sumOf } from './sums.ts'
import type { LocatedTable } from './sums.ts'
import { labelFrom } from './table-answers.ts'
import type { ExplainParams } from './table-calls.ts'

type How = Omit<ExplainParams, 'tables' | 'before'>

/** Explains the change between two sums of one subject by their rows. @returns null if the count or its rate is unknown */
export async function explanationFrom(
  database: EngineDatabase,
  now: readonly LocatedTable[],
  before: readonly LocatedTable[],
  { query, header, base, ...how }: How,
): Promise<Explanation | null> {
  const { bound, bind } = new Statement()
  // Of equal rows, the explanation names the first ones by name.
  const sql = `WITH ${joinedRows({ now, before, query, headers: [header, base] }, bind)}
    SELECT kind, label, id, n0, n1, b0, b1 FROM joined ORDER BY name, id`
  const [kinds = [], labels = [], ids = [], ...counts] = await database.columns(sql, bound)
  const countAt = (column: number, row: number) => numberFrom(counts[column]?.[row])
  const values = kinds.map((kind, row): ExplainedValue => ({
    label: labelFrom(kind, labels[row] ?? null, ids[row] ?? null),
    now: { count: countAt(0, row), base: countAt(1, row) },
    before: { count: countAt(2, row), base: countAt(3, row) },
  }))
  const sideOf = (read: readonly LocatedTable[]) => wholeOf(read, query, header, base)
  return explain(values, { now: sideOf(now), before: sideOf(before) }, how)
}

/** Counts of the aggregate row; null if a table has none. */
function wholeOf(
  read: readonly LocatedTable[],
  query: TableQuery,
  header: string,
  base: string,
): ExplainedSide | null {
  const { all, columns } = sumOf(read, query, new Statement().bind)
  if (!all) return null
  const under = (wanted: string) => all.cells[columns.findIndex((column) => column.header === wanted)]
  return { count: numberFrom(under(header)), base: numberFrom(under(base)) }
}
