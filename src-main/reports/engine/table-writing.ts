import type {
  HistoryFile,
  HistoryPath,
  CountColumn,
  TableEntry,
  HistoryStem,
  HistoryFiles,
} from '#main/analytics/history-layout.ts'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Lane } from '#main/lib/lanes.ts'
import type { Cell, Totals } from '#shared/api/answers.ts'
import type { DayRange } from '#shared/values/day.ts'
import {
  readHead,
  writeHead,
  columnName,
  totalColumnName,
  newTableId,
  entriesKey,
  readEntries,
  writeEntries,
} from '#main/analytics/history-layout.ts'
import { checksumIn } from '#main/analytics/checksummed-files.ts'
import type { InspectedFile, StagedPage, TablesToJoin, TableToWrite, WrittenTable } from './table-calls.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import { textList } from '#main/analytics/statement.ts'
import { dayColumns, daysBound, labels, Staging } from './staging.ts'
import type { RowsToWrite } from './staging.ts'

/** Rows per row group, held in memory. Half of DuckDB's default: saves 40 MB, files are 3 % larger. */
const groupRows = 61_440
const maxCellsInGroup = 11 * groupRows
/** DuckDB rounds row groups to this number of rows. */
const vectorRows = 2048

/**
 * Maximum number of cells to sort at once, including labels. DuckDB can only spill what is sorted: two concurrent sorts of
 * twice as many cells, or of labels longer than 100 characters, run out of memory.
 */
const maxCellsSorted = 600_000
/** Number of labels sampled to split a larger sort into ranges. */
const sampledLabels = 10_000

/** Number of files written concurrently. More need more memory and leave no thread for syncing. */
const copyConcurrency = 2

/** Writes tables to files of the history folder. */
export class Writing {
  readonly #database: EngineDatabase
  readonly #files: HistoryFiles
  readonly #staging: Staging
  readonly #copying = new Lane(copyConcurrency)

  private constructor(database: EngineDatabase, files: HistoryFiles, staging: Staging) {
    this.#database = database
    this.#files = files
    this.#staging = staging
  }

  static async with(database: EngineDatabase, files: HistoryFiles): Promise<Writing> {
    return new Writing(database, files, await Staging.over(database))
  }

  /** Adds a page of rows. */
  async stage(page: StagedPage): Promise<null> {
    await this.#staging.add(page)
    return null
  }

  discard(staging: string): null {
    this.#staging.discard(staging)
    return null
  }

  /** Writes a staged table. @throws errors of the engine and the file system; no file remains */
  async write(table: TableToWrite): Promise<WrittenTable> {
    const { staging, stem, entry, dropsRepeats = false, headers, all, total, composed } = table
    const staged = this.#staging.begun(staging, Math.max(0, headers.length - 1))
    if (dropsRepeats ? staged.rows < entry.rows : staged.rows !== entry.rows)
      throw new Error('What was staged is not all there any more')
    const rules = /[?&]rules=1(&|$)/.test(entry.subject)
    const columns = headers.slice(1).map((header, place): CountColumn => {
      const { integers = true, texts = false } = staged.columns[place] ?? {}
      return { header, name: columnName(header, rules), type: integers ? 'integer' : 'number', texts }
    })
    const { plain, folded } = staged
    const beside = { headers, all, total, plain, folded, ...(composed && { composed }) }
    const head = writeHead({ ...beside, columns: entry.whole ? columns : [] })
    const { range } = entry
    try {
      const file = entry.whole
        ? await this.#write(
            stem,
            [{ ...entry, head }],
            entry.rows,
            await this.#staging.select(staging, { range, columns, dropsRepeats }),
          )
        : await this.#write(stem, [{ ...entry, head }], 1, totalsSelected(range, total))
      if (!file) throw new Error('Not all rows were written')
      return { file, head }
    } finally {
      this.discard(staging)
    }
  }

  /** Writes several tables to one file; null if one of their files cannot be read. */
  async join({ tables, stem }: TablesToJoin): Promise<HistoryFile | null> {
    const files = [...new Map(tables.map(({ file }) => [file.path, file])).values()]
    if (!files.every((file) => this.#files.isSound(file))) return null
    const entries = tables.map(
      ({ id, dataScope, subject, range, fetchedAt, whole, rows, doubt, head }): TableEntry => ({
        id,
        dataScope,
        subject,
        range,
        fetchedAt,
        whole,
        rows,
        doubt,
        head,
      }),
    )
    const placeOf = ({ path }: HistoryFile) => this.#files.placeOf(path)
    const bound = {
      files: textList(files.map(placeOf)),
      places: textList(tables.map(({ file }) => placeOf(file))),
      days: textList(tables.map(({ range }) => range.start)),
    }
    // A single scan of all files, because concurrent scans each need memory. Folder names are not read as columns, since they
    // would be written to the file. A file may contain days that were replaced.
    const select = `SELECT * FROM read_parquet($files::VARCHAR[], hive_partitioning = false, union_by_name = true)
      SEMI JOIN (SELECT unnest($places::VARCHAR[]) AS filename, unnest($days::VARCHAR[])::DATE AS day) USING (filename, day)`
    const toSort = tables.every(({ whole }) => whole)
    const lines = tables.reduce((sum, table) => sum + (table.whole ? table.rows : 1), 0)
    try {
      return await this.#write(stem, entries, lines, { select, bound, toSort })
    } catch (error) {
      // Another instance of the app may have joined and deleted the files meanwhile.
      if (files.every((file) => this.#files.isSound(file))) throw error
      return null
    }
  }

  /** Whether no row group starts before the last label of the previous one. @throws errors of the engine */
  async isSorted(path: HistoryPath): Promise<boolean> {
    // Long labels are truncated in statistics and not compared, because they would seem to overlap.
    const groups = `SELECT min_is_exact AND stats_min_value < lag(stats_max_value) OVER by_group AND lag(max_is_exact) OVER by_group AS falls
      FROM parquet_metadata($place) WHERE path_in_schema = 'label' WINDOW by_group AS (ORDER BY row_group_id)`
    const sql = `SELECT count(*) FROM (${groups}) WHERE falls`
    const [[found] = []] = await this.#database.columns(sql, { place: this.#files.placeOf(path) })
    return Number(found) === 0
  }

  /** Reads and verifies a file that is not in the catalogue. */
  async inspect(path: HistoryPath): Promise<InspectedFile> {
    const measured = this.#files.measure(path)
    if (measured.kind === 'unreadable') return { kind: 'unknown' }
    const { size, checksum } = measured
    if (checksum !== checksumIn(path)) return { kind: 'damaged' }
    try {
      const entries = await this.entries(path)
      if (!entries || !(await this.#holds(this.#files.placeOf(path), entries))) return { kind: 'unknown' }
      return { kind: 'whole', file: { path, size, checksum, tables: entries.length }, entries }
    } catch {
      return { kind: 'unknown' }
    }
  }

  /** Reads the list of tables in a file's metadata; null if the file is foreign. @throws errors of the engine */
  async entries(path: HistoryPath): Promise<readonly TableEntry[] | null> {
    const sql = `SELECT decode(value) FROM parquet_kv_metadata($place) WHERE decode(key) = $key`
    const place = this.#files.placeOf(path)
    const [[text] = []] = await this.#database.columns(sql, { place, key: entriesKey })
    return (typeof text === 'string' ? readEntries(text) : undefined) ?? null
  }

  /**
   * Whether a file contains the columns that its metadata names. A matching checksum does not prove that. Reads the whole file.
   */
  async #holds(place: string, entries: readonly TableEntry[]): Promise<boolean> {
    const heads = entries.filter(({ whole }) => whole).map(({ head }) => readHead(head))
    const counts = heads.flatMap((head) => head?.columns ?? [])
    const names = counts.flatMap(({ name, texts }) => [
      `"${name}"::DOUBLE`,
      ...(texts ? [`"${name}_text"::VARCHAR`] : []),
    ])
    const rows = heads.length > 0 ? [...labels.map((label) => `${label}::VARCHAR`), ...names] : []
    const read = ['file', 'day::DATE', ...new Set(rows)].map((row) => `bit_xor(hash(${row}))`)
    const sql = `SELECT ${read.join(', ')} FROM read_parquet($place, hive_partitioning = false) AS file`
    await this.#database.columns(sql, { place })
    return heads.every((head) => head !== undefined)
  }

  /** @returns null if the number of rows written differs from `lines`; then no file remains */
  async #write(
    stem: HistoryStem,
    entries: readonly TableEntry[],
    lines: number,
    rows: RowsToWrite,
  ): Promise<HistoryFile | null> {
    const draft = this.#files.draftOf(stem)
    const columns = columnsIn(entries)
    const parts: string[] = []
    try {
      const written = await this.#copying.run(async () => {
        const cells = lines * (columns + labels.length)
        const { select, bound } = rows.toSort ? await this.#sorted(rows, cells, parts) : rows
        // Level 1 takes 3 % more disk space than the default 3, and is read and written a tenth faster.
        const copy = `COPY (${select}) TO $draft
          (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${groupOf(columns)},
          KV_METADATA {${entriesKey}: $entries})`
        return this.#database.columns(copy, { ...bound, draft, entries: writeEntries(entries) })
      })
      if (Number(written[0]?.[0]) === lines)
        return { tables: entries.length, ...(await this.#files.publish(draft, stem)) }
      this.#files.drop(draft)
      return null
    } catch (error) {
      this.#files.drop(draft)
      throw error
    } finally {
      for (const part of parts) rmSync(part, { force: true })
    }
  }

  /**
   * Sorts rows by label and day. If they exceed memory, sorts one range of labels after the other.
   * @param parts receives the temporary files from which the sorted rows are read
   */
  async #sorted({ select, bound }: RowsToWrite, cells: number, parts: string[]) {
    const order = 'ORDER BY label, day'
    if (cells <= maxCellsSorted) return { select: `${select} ${order}`, bound }
    const ranges = Math.ceil(cells / maxCellsSorted)
    const shares = Array.from({ length: ranges - 1 }, (_, nth) => (nth + 1) / ranges)
    const sample = `(SELECT label FROM (${select})) USING SAMPLE reservoir(${sampledLabels} ROWS) REPEATABLE (1)`
    const [edges = []] = await this.#database.columns(
      `SELECT DISTINCT unnest(quantile_disc(label, [${shares.join(', ')}])) AS edge FROM ${sample} ORDER BY edge`,
      bound,
    )
    mkdirSync(this.#database.temporary, { recursive: true, mode: 0o700 })
    const name = newTableId()
    for (const [nth, from] of ['', ...edges, null].entries()) {
      const to = edges[nth] ?? null
      const part = join(this.#database.temporary, `${name}_${nth}.parquet`)
      parts.push(part)
      const range = from === null ? 'label IS NULL' : `label >= $from ${to === null ? '' : 'AND label < $to'}`
      await this.#database.columns(
        `COPY (SELECT * FROM (${select}) WHERE ${range} ${order}) TO $part (FORMAT parquet, ROW_GROUP_SIZE ${vectorRows})`,
        { ...bound, part, from, to },
      )
    }
    // With one thread, the engine reads the files in order.
    return {
      select: 'SELECT * FROM read_parquet($parts::VARCHAR[], hive_partitioning = false)',
      bound: { parts: textList(parts) },
    }
  }
}

/** Number of counts per row. */
const columnsIn = (entries: readonly TableEntry[]): number =>
  Math.max(0, ...entries.map(({ head }) => readHead(head)?.columns.length ?? 0))

/** Rows of a row group. @param columns number of columns besides the label's */
export function groupOf(columns: number): number {
  const vectors = Math.floor(maxCellsInGroup / (columns + labels.length) / vectorRows)
  return Math.min(groupRows, Math.max(1, vectors) * vectorRows)
}

/** Integers outside the safe range are bound as text, because the driver would bind them as BIGINT. */
const isBig = (count: Cell): boolean => typeof count === 'number' && !Number.isSafeInteger(count)

const totalColumn = ([name, count]: readonly [string, Cell], nth: number): string =>
  `$n${nth}::${isBig(count) ? 'DOUBLE' : 'BIGINT'} AS "${totalColumnName(name)}"`

/** Statement for totals as a single row. Texts in totals are only stored in the head. */
function totalsSelected(range: DayRange, total: Totals): RowsToWrite {
  const counts = Object.values(total).map((count, nth) => {
    const bound = typeof count === 'string' ? null : count
    return [`n${nth}`, isBig(bound) ? String(bound) : bound]
  })
  const columns = [dayColumns, ...Object.entries(total).map(totalColumn)]
  return {
    select: `SELECT ${columns.join(', ')}`,
    bound: { ...daysBound(range), ...Object.fromEntries(counts) },
    toSort: false,
  }
}
