import type {
  HistoryFile,
  HistoryPath,
  StoredColumn,
  Entry,
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
import type { EngineDatabase } from '#main/analytics/database.ts'
import { textList } from '#main/analytics/statement.ts'
import { dayColumns, daysBound, labels, Staging } from './staging.ts'
import type { RowsToWrite } from './staging.ts'

/**
 * Rows that are held in memory until they are written: half of the engine's default, for 40 MB less; files are 3 % larger. Fewer
 * where they have many columns.
 */
const groupRows = 61_440
const maxCellsInGroup = 11 * groupRows
/** The engine counts groups in these. */
const vectorRows = 2048

/**
 * Maximum number of cells that the engine sorts at a time, labels among them. It can write to the disk only what it has sorted: two
 * sorts at once of twice as many cells, or of labels of more than a hundred characters, run out of its memory.
 */
const maxCellsSorted = 600_000
/** Labels from which the ranges of a larger sort are estimated. */
const sampledLabels = 10_000

/** Files that are filled at the same time. More want more memory, and leave no thread for those that are being synced. */
const copyConcurrency = 2

/** Writes kept tables into files of the history folder. */
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

  /** Takes a page of rows. */
  async stage(page: StagedPage): Promise<null> {
    await this.#staging.add(page)
    return null
  }

  discard(staging: string): null {
    this.#staging.discard(staging)
    return null
  }

  /** Writes what was staged. @throws errors of the engine and of the file system; then there is no file */
  async write(table: TableToWrite): Promise<WrittenTable> {
    const { staging, stem, entry, dropsRepeats = false, headers, all, total, composed } = table
    const staged = this.#staging.begun(staging, Math.max(0, headers.length - 1))
    if (dropsRepeats ? staged.rows < entry.rows : staged.rows !== entry.rows)
      throw new Error('What was staged is not all there any more')
    const rules = /[?&]rules=1(&|$)/.test(entry.subject)
    const columns = headers.slice(1).map((header, place): StoredColumn => {
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
    const placeOf = ({ path }: HistoryFile) => this.#files.placeOf(path)
    const bound = {
      files: textList(files.map(placeOf)),
      places: textList(tables.map(({ file }) => placeOf(file))),
      days: textList(tables.map(({ range }) => range.start)),
    }
    // One scan of all files: scans side by side hold memory each. The names of the folders are no columns: they would be written
    // into the file. A file may hold days that are kept elsewhere by now.
    const select = `SELECT * FROM read_parquet($files::VARCHAR[], hive_partitioning = false, union_by_name = true)
      SEMI JOIN (SELECT unnest($places::VARCHAR[]) AS filename, unnest($days::VARCHAR[])::DATE AS day) USING (filename, day)`
    const toSort = tables.every(({ whole }) => whole)
    const lines = tables.reduce((sum, table) => sum + (table.whole ? table.rows : 1), 0)
    try {
      return await this.#write(stem, entries, lines, { select, bound, toSort })
    } catch (error) {
      // Another instance may have joined them meanwhile, and removed what it read.
      if (files.every((file) => this.#files.isSound(file))) throw error
      return null
    }
  }

  /** Whether no group of a file begins before the label with which the group before ends. @throws errors of the engine */
  async isSorted(path: HistoryPath): Promise<boolean> {
    // Long labels are cut off in statistics, and then not compared: they would seem to overlap.
    const groups = `SELECT min_is_exact AND stats_min_value < lag(stats_max_value) OVER by_group AND lag(max_is_exact) OVER by_group AS falls
      FROM parquet_metadata($place) WHERE path_in_schema = 'label' WINDOW by_group AS (ORDER BY row_group_id)`
    const sql = `SELECT count(*) FROM (${groups}) WHERE falls`
    const [[found] = []] = await this.#database.columns(sql, { place: this.#files.placeOf(path) })
    return Number(found) === 0
  }

  /** What a file says of itself. */
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

  /** The tables that a file says it holds; null where it says nothing of ours. @throws errors of the engine */
  async entries(path: HistoryPath): Promise<readonly Entry[] | null> {
    const sql = `SELECT decode(value) FROM parquet_kv_metadata($place) WHERE decode(key) = $key`
    const place = this.#files.placeOf(path)
    const [[text] = []] = await this.#database.columns(sql, { place, key: entriesKey })
    return (typeof text === 'string' ? readEntries(text) : undefined) ?? null
  }

  /**
   * Whether a file holds the columns that its entries name: whoever makes a file can make its checksum too, and no answer
   * may depend on a file that none can be computed from. All of it is read. @throws errors of the engine
   */
  async #holds(place: string, entries: readonly Entry[]): Promise<boolean> {
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

  /** @returns null where not exactly so many lines would stand in the file: then there is none */
  async #write(
    stem: HistoryStem,
    entries: readonly Entry[],
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
        // Level 1 takes 3 % more of the disk than the usual 3, and is read and written a tenth faster.
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
   * The same rows by label and day. Rows that memory cannot hold are sorted one range of labels after the other.
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
    // With one thread the engine reads files in their order.
    return {
      select: 'SELECT * FROM read_parquet($parts::VARCHAR[], hive_partitioning = false)',
      bound: { parts: textList(parts) },
    }
  }
}

/** How many counts each row of these tables has. */
const columnsIn = (entries: readonly Entry[]): number =>
  Math.max(0, ...entries.map(({ head }) => readHead(head)?.columns.length ?? 0))

function groupOf(columns: number): number {
  const vectors = Math.floor(maxCellsInGroup / (columns + labels.length) / vectorRows)
  return Math.min(groupRows, Math.max(1, vectors) * vectorRows)
}

/** What no BIGINT holds exactly is bound as text: the engine takes every whole number for a BIGINT. */
const isBig = (count: Cell): boolean => typeof count === 'number' && !Number.isSafeInteger(count)

const totalColumn = ([name, count]: readonly [string, Cell], nth: number): string =>
  `$n${nth}::${isBig(count) ? 'DOUBLE' : 'BIGINT'} AS "${totalColumnName(name)}"`

/** A statement that reads totals as a row of their own, and what is bound in it. Texts stand in the head alone. */
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
