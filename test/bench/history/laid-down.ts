import { DuckDBInstance } from '@duckdb/node-api'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { entriesKey, writeEntries, newTableId, historyStemOf } from '#main/analytics/history-layout.ts'
import { historyFiles } from '#main/analytics/history-layout.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { HistoryPath } from '#main/analytics/history-layout.ts'
import { plainTable, subjectOf } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { dataScope } from './figures-desk.ts'
import type { FiguresDesk } from './figures-desk.ts'
import { counts, hostName, labelHeader, madeDay } from './made-days.ts'

const start = day('2025-01-01')
export const year = { days: 365, rowsPerDay: 5_000, hosts: 20_000 } as const
const fetchedAt = Date.parse('2026-01-31T12:00:00Z') as Instant

/** The year's table, or one made of it, by the source that it is limited to. */
export const tableOf = (source: string | null): TableQuery => ({
  ...plainTable,
  family: 'script',
  dimension: 'referrers',
  source,
  range: { start, end: addDays(start, year.days - 1) },
})

/** Keeps a year of days as the app does, one after the other, then each month's in a file. Always the same. */
export async function layDownYear(desk: FiguresDesk): Promise<void> {
  const hosts = Array.from({ length: year.hosts }, (_, index) => hostName(index))
  const place = { dataScope, subject: subjectOf(tableOf(null)) }
  await desk.using(async (history) => {
    for (let nth = 0; nth < year.days; nth += 1) {
      const { rows, ...made } = madeDay(nth, year.rowsPerDay, hosts)
      const pages = Array.from({ length: rows.length / 1000 }, (_, page) =>
        rows.slice(1000 * page, 1000 * (page + 1)),
      )
      const range = { start: addDays(start, nth), end: addDays(start, nth) }
      const headers = [labelHeader, ...counts]
      await history.save({ ...place, range, headers, ...made, rows: pages, fetchedAt, doubt: null, term: 0 })
    }
    await history.compact(() => () => true, new AbortController().signal)
  })
}

/**
 * Lays down the same year with so many of its hosts, or all of them several times under other names: as the app's files
 * are, without the time that it takes to keep ten million rows one by one.
 * @param hosts of the year's, each as often as `copies` says
 */
export async function layDownLike(
  desk: FiguresDesk,
  { source, hosts, copies }: { source: string; hosts: number; copies: number },
): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GB' })
  const connection = await instance.connect()
  const subject = subjectOf(tableOf(source))
  const files = historyFiles(desk.folder)
  const tables = await desk.store.run('tables/list', { dataScope, subject: subjectOf(tableOf(null)) })
  const byFile = new Map<HistoryPath, StoredTable[]>()
  for (const table of tables) byFile.set(table.file.path, [...(byFile.get(table.file.path) ?? []), table])
  let all = 0
  for (const [from, months] of byFile) {
    const [first] = months
    if (!first) continue
    const stem = historyStemOf({ dataScope, subject, range: first.range }, newTableId())
    const draft = `${join(desk.folder, stem)}.part`
    mkdirSync(dirname(draft), { recursive: true })
    // Hosts of every weight: 7919 has no divisor in common with how many there are.
    const chosen = String.raw`regexp_extract(label, '-[a-z]+(\d+)\.', 1)::INT * 7919 % ${year.hosts} < ${hosts}`
    const label = `CASE copy WHEN 0 THEN label ELSE copy || '-' || label END AS label`
    const rows = `SELECT * EXCLUDE copy REPLACE (${label})
      FROM read_parquet('${join(desk.folder, from)}'), range(${copies}) AS copies(copy) WHERE ${chosen}`
    const counted = await connection.runAndReadAll(
      `SELECT day::VARCHAR, count(*)::INT FROM (${rows}) GROUP BY day`,
    )
    const counts = new Map(counted.getRows().map(([on, count]) => [String(on), Number(count)]))
    const entries = months.map(({ range, whole, doubt, head }: StoredTable) => ({
      ...{ dataScope, subject, range, fetchedAt, whole, doubt, head },
      ...{ id: newTableId(), rows: counts.get(range.start) ?? 0 },
    }))
    await connection.run(
      `COPY (${rows} ORDER BY label, day) TO '${draft}'
        (FORMAT parquet, COMPRESSION zstd, KV_METADATA {${entriesKey}: $entries})`,
      { entries: writeEntries(entries) },
    )
    const file = { tables: entries.length, ...(await files.publish(draft, stem)) }
    await desk.store.run('tables/keep', { file, tables: entries, term: 0 })
    all += entries.reduce((sum, each) => sum + each.rows, 0)
  }
  connection.closeSync()
  instance.closeSync()
  return all
}
