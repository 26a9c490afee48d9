import { DOUBLE, DuckDBDataChunk, listValue, VARCHAR } from '@duckdb/node-api'
import type { Cell, Count, Label } from '../../../src-shared/service/answers.ts'
import { daysBetween } from '../../../src-shared/values/day.ts'
import { columnName, totalColumnName } from '../history/column-names.ts'
import { entriesKey, readEntries, writeEntries } from '../history/entry.ts'
import type { Entry } from '../history/entry.ts'
import { writeHead } from '../history/head.ts'
import type { StoredColumn } from '../history/head.ts'
import { checksumIn } from '../history/layout.ts'
import type { HistoryStem } from '../history/layout.ts'
import type { HistoryFile, HistoryPath } from '../cache/kept-table.ts'
import type { InspectedFile, StagedPage, TablesToJoin, TableToWrite, WrittenTable } from './calls.ts'
import type { EngineDatabase } from './database.ts'
import type { HistoryFiles } from './files.ts'

/** What is known of a column while its pages come. */
type StagedColumn = { integers: boolean; texts: boolean }

/** A table whose rows lie in the engine, not yet in a file. */
type Staged = {
  readonly columns: readonly StagedColumn[]
  /** Names in the engine: of what names a row, of numbers by their place (`c0`), then of texts (`t0`). */
  readonly names: string[]
  rows: number
  plain: boolean
}

/** What names a row: of which kind it is, its text or the instance's name, the instance's id, and how it is searched. */
const labels = ['kind', 'label', 'label_id', 'folded'] as const

/** Rows that the engine takes at a time. */
const chunkRows = 2048

/** Beyond so many rows they are not sorted: that would take more memory than a smaller file is worth. */
const mostSorted = 3_000_000

const ascii = /^[\0-\x7f]*$/

/** Writes kept tables into files of the history folder. */
export class Writing {
  readonly #database: EngineDatabase
  readonly #files: HistoryFiles
  readonly #staged = new Map<string, Staged>()

  constructor(database: EngineDatabase, files: HistoryFiles) {
    this.#database = database
    this.#files = files
  }

  /** Takes a page of rows. */
  async stage({ staging, columns, rows }: StagedPage): Promise<null> {
    const name = nameOf(staging)
    const known = this.#staged.get(staging) ?? (await this.#begin(staging, columns))
    await this.#database.using(async (connection) => {
      for (const [place, column] of known.columns.entries()) {
        const cells = rows.map((row) => row.cells[place] ?? null)
        column.integers &&= cells.every((cell) => typeof cell !== 'number' || Number.isSafeInteger(cell))
        if (column.texts || !cells.some((cell) => typeof cell === 'string')) continue
        column.texts = true
        known.names.push(`t${place}`)
        await connection.run(`ALTER TABLE ${name} ADD COLUMN t${place} VARCHAR`)
      }
      known.plain &&= rows.every(({ label }) => label.kind === 'text')
      const { names } = known
      const types = names.map((column) => (/^c\d/.test(column) ? DOUBLE : VARCHAR))
      const appender = await connection.createAppender(name)
      for (let at = 0; at < rows.length; at += chunkRows) {
        const some = rows.slice(at, at + chunkRows)
        const chunk = DuckDBDataChunk.create(types, some.length)
        chunk.setColumns(
          names.map((column) => some.map(({ label, cells }) => valueUnder(column, label, cells))),
        )
        appender.appendDataChunk(chunk)
      }
      appender.closeSync()
    })
    known.rows += rows.length
    return null
  }

  async discard(staging: string): Promise<null> {
    if (this.#staged.delete(staging)) await this.#database.columns(`DROP TABLE IF EXISTS ${nameOf(staging)}`)
    return null
  }

  /** Writes what was staged. @throws errors of the engine and of the file system; then there is no file */
  async write({ staging, stem, entry, headers, all, total, composed }: TableToWrite): Promise<WrittenTable> {
    const staged = this.#staged.get(staging) ?? (await this.#begin(staging, Math.max(0, headers.length - 1)))
    if (staged.rows !== entry.rows) throw new Error('What was staged is not all there any more')
    const rules = /[?&]rules=1(&|$)/.test(entry.subject)
    const columns = headers.slice(1).map((header, place): StoredColumn => {
      const { integers = true, texts = false } = staged.columns[place] ?? {}
      return { header, name: columnName(header, rules), type: integers ? 'integer' : 'number', texts }
    })
    const { plain, rows } = staged
    const beside = { headers, all, total, plain, ...(composed && { composed }) }
    const head = writeHead({ ...beside, columns: entry.whole ? columns : [] })
    const bound = { day: entry.range.start, days: daysBetween(entry.range.start, entry.range.end) + 1 }
    const label = `$day::DATE AS day, $days::USMALLINT AS days`
    const select = entry.whole
      ? `SELECT ${[label, ...rowColumns(columns)].join(', ')} FROM ${nameOf(staging)}
         ${rows <= mostSorted ? 'ORDER BY label' : ''}`
      : `SELECT ${[label, ...Object.entries(total).map(totalColumn)].join(', ')}`
    const totals = entry.whole
      ? {}
      : Object.fromEntries(
          Object.values(total).map((count, nth) => [`n${nth}`, isBig(count) ? String(count) : count]),
        )
    try {
      const lines = entry.whole ? rows : 1
      const file = await this.#write(stem, [{ ...entry, head }], lines, select, { ...bound, ...totals })
      if (!file) throw new Error('Not all rows were written')
      return { file, head }
    } finally {
      await this.discard(staging)
    }
  }

  /** Writes the rows of several tables into one file; null where a file of them cannot be read. */
  async join({ tables, stem }: TablesToJoin): Promise<HistoryFile | null> {
    const files = [...new Map(tables.map(({ file }) => [file.path, file])).values()]
    if (!files.every((file) => this.#files.isSound(file))) return null
    const entries = tables.map(
      ({ id, owner, subject, range, fetchedAt, whole, rows, doubt, head }): Entry => ({
        id,
        owner,
        subject,
        range,
        fetchedAt,
        whole,
        rows,
        doubt,
        head,
      }),
    )
    const parts = files.map((file, nth) => {
      const days = tables.filter((each) => each.file.path === file.path).map(({ range }) => range.start)
      return {
        place: [`f${nth}`, this.#files.placeOf(file.path)],
        days: [`d${nth}`, listValue(days)],
      } as const
    })
    const bound = Object.fromEntries(parts.flatMap(({ place, days }) => [place, days]))
    // The names of the folders are no columns: they would be written into the file.
    const from = parts.map(
      (_, nth) =>
        `SELECT * FROM read_parquet($f${nth}, hive_partitioning = false) WHERE list_contains($d${nth}::DATE[], day)`,
    )
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    const sorted = tables.every(({ whole }) => whole) && rows <= mostSorted ? 'ORDER BY label, day' : ''
    const lines = tables.reduce((sum, table) => sum + (table.whole ? table.rows : 1), 0)
    return await this.#write(stem, entries, lines, `${from.join(' UNION ALL BY NAME ')} ${sorted}`, bound)
  }

  /** What a file says of itself. */
  async inspect(path: HistoryPath): Promise<InspectedFile> {
    const measured = this.#files.measure(path)
    if (!measured) return { kind: 'unknown' }
    const { size, checksum } = measured
    if (checksum !== checksumIn(path)) return { kind: 'damaged' }
    try {
      const sql = `SELECT decode(value) FROM parquet_kv_metadata($place) WHERE decode(key) = $key`
      const place = this.#files.placeOf(path)
      const [[text] = []] = await this.#database.columns(sql, { place, key: entriesKey })
      const entries = typeof text === 'string' ? readEntries(text) : undefined
      if (!entries) return { kind: 'unknown' }
      return { kind: 'whole', file: { path, size, checksum, tables: entries.length }, entries }
    } catch {
      return { kind: 'unknown' }
    }
  }

  async #begin(staging: string, columns: number): Promise<Staged> {
    const numbers = Array.from({ length: columns }, (_, place) => `c${place}`)
    const typed = [...labels.map((name) => `${name} VARCHAR`), ...numbers.map((name) => `${name} DOUBLE`)]
    await this.#database.columns(`CREATE TABLE ${nameOf(staging)} (${typed.join(', ')})`)
    const begun: Staged = {
      names: [...labels, ...numbers],
      columns: Array.from({ length: columns }, () => ({ integers: true, texts: false })),
      rows: 0,
      plain: true,
    }
    this.#staged.set(staging, begun)
    return begun
  }

  /** @returns null where not exactly so many lines would stand in the file: then there is none */
  async #write(
    stem: HistoryStem,
    entries: readonly Entry[],
    lines: number,
    select: string,
    bound: Parameters<EngineDatabase['columns']>[1],
  ): Promise<HistoryFile | null> {
    const draft = this.#files.draftOf(stem)
    try {
      // Level 1 takes 3 % more of the disk than the usual 3, and is read and written a tenth faster.
      const copy = `COPY (${select}) TO $draft
        (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, KV_METADATA {${entriesKey}: $entries})`
      const [[written] = []] = await this.#database.columns(copy, {
        ...bound,
        draft,
        entries: writeEntries(entries),
      })
      if (Number(written) === lines) return { tables: entries.length, ...this.#files.publish(draft, stem) }
      this.#files.drop(draft)
      return null
    } catch (error) {
      this.#files.drop(draft)
      throw error
    }
  }
}

/** Names in statements are made here alone. */
function nameOf(staging: string): string {
  if (/^[0-9a-f]{16}$/.test(staging)) return `staged_${staging}`
  throw new RangeError('No name of what is staged')
}

function valueUnder(column: string, label: Label, cells: readonly Cell[]): string | number | null {
  switch (column) {
    case 'kind':
      return label.kind
    case 'label':
      return label.kind === 'text' ? label.text : label.name
    case 'label_id':
      return label.kind === 'instance' ? label.id : null
    case 'folded':
      return foldedName(label)
    default: {
      const cell = cells[Number(column.slice(1))] ?? null
      return typeof cell === (column.startsWith('c') ? 'number' : 'string') ? cell : null
    }
  }
}

/** A name in lower case as JavaScript has it, where the engine might have it otherwise. */
function foldedName(label: Label): string | null {
  const name = label.kind === 'text' ? label.text : label.name
  return name === null || ascii.test(name) ? null : name.toLowerCase()
}

/** The columns of a file's rows, out of those that were staged. */
const rowColumns = (columns: readonly StoredColumn[]): string[] => [
  ...labels,
  ...columns.flatMap(({ name, type, texts }, place) => [
    `c${place}::${type === 'integer' ? 'BIGINT' : 'DOUBLE'} AS "${name}"`,
    ...(texts ? [`t${place} AS "${name}_text"`] : []),
  ]),
]

/** What no BIGINT holds exactly is bound as text: the engine takes every whole number for a BIGINT. */
const isBig = (count: Count): boolean => count !== null && !Number.isSafeInteger(count)

const totalColumn = ([name, count]: readonly [string, Count], nth: number): string =>
  `$n${nth}::${isBig(count) ? 'DOUBLE' : 'BIGINT'} AS "${totalColumnName(name)}"`
