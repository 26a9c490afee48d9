import type { RawRow, RowsPage, RowsSortKey } from '#shared/archives/rows.ts'
import { unpacked } from '../csv/columns.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import type { RowsParams, PageParams, WriteParams, WrittenFile } from './rows-engine.ts'
import { countFrom } from '#main/analytics/statement.ts'
import { Question } from './rows-statement.ts'
import type { Reading } from './rows-statement.ts'
import type { Relation } from './relation.ts'
import { columnsOf } from './relation.ts'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { csvForm, csvMark, delimited, spreadsheetSafeSql } from '#shared/values/delimited.ts'

/** A row by its file and its place in there. */
type Place = { readonly file: number; readonly row: number }

/** What was found for questions before: a file never changes, so neither does what is found in it. */
export class Remembered<A> {
  readonly #known = new Map<string, A>()

  async get({ files, conditions }: RowsParams, find: () => Promise<A>): Promise<A> {
    const name = JSON.stringify([files.map(({ rows }) => rows.path), conditions])
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const found = await find()
    if (this.#known.size >= 50) this.#known.clear()
    this.#known.set(name, found)
    return found
  }
}

/** How many rows a question finds. */
async function countOf({ files, conditions }: RowsParams, reading: Reading): Promise<number> {
  const question = new Question(files, conditions, reading)
  const [[counted] = []] = await question.rows(`SELECT count(*) FROM ${question.found()}`)
  return countFrom(counted)
}

/** A page of the rows that a question finds. */
export async function pageFrom(
  request: PageParams,
  reading: Reading,
  counts: Remembered<number>,
): Promise<RowsPage> {
  const total =
    request.conditions.length === 0
      ? request.files.reduce((sum, { count }) => sum + count, 0)
      : await counts.get(request, () => countOf(request, reading))
  const places =
    request.conditions.length === 0 && request.sort.length === 0
      ? placesInOrder(request)
      : await placesFound(request, total, reading)
  const columns =
    request.columns.length > 0 ? request.columns : columnsOf(request.files).map(({ name }) => name)
  return { total, rows: await rowsAt(request.files, places, columns, reading) }
}

/** Rows as they stand in their files. */
function placesInOrder({ files, offset, limit }: PageParams): Place[] {
  const places: Place[] = []
  let before = 0
  for (const [file, { count }] of files.entries()) {
    const from = Math.max(0, offset - before)
    const to = Math.min(count, offset + limit - before)
    for (let row = from; row < to; row += 1) places.push({ file, row })
    before += count
  }
  return places
}

async function placesFound(
  { files, conditions, sort, offset, limit }: PageParams,
  total: number,
  reading: Reading,
): Promise<Place[]> {
  if (offset >= total) return []
  // Behind the middle rows are counted from the end: that many fewer have to be put in order.
  const isBackwards = offset > total / 2
  const rows = Math.min(limit, total - offset)
  const skipped = isBackwards ? total - offset - rows : offset
  const question = new Question(files, conditions, reading)
  const order = orderOf(sort, question.relation, isBackwards)
  const found = await question.rows(
    `SELECT f, r FROM ${question.found()} ORDER BY ${order} LIMIT ${rows} OFFSET ${skipped}`,
  )
  const places = found.map(([file, row]) => ({ file: countFrom(file), row: countFrom(row) }))
  return isBackwards ? places.toReversed() : places
}

/** The order of rows; level ones stand as in their files, so that every row has one place. */
function orderOf(sort: readonly RowsSortKey[], relation: Relation, isBackwards: boolean): string {
  const keys = sort.map(({ column, direction }) => {
    const { kind, text, utc } = relation.slot(column)
    const key = utc ?? (kind === 'number' ? `TRY_CAST(${text} AS DOUBLE)` : text)
    const ascending = (direction === 'asc') !== isBackwards
    return `${key} ${ascending ? 'ASC' : 'DESC'} NULLS ${isBackwards ? 'FIRST' : 'LAST'}`
  })
  return [...keys, ...['f', 'r'].map((key) => `${key} ${isBackwards ? 'DESC' : 'ASC'}`)].join(', ')
}

/** The cells of rows, in the order in which these are named. */
export async function rowsAt(
  files: readonly RowsEntry[],
  places: readonly Place[],
  columns: readonly string[],
  reading: Reading,
): Promise<RawRow[]> {
  const found = new Map<string, readonly (string | null)[]>()
  for (const [nth, file] of files.entries()) {
    const rows = places.filter((place) => place.file === nth).map(({ row }) => row)
    if (rows.length === 0) continue
    const question = new Question([file], [], reading)
    // Thousands of columns are too many for the engine at once: those that are packed are unpacked here.
    const packedAt = new Map(
      file.columns.flatMap(({ name, place }) => (place === undefined ? [] : [[name, place - 1] as const])),
    )
    const plain = columns.filter((column) => !packedAt.has(column))
    const cells = plain.map((column) => question.relation.slot(column).text)
    const isPacked = plain.length < columns.length
    if (isPacked) cells.push(question.relation.rest())
    const [from, to] = [Math.min(...rows), Math.max(...rows)]
    const isRun = to - from < rows.length
    const isListed = isRun ? '' : ` AND r IN (${rows.join(', ')})`
    const read = await question.rows(
      `SELECT r, ${cells.join(', ')} FROM ${question.relation.from()} WHERE r BETWEEN ${from} AND ${to}${isListed}`,
    )
    for (const [row, ...values] of read) {
      const texts = values.map((value) => (typeof value === 'string' ? value : null))
      const rest = isPacked ? unpacked(texts.pop() ?? '') : []
      let next = 0
      const ofRow = columns.map((column) => {
        const place = packedAt.get(column)
        return place === undefined ? (texts[next++] ?? null) : (rest[place] ?? null)
      })
      found.set(`${nth} ${countFrom(row)}`, ofRow)
    }
  }
  const names = files.map(({ columns: own }) => new Set(own.map(({ name }) => name)))
  return places.flatMap(({ file, row }) => {
    const cells = found.get(`${file} ${row}`)
    const id = files[file]?.id
    if (!cells || id === undefined) return []
    return [
      {
        file: id,
        row,
        // An empty cell is a text; one of a column that the file has not is none.
        cells: cells.map((cell, nth) => cell ?? (names[file]?.has(columns[nth] ?? '') ? '' : null)),
      },
    ]
  })
}

/** A name of a column as it stands in an exported file; whatever it says, it stays a name. */
const named = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('\0', ' ')}"`

/** Writes what a question finds into a file of the engine's own folder; where that fails, none is left. */
export async function writeRows(
  { files, conditions, sort, columns, format }: WriteParams,
  reading: Reading,
): Promise<WrittenFile> {
  const folder = reading.database.temporary
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `export-${randomBytes(8).toString('hex')}.${format}`)
  const question = new Question(files, conditions, reading)
  const { bind } = question.statement
  const names = columns.length > 0 ? columns : columnsOf(files).map(({ name }) => name)
  const cells = names.map((name, nth) => {
    const { text } = question.relation.slot(name)
    return `${format === 'csv' ? spreadsheetSafeSql(text) : text} AS x${nth}`
  })
  const order = orderOf(sort, question.relation, false)
  const found = `SELECT ${cells.join(', ')} FROM ${question.found()} ORDER BY ${order}`
  // What is called like a column of ours would take its place in the order: names are given to what is in order already.
  const headers = names.map((name, nth) => `x${nth} AS ${named(name)}`)
  const head = csvMark + delimited([names], { ...csvForm, lineEnd: '\n' })
  const [select, form] =
    format === 'csv'
      ? [found, csvBelow(bind(head), bind('\n'))]
      : [`SELECT ${headers.join(', ')} FROM (${found})`, formOf[format]]
  try {
    const [[counted] = []] = await question.rows(`COPY (${select}) TO ${bind(path)} (${form})`)
    const rows = countFrom(counted)
    // The engine ends the last line by itself only where there is one.
    if (format === 'csv' && rows === 0) writeFileSync(path, head)
    return { path, rows }
  } catch (error) {
    // What was broken off is of no use to anybody.
    rmSync(path, { force: true })
    throw error
  }
}

/** Every cell in quotes, below a header of our own: the engine's would be neither guarded nor marked as UTF-8. */
const csvBelow = (head: string, end: string) =>
  `FORMAT csv, HEADER false, FORCE_QUOTE *, PREFIX ${head}, SUFFIX ${end}`

const formOf = {
  parquet: 'FORMAT parquet, COMPRESSION zstd',
  json: 'FORMAT json, ARRAY true',
}
