import type { CutCells } from '#shared/app/jobs.ts'
import { maxCellOfSheet, maxRowsOfSheet } from '#shared/archives/rows.ts'
import type { GroupKey, RawRow, RowsPage, RowsSortKey } from '#shared/archives/rows.ts'
import { unpack } from '../csv/columns.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import type { LongCellsParams, RowsParams, PageParams, WriteParams, WrittenFile } from './rows-engine.ts'
import { countFrom, textList } from '#main/analytics/statement.ts'
import { BoundQuery } from './bound-query.ts'
import type { Reading } from './bound-query.ts'
import type { Relation } from './relation.ts'
import { columnsOf, sheetCells } from './relation.ts'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { csvForms, csvLineSql, csvMark, delimited } from '#shared/values/delimited.ts'
import { writeWorkbook } from '#main/exports/workbook.ts'

/** A row by file index and row number. */
type Place = { readonly file: number; readonly row: number }

/** Cache of results per query. Files never change, so results never expire. */
export class Remembered<A> {
  readonly #values = new Map<string, A>()
  readonly #max: number

  constructor(max = 50) {
    this.#max = max
  }

  /** @param key additional key of the result */
  async get({ files, conditions }: RowsParams, find: () => Promise<A>, key?: GroupKey): Promise<A> {
    const name = JSON.stringify([files.map(({ rows }) => rows.path), conditions, key])
    const known = this.#values.get(name)
    if (known !== undefined) return known
    const found = await find()
    if (this.#values.size >= this.#max) this.#values.clear()
    this.#values.set(name, found)
    return found
  }
}

/** Counts the rows that match. */
async function countOf({ files, conditions }: RowsParams, reading: Reading): Promise<number> {
  const query = new BoundQuery(files, conditions, reading)
  const [[counted] = []] = await query.rows(`SELECT count(*) FROM ${query.found()}`)
  return countFrom(counted)
}

const totalOf = async (params: RowsParams, reading: Reading, counts: Remembered<number>): Promise<number> =>
  params.conditions.length === 0
    ? params.files.reduce((sum, { count }) => sum + count, 0)
    : await counts.get(params, () => countOf(params, reading))

/** Reads a page of the rows that match. */
export async function pageFrom(
  request: PageParams,
  reading: Reading,
  counts: Remembered<number>,
): Promise<RowsPage> {
  const total = await totalOf(request, reading, counts)
  const places =
    request.conditions.length === 0 && request.sort.length === 0
      ? placesInOrder(request)
      : await placesFound(request, total, reading)
  const columns =
    request.columns.length > 0 ? request.columns : columnsOf(request.files).map(({ name }) => name)
  return { total, rows: await rowsAt(request.files, places, columns, reading) }
}

/** Rows in the order of their files. */
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
  // In the second half, rows are counted from the end, so that fewer rows are sorted.
  const isBackwards = offset > total / 2
  const rows = Math.min(limit, total - offset)
  const skipped = isBackwards ? total - offset - rows : offset
  const query = new BoundQuery(files, conditions, reading)
  const order = orderOf(sort, query.relation, isBackwards)
  const found = await query.rows(
    `SELECT f, r FROM ${query.found()} ORDER BY ${order} LIMIT ${rows} OFFSET ${skipped}`,
  )
  const places = found.map(([file, row]) => ({ file: countFrom(file), row: countFrom(row) }))
  return isBackwards ? places.toReversed() : places
}

/** ORDER BY of a query. Ties are in file order, so that each row has one position. */
function orderOf(sort: readonly RowsSortKey[], relation: Relation, isBackwards: boolean): string {
  const keys = sort.map(({ column, direction }) => {
    const { number, text, utc } = relation.slot(column)
    const key = utc ?? number ?? text
    const ascending = (direction === 'asc') !== isBackwards
    return `${key} ${ascending ? 'ASC' : 'DESC'} NULLS ${isBackwards ? 'FIRST' : 'LAST'}`
  })
  return [...keys, ...['f', 'r'].map((key) => `${key} ${isBackwards ? 'DESC' : 'ASC'}`)].join(', ')
}

/** Reads the cells of rows, in the order of `places`. */
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
    const query = new BoundQuery([file], [], reading)
    // The engine cannot read thousands of columns at once: packed cells are unpacked here.
    const packedAt = new Map(
      file.columns.flatMap(({ name, place }) => (place === undefined ? [] : [[name, place - 1] as const])),
    )
    const plain = columns.filter((column) => !packedAt.has(column))
    const cells = plain.map((column) => query.relation.slot(column).text)
    const isPacked = plain.length < columns.length
    if (isPacked) cells.push(query.relation.packed())
    const [from, to] = [Math.min(...rows), Math.max(...rows)]
    const isRun = to - from < rows.length
    const isListed = isRun ? '' : ` AND r IN (${rows.join(', ')})`
    const read = await query.rows(
      `SELECT r, ${cells.join(', ')} FROM ${query.relation.from()} WHERE r BETWEEN ${from} AND ${to}${isListed}`,
    )
    for (const [row, ...values] of read) {
      const texts = values.map((value) => (typeof value === 'string' ? value : null))
      const rest = isPacked ? unpack(texts.pop() ?? '') : []
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
        // An empty cell is a text. A column that the file lacks is null.
        cells: cells.map((cell, nth) => cell ?? (names[file]?.has(columns[nth] ?? '') ? '' : null)),
      },
    ]
  })
}

/** Maximum number of columns checked before a sheet is written. With more columns, cut cells are reported afterwards. */
const maxMeasured = 500

/** SQL that tests for more UTF-16 units than a cell of a sheet holds. DuckDB counts code points; only long texts are counted. */
const isLongSql = (text: string): string =>
  `CASE WHEN strlen(${text}) <= ${maxCellOfSheet} THEN false
    ELSE length(${text}) + length(regexp_replace(${text}, '[^\\x{10000}-\\x{10FFFF}]', '', 'g')) > ${maxCellOfSheet} END`

/** Counts the cells that a sheet would cut, by column. Empty for more rows than a sheet holds. */
export async function longCellsFrom(
  params: LongCellsParams,
  reading: Reading,
  counts: Remembered<number>,
): Promise<CutCells> {
  const { files, conditions } = params
  const columns = params.columns.length > 0 ? params.columns : columnsOf(files).map(({ name }) => name)
  if (columns.length > maxMeasured || (await totalOf(params, reading, counts)) >= maxRowsOfSheet) return []
  const query = new BoundQuery(files, conditions, reading)
  const texts = columns.map((column) => query.relation.slot(column).text)
  const long = texts.map((text) => `count(*) FILTER (${isLongSql(text)})`)
  const [found = []] = await query.rows(`SELECT ${long.join(', ')} FROM ${query.found()}`)
  return columns.flatMap((column, nth) => {
    const cells = countFrom(found[nth])
    return cells > 0 ? [{ column, cells }] : []
  })
}

/** Quotes the name of a column in an exported file. */
const quoteName = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('\0', ' ')}"`

/** Called with the rows written and the total. */
type Progress = (done: number, total: number) => void

/** Interval at which progress is polled, in milliseconds. */
const pollIntervalMs = 250

/** Writes matching rows into a file of the engine's own folder. A failure leaves no file. */
export async function writeRows(
  params: WriteParams,
  reading: Reading,
  counts: Remembered<number>,
  progress: Progress,
): Promise<WrittenFile> {
  const { files, format } = params
  const folder = reading.database.temporary
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `export-${randomBytes(8).toString('hex')}.${format}`)
  const columns = params.columns.length > 0 ? params.columns : columnsOf(files).map(({ name }) => name)
  try {
    const total = await totalOf(params, reading, counts)
    progress(0, total)
    const writing = { params: { ...params, columns }, reading, path, total, progress }
    if (format === 'xlsx') return { path, ...(await writeSheet(writing)) }
    return { path, rows: await copyRows(writing), cut: [] }
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}

type Writing = {
  readonly params: WriteParams
  readonly reading: Reading
  readonly path: string
  readonly total: number
  readonly progress: Progress
}

/** Lets the engine write the file. */
async function copyRows({ params, reading, path, total, progress }: Writing): Promise<number> {
  const { files, columns, format, csv = 'comma' } = params
  const query = new BoundQuery(files, params.conditions, reading)
  const { bind } = query.statement
  const isLocal = format === 'csv' && csvForms[csv].decimal === ','
  const cells = columns.map((name, nth) => {
    const { text } = query.relation.slot(name)
    return `${isLocal && hasPoints(files, name) ? withComma(text) : text} AS x${nth}`
  })
  const found = `SELECT ${cells.join(', ')} FROM ${inOrder(params, query)}`
  const places = columns.map((_, nth) => `x${nth}`)
  // A column named `f` or `r` would change the order: columns get their names after sorting.
  const headers = columns.map((name, nth) => `x${nth} AS ${quoteName(name)}`)
  const head = csvMark + delimited([columns], csvForms[csv])
  const [select, form] =
    format === 'csv'
      ? [csvLineSql(places, csvForms[csv]), linesBelow(bind(head), bind('\n'))]
      : [
          headers.join(', '),
          format === 'json' ? 'FORMAT json, ARRAY true' : await parquetForm(files, reading),
        ]
  const copy = `COPY (SELECT ${select} FROM (${found})) TO ${bind(path)} (${form})`
  const rows = await reading.database.using(async (session) => {
    const watching = setInterval(
      () => progress(Math.floor((total * Math.max(0, session.percentage)) / 100), total),
      pollIntervalMs,
    )
    const copying = session.rows(copy, query.statement.bound)
    const [[counted] = []] = await copying.finally(() => clearInterval(watching))
    return countFrom(counted)
  })
  // The engine would add the end of a last line that does not exist.
  if (format === 'csv' && rows === 0) writeFileSync(path, head)
  return rows
}

/** Matching rows in sort order. The engine preserves file order without sorting, which would hold all rows in memory. */
function inOrder({ conditions, sort }: RowsParams, query: BoundQuery): string {
  const isInOrder = sort.length === 0 && conditions.every(({ test }) => test.kind !== 'once')
  const order = orderOf(sort, query.relation, false)
  return `${query.found()}${isInOrder ? '' : ` ORDER BY ${order}`}`
}

/** Whether a column has numbers with decimal points, in every file that has the column. */
function hasPoints(files: readonly RowsEntry[], name: string): boolean {
  const all = files.flatMap(({ columns }) => columns.filter((column) => column.name === name))
  return all.every(({ kind, form }) => kind === 'number' && form !== 'decimal-comma')
}

/** SQL of a number with a decimal comma in place of the point; other text is unchanged. */
const withComma = (text: string): string =>
  `CASE WHEN regexp_full_match(${text}, '-?([0-9]*|[0-9]{1,3}(,[0-9]{3})+)([.][0-9]+)?')
    THEN replace(replace(${text}, ',', ''), '.', ',') ELSE ${text} END`

/** Rows converted before the process serves other calls. */
const rowsAtATime = 256

async function writeSheet(writing: Writing): Promise<Pick<WrittenFile, 'rows' | 'cut'>> {
  const { params, reading, path, total, progress } = writing
  const { files, columns, name = 'Rows' } = params
  const query = new BoundQuery(files, params.conditions, reading)
  const texts = columns.map((column) => query.relation.slot(column).text)
  const sql = `SELECT f, ${texts.join(', ')} FROM ${inOrder(params, query)}`
  const cellsOf = sheetCells(files, columns)
  const made = ([file, ...cells]: readonly unknown[]) =>
    cellsOf(
      Number(file),
      cells.map((cell) => (typeof cell === 'string' ? cell : null)),
    )
  writeFileSync(path, '')
  let done = 0
  const cut = await writeWorkbook(path, async ({ sheet, add }) => {
    await sheet(
      name,
      columns.map((header) => ({ header })),
      { frozen: 1 },
    )
    await reading.database.using(async (session) => {
      for await (const rows of session.pieces(sql, query.statement.bound)) {
        for (let next = 0; next < rows.length; next += rowsAtATime) {
          await add(rows.slice(next, next + rowsAtATime).map(made))
          await new Promise((resolve) => setImmediate(resolve))
        }
        progress((done += rows.length), total)
      }
    })
  })
  return { rows: done, cut }
}

/** Lines as they are, below the app's own header: the engine's header would be neither guarded nor marked as UTF-8. */
const linesBelow = (head: string, end: string) =>
  `FORMAT csv, HEADER false, QUOTE '', DELIMITER '\u0001', PREFIX ${head}, SUFFIX ${end}`

/** With row groups as short as the shortest of the files, which fit into memory. */
async function parquetForm(files: readonly RowsEntry[], { database, placeOf }: Reading): Promise<string> {
  const places = textList(files.map(placeOf))
  const [[rows] = []] = await database.rows(
    `SELECT coalesce(min(num_rows // num_row_groups) FILTER (num_row_groups > 1), max(num_rows))
     FROM parquet_file_metadata($places)`,
    { places },
  )
  return `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${Math.max(1, countFrom(rows))}`
}
