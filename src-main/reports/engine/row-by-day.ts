import { addDays } from '#shared/values/day.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import { countFrom, numberFrom, Statement } from '#main/analytics/statement.ts'
import { cellsOf, keySql } from './sums.ts'
import type { LocatedTable } from './sums.ts'
import type { RowOfDay } from './table-calls.ts'

/** Reads one row of tables of single days, by day, with one statement. */
export async function rowByDayFrom(
  database: EngineDatabase,
  read: readonly LocatedTable[],
  key: string,
): Promise<readonly RowOfDay[]> {
  const { bound, bind } = new Statement()
  const headers = [...new Set(read.flatMap(({ head }) => head.columns.map(({ header }) => header)))]
  const [first] = read
  if (!first) return []
  const { start } = first.table.range
  const sums = headers.map((_, nth) => `sum(c${nth})`)
  const sql = `SELECT ${[`date_diff('day', ${bind(start)}::DATE, day)::INTEGER`, ...sums].join(', ')}
    FROM (${cellsOf(read, headers, null, bind)}) WHERE ${keySql} = ${bind(key)} GROUP BY day`
  const [offsets = [], ...counts] = await database.columns(sql, bound)
  const places = new Map(offsets.map((offset, place) => [addDays(start, countFrom(offset)), place]))
  return read.map(({ head, table: { range } }): RowOfDay => {
    const place = places.get(range.start)
    const own = head.headers.slice(1)
    return {
      ...{ day: range.start, headers: head.headers, all: head.all && head.all.cells },
      cells:
        place === undefined
          ? null
          : own.map((header) => numberFrom(counts[headers.indexOf(header)]?.[place])),
    }
  })
}
