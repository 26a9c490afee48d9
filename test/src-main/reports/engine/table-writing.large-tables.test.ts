import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { openEngine } from '#main/analytics/engine-database.ts'
import { historyFiles } from '#main/analytics/history-layout.ts'
import { Writing } from '#main/reports/engine/table-writing.ts'
import { newTableId, historyStemOf } from '#main/analytics/history-layout.ts'
import type { TableEntry } from '#main/analytics/history-layout.ts'
import type { Cell, Label, TableRow } from '#shared/api/answers.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { runs } from '#test/helpers/long.ts'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'

const place = {
  dataScope: '00000000-0000-4000-8000-000000000001' as DataScopeId,
  subject: 'script/referrers?',
}

type Size = { readonly rows: number; readonly columns: number }

/**
 * The writing engine with less of its memory, so that smaller tables show what a large one does to it.
 * @param memory its limit, as the engine says it
 */
async function writingWith(memory: string) {
  const folder = temporaryFolder()
  const folders = { history: join(folder, 'history'), temporary: join(folder, 'work') }
  const limits = { memory_limit: memory, threads: '1' }
  const database = await openEngine(folders, limits)
  onTestFinished(() => database.close())
  mkdirSync(folders.temporary, { recursive: true })
  const writing = await Writing.with(database, historyFiles(folders.history))
  const read = async (path: string, what: string) =>
    await database.columns(`SELECT ${what} FROM read_parquet($path, hive_partitioning = false)`, {
      path: join(folders.history, path),
    })
  /** How many rows come before one that belongs in front of them. */
  const misplaced = async (path: string) => {
    const falls = '(label, day) < lag((label, day)) OVER (ORDER BY file_row_number) AS falls'
    const [[count] = []] = await database.columns(
      `SELECT count(*) FROM (SELECT ${falls} FROM read_parquet($path, file_row_number = true)) WHERE falls`,
      { path: join(folders.history, path) },
    )
    return Number(count)
  }
  const parts = () =>
    readdirSync(folders.temporary, { recursive: true }).filter((name) => /parquet/.test(String(name)))
  return { writing, read, misplaced, parts }
}

/** The names that a service sends, in no order of theirs. */
const nameOf = (row: number): string => `publisher-${(row * 7919) % 1_000_003}.example.com`
/** One row has no name. */
const labelOf = (row: number): Label =>
  row === 0 ? { kind: 'all', name: null } : { kind: 'text', text: nameOf(row) }
const cellOf = (row: number, column: number, nth: number): Cell => (row * 31 + column * 7 + nth) % 9973

function* pagesOf({ rows, columns }: Size, nth: number): Generator<readonly TableRow[]> {
  for (let from = 0; from < rows; from += 1000)
    yield Array.from({ length: Math.min(1000, rows - from) }, (_, at) => ({
      label: labelOf(from + at),
      cells: Array.from({ length: columns }, (_, column) => cellOf(from + at, column, nth)),
    }))
}

/** Hands a day over page by page, and has it written. */
async function written(writing: Writing, size: Size, nth: number) {
  const id = newTableId()
  const start = addDays(day('2026-10-01'), nth)
  const range = { start, end: start }
  const { rows, columns } = size
  for (const page of pagesOf(size, nth)) await writing.stage({ staging: id, columns, rows: page })
  const entry: Omit<TableEntry, 'head'> = {
    ...{ ...place, id, range, rows, fetchedAt: 1 as Instant, doubt: null, whole: true },
  }
  const headers = ['Host', 'Requests', ...Array.from({ length: columns - 1 }, (_, nth) => `R${nth}`)]
  const { file, head } = await writing.write({
    ...{ staging: id, entry, headers, all: null, total: {} },
    stem: historyStemOf({ ...place, range }, id),
  })
  return { ...entry, head, file, bytes: file.size } satisfies StoredTable & typeof place
}

const sums = (size: Size, days: number): number => {
  let sum = 0
  for (let nth = 0; nth < days; nth += 1)
    for (const page of pagesOf(size, nth)) for (const { cells } of page) sum += Number(cells[0])
  return sum
}

describe('rows that come again', () => {
  it.each([
    ['in memory', 2_000, '64MB'],
    ['on the disk', runs(20_000, 60_000), '32MB'],
  ])('stand once in the file, as they came last: %s', async (_, rows, memory) => {
    const { writing, read, misplaced, parts } = await writingWith(memory)
    const size = { rows, columns: 7 }
    const id = newTableId()
    const range = { start: day('2026-10-01'), end: day('2026-10-01') }
    let before: readonly TableRow[] = []
    let again = 0
    for (const page of pagesOf(size, 0)) {
      // The last rows of the page before, one more counted in each.
      const repeated = before.slice(-9).map(({ label, cells }) => ({ label, cells: cells.map(counted) }))
      again += repeated.length
      await writing.stage({ staging: id, columns: 7, rows: [...repeated, ...page] })
      before = page
    }
    const headers = ['Host', 'Requests', ...Array.from({ length: 6 }, (_, nth) => `R${nth}`)]
    const { file } = await writing.write({
      ...{ staging: id, headers, all: null, total: {}, dropsRepeats: true },
      entry: { ...place, id, range, rows, fetchedAt: 1 as Instant, doubt: 'rows-moved', whole: true },
      stem: historyStemOf({ ...place, range }, id),
    })
    expect(await read(file.path, 'count(*), count(DISTINCT coalesce(label, kind)), sum(requests)')).toEqual([
      [BigInt(rows)],
      [BigInt(rows)],
      [BigInt(sums(size, 1) + again)],
    ])
    if (rows > 9_000) expect(await misplaced(file.path)).toBe(0)
    expect(parts()).toEqual([])
  })
})

const counted = (cell: Cell): Cell => (typeof cell === 'number' ? cell + 1 : cell)

describe('tables that are larger than the memory of who writes them', () => {
  it.each([
    ['two at once', { rows: runs(100_000, 250_000), columns: 7 }, '32MB', 2],
    ['with a column for each rule', { rows: runs(20_000, 60_000), columns: 47 }, '32MB', 2],
  ])('are written whole and sorted, %s', async (_, size, memory, days) => {
    const { writing, read, misplaced, parts } = await writingWith(memory)
    const tables = await Promise.all(Array.from({ length: days }, (_, nth) => written(writing, size, nth)))
    const [first] = tables
    if (!first) throw new Error('Nothing was written')
    expect(
      await read(first.file.path, 'count(*), count(DISTINCT coalesce(label, kind)), sum(requests)'),
    ).toEqual([[BigInt(size.rows)], [BigInt(size.rows)], [BigInt(sums(size, 1))]])
    expect(await misplaced(first.file.path)).toBe(0)
    expect(parts()).toEqual([])
  })

  it('are joined into a month whole and sorted', async () => {
    const size = { rows: runs(12_000, 60_000), columns: 30 }
    const { writing, read, misplaced, parts } = await writingWith('32MB')
    const tables = []
    for (let nth = 0; nth < 6; nth += 1) tables.push(await written(writing, size, nth))
    const stem = historyStemOf(
      { ...place, range: { start: day('2026-10-01'), end: day('2026-10-06') } },
      newTableId(),
    )
    const file = await writing.join({ tables, stem })
    if (!file) throw new Error('Nothing was joined')
    expect(await read(file.path, 'count(*), sum(requests)')).toEqual([
      [BigInt(6 * size.rows)],
      [BigInt(sums(size, 6))],
    ])
    expect(await misplaced(file.path)).toBe(0)
    expect(parts()).toEqual([])
  })

  it('leave nothing behind where they are given up', async () => {
    const { writing, parts } = await writingWith('16MB')
    const staging = newTableId()
    const size = { rows: 30_000, columns: 7 }
    for (const page of pagesOf(size, 0)) await writing.stage({ staging, columns: 7, rows: page })
    expect(parts().length).toBeGreaterThan(1)
    writing.discard(staging)
    expect(parts()).toEqual([])
  })
})
