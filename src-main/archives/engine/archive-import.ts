import { createReadStream, createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { join } from 'node:path'
import type { Session } from '#main/analytics/engine-database.ts'
import type { Bound, Value } from '#main/analytics/statement.ts'
import { destroyStream } from '#main/files/disk-failure.ts'
import { dropFolder } from '#main/lib/work-folder.ts'
import type { ChecksummedFiles } from '#main/analytics/checksummed-files.ts'
import { isEpoch, isNumberForm, isTimeForm } from '#shared/archives/rows-file.ts'
import type { ImportDoubt } from '#shared/archives/rows-file.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant } from '#shared/values/ids.ts'
import { withoutGuards } from '#shared/values/delimited.ts'
import { asUtf8, utf8 } from '../csv/decode.ts'
import type { OddBytes } from '../csv/decode.ts'
import { parseLeniently } from '../csv/lenient-parser.ts'
import type { LenientRules } from '../csv/lenient-parser.ts'
import { repeatedHeader } from '../csv/dialect.ts'
import { typeOf, packed } from '../csv/columns.ts'
import type { NamedColumn } from '../csv/columns.ts'
import { dateOrderSql, detectColumns, doubtsOf, numberSql, oddOnes, orderOf } from '../csv/values.ts'
import type { ColumnDoubts, DateOrder } from '../csv/values.ts'
import { placeholderSql } from '../csv/sample-records.ts'
import { entryKey, maxStored, restOfRow, writeEntry, rowsStemOf } from '#main/analytics/rows-layout.ts'
import type { RowsEntry, SeenFile, StoredColumn, RowsPath, RowsStem } from '#main/analytics/rows-layout.ts'
import type { ImportRequest, ImportedFile } from './rows-engine.ts'
import { namesNoZone, quoted, noTime, timeColumns, timeParts, withMoments } from './time.ts'
import { addressMacros, addressPart, addressRoles, addressSql, severalSql, timeColumnOf } from './relation.ts'
import {
  choiceOf,
  csvSql,
  isForEngine,
  isOfTable,
  lacksCells,
  lacksCellsOf,
  ownColumns,
  placeTable,
  withCellsFilled,
} from './placed-tables.ts'
import type { PlacedTable } from './placed-tables.ts'
import { counted, readAsOf, rulesOf } from './tables.ts'
import type { Unpacked } from './tables.ts'

/** Maximum bytes and cells of a row group, held in memory until it is written. */
const groupBytes = 16 << 20
const maxCellsHeld = 1_500_000

/** Bytes of records that wait for the disk while the next records are parsed. */
const maxUnwritten = 4 << 20

/** Rows read to detect the types of columns. Wide tables read fewer rows. */
const sampled = 1000
const maxCellsSampled = 300_000

/** Rows that the engine reads and writes at once. It rounds larger row groups to this number. */
const vectorRows = 2048

/** The import request, with size and time of its file when it was unpacked, and the maximum rows of a row group. */
type ToWrite = ImportRequest & { readonly seen: SeenFile | null; readonly groupRows: number }

/** Imports the tables of an archive into one rows file. An entry file describes them and holds the unreadable lines. */
export class ArchiveImport {
  readonly #session: Session
  readonly #files: ChecksummedFiles<RowsPath, RowsStem>
  readonly #toWrite: ToWrite
  readonly #folder: string
  readonly #step: (bytes?: number) => void
  #doubtsOfColumns: readonly ImportDoubt[] = []
  #hasBareTimes = false
  /** Estimated length of a row, in characters. */
  #rowLength = 1

  /** @param step called with bytes that were read; throws to end the import */
  constructor(
    session: Session,
    files: ChecksummedFiles<RowsPath, RowsStem>,
    request: ToWrite,
    folder: string,
    step: (bytes?: number) => void,
  ) {
    this.#session = session
    this.#files = files
    this.#toWrite = request
    this.#folder = folder
    this.#step = step
  }

  async run(tables: readonly Unpacked[]): Promise<ImportedFile> {
    const { about, source, seen } = this.#toWrite
    const rowsStem = rowsStemOf(about.dataScope, about.id, 'rows')
    const entryStem = rowsStemOf(about.dataScope, about.id, 'entry')
    const rowsDraft = this.#files.draftOf(rowsStem)
    const entryDraft = this.#files.draftOf(entryStem)
    try {
      for (const macro of addressMacros) await this.#run(macro)
      const { read, named, count, short, lenient } = await this.#readInto(rowsDraft, tables)
      this.#step()
      for (const { table } of read) if (await table.inPlace?.hasChanged()) throw new NotReadableInPlace()
      // Syncing the rows would also write the copies of their tables to the disk.
      for (const { table } of read) dropFolder(table.path)
      const typed = await this.#countOdd(named, rowsDraft, (name) => choiceOf(read, name)?.form !== undefined)
      const columns = await this.#countSeveral(typed, rowsDraft)
      const { first, last } = await this.#span(columns, rowsDraft)
      const [unreadable, lines, bound] = await this.#unreadable(lenient)
      const rows = await this.#files.publish(rowsDraft, rowsStem)
      const entry: RowsEntry = {
        ...about,
        type: about.type ?? typeOf(columns, await this.#results(columns, rows.path)),
        source,
        ...(seen && { seen }),
        readAs: read.map(({ table }, nth) =>
          readAsOf(
            { ...table, isGuarded: tables[nth]?.isGuarded ?? false },
            { short: short[nth] ?? 0, ofColumns: this.#doubtsOfColumns },
          ),
        ),
        ...(this.#hasBareTimes && { zone: this.#toWrite.zone }),
        columns,
        count,
        unreadable,
        first,
        last,
        rows,
      }
      await this.#run(
        `COPY (${lines}) TO $draft (FORMAT parquet, COMPRESSION zstd, KV_METADATA {${entryKey}: $entry})`,
        { ...bound, draft: entryDraft, entry: writeEntry(entry) },
      )
      const { path: entryPath } = await this.#files.publish(entryDraft, entryStem)
      return { entry, entryPath }
    } finally {
      this.#files.drop(rowsDraft)
      this.#files.drop(entryDraft)
    }
  }

  /** Writes the rows file by the engine's own reader, or by our own parser where the engine could drop more than the bad lines. */
  async #readInto(draft: string, tables: readonly Unpacked[]): Promise<ReadTables> {
    const read = tables.map(placeTable)
    if (await isForEngine(read)) {
      let done = await this.#byEngine(read, draft)
      if (done instanceof Error && (await lacksCells(done, read)))
        done = await this.#byEngine(read.map(withCellsFilled), draft)
      if (!(done instanceof Error)) return done
    }
    const lenient = await Promise.all(read.map((placed) => this.#leniently(placed)))
    const rewritten = read.map((placed, nth) => ({ ...placed, table: lenient[nth]?.table ?? placed.table }))
    const named = await this.#kinds(rewritten)
    const count = await this.#write(rewritten, named, draft)
    return { read: rewritten, named, count, short: lenient.map(({ short }) => short), lenient }
  }

  /** @returns the engine's error if it rejects the content of a table */
  async #byEngine(read: readonly PlacedTable[], draft: string): Promise<ReadTables | Error> {
    try {
      const named = await this.#kinds(read)
      const count = await this.#write(read, named, draft)
      return { read, named, count, short: await this.#short(read, draft), lenient: [] }
    } catch (error) {
      if (isOfTable(error)) return error
      throw error
    }
  }

  /** Counts the rows of each table whose missing cells were filled. */
  async #short(read: readonly PlacedTable[], draft: string): Promise<readonly number[]> {
    const filled = read.filter(({ missing }) => missing !== null)
    if (filled.length === 0) return []
    const [row = []] = await this.#rows(
      `SELECT ${filled.map(({ nth }) => `count(*) FILTER (${lacksCellsOf} = ${nth})`).join(', ')}
        FROM read_parquet($draft, hive_partitioning = false) WHERE ${lacksCellsOf} IS NOT NULL`,
      { draft },
    )
    return row.map(Number)
  }

  /** Detects the types of columns from the first rows. Columns of several tables are joined by name. */
  async #kinds(tables: readonly PlacedTable[]): Promise<readonly StoredColumn[]> {
    const all = new Map<string, { readonly column: NamedColumn; readonly cells: string[] }>()
    for (const placed of tables) {
      const cells = ownColumns(placed).map((_, nth) => `c${nth}`)
      const rest = placed.isPacked ? [`strlen(c${cells.length})`] : []
      const rows = await this.#rows(
        `SELECT ${[...cells, ...rest].join(', ')} FROM ${csvSql(placed, 'ignored')}
          LIMIT ${Math.max(20, Math.min(sampled, Math.floor(maxCellsSampled / cells.length)))}`,
        { [`p${placed.nth}`]: placed.table.path },
      )
      this.#rowLength = Math.max(this.#rowLength, meanLength(rows))
      for (const [nth, column] of placed.columns.entries()) {
        const known = all.get(column.name) ?? { column, cells: [] }
        for (const row of rows) if (typeof row[nth] === 'string') known.cells.push(row[nth])
        all.set(column.name, known)
      }
    }
    const columns: StoredColumn[] = []
    const looks: ColumnDoubts[] = []
    const found = detectColumns([...all.values()], (name) => choiceOf(tables, name))
    for (const { column, cells, look, standard, isOrdered, ...decimals } of found) {
      const order = isOrdered ? null : await this.#dateOrder(tables, column)
      const guess = order ? orderOf(cells, order) : decimals.guess
      looks.push({ standard, kind: look.kind, isEmpty: cells.length === 0, guess })
      const address = standard !== null && addressRoles.has(standard) && look.kind === 'text'
      columns.push({
        ...{ ...column, standard, ...look },
        ...(guess && { form: guess.form }),
        ...(address && { address }),
      })
    }
    this.#doubtsOfColumns = doubtsOf(looks)
    const separate = tables.some(({ isPacked }) => isPacked) ? maxStored : columns.length
    // Times and addresses are stored in additional columns, which packed cells do not have.
    const rest = columns.slice(separate).map(({ name, standard, kind, form }, nth): StoredColumn => {
      const look = kind === 'number' ? { kind, ...(form && { form }) } : { kind: 'text' as const }
      return { name, standard, ...look, stored: restOfRow, place: nth + 1 }
    })
    return [...withFreeNames(columns.slice(0, separate)), ...rest]
  }

  /** Counts the unambiguous dates in all rows of a column. */
  async #dateOrder(tables: readonly PlacedTable[], { name }: NamedColumn): Promise<DateOrder> {
    const order = { days: 0, months: 0 }
    for (const placed of tables) {
      const nth = placed.columns.findIndex((column) => column.name === name)
      if (nth < 0) continue
      const [[days, months] = []] = await this.#rows(
        `SELECT ${dateOrderSql(`c${nth}`).join(', ')} FROM ${csvSql(placed, 'ignored')}`,
        { [`p${placed.nth}`]: placed.table.path },
      )
      order.days += Number(days)
      order.months += Number(months)
    }
    return order
  }

  /** Writes the rows file. @returns the number of rows */
  async #write(
    tables: readonly PlacedTable[],
    columns: readonly StoredColumn[],
    draft: string,
  ): Promise<number> {
    const selects = tables.map((placed) => {
      const places = new Map(placed.columns.map(({ name }, nth) => [name, nth]))
      const cells = columns
        .filter(({ place = 1 }) => place === 1)
        .map(({ name, kind, stored: as, form, address }) => {
          const place = places.get(name)
          const how = { form: isTimeForm(form) ? form : 'year-first', zone: this.#toWrite.zone } as const
          if (kind === 'time' && place !== undefined) return timeColumns(`c${place}`, as, how)
          if (kind === 'time') return noTime(as)
          const cell = place === undefined ? 'NULL::VARCHAR' : `c${place}`
          const usual = address ? `, ${addressSql(cell)} AS ${addressPart(as)}` : ''
          return `${cell} AS ${quoted(as)}${usual}`
        })
      const moments = columns.flatMap(({ name, kind }) => (kind === 'time' ? (places.get(name) ?? []) : []))
      const table = withMoments(
        csvSql(placed, 'thrown'),
        moments.map((place) => `c${place}`),
      )
      if (placed.missing !== null) cells.push(lacksCellsOf)
      return `SELECT ${cells.join(', ')} FROM ${table}`
    })
    const bound = Object.fromEntries(tables.map(({ nth, table }) => [`p${nth}`, table.path]))
    const [[written] = []] = await this.#rows(
      `COPY (${selects.join(' UNION ALL ')}) TO $draft (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1,
        ROW_GROUP_SIZE ${this.#groupRows(columns.length)})`,
      { ...bound, draft },
    )
    return Number(written)
  }

  /** Rows of a row group. An answer reads at most one row group at once, so that long rows need short ones. */
  #groupRows(columns: number): number {
    const rows = Math.min(
      this.#toWrite.groupRows,
      Math.max(vectorRows, maxCellsHeld / Math.min(columns, maxStored)),
      groupBytes / this.#rowLength,
    )
    return rows < vectorRows ? Math.max(1, Math.floor(rows)) : Math.floor(rows / vectorRows) * vectorRows
  }

  /** Rewrites a table without unreadable lines, which go to a file of their own. */
  async #leniently({ table, columns, nth, isPacked }: PlacedTable): Promise<LenientResult> {
    const path = join(this.#folder, `careful-${nth}.csv`)
    const refused = join(this.#folder, `refused-${nth}.csv`)
    const records = createWriteStream(path, { flags: 'wx', mode: 0o600, highWaterMark: maxUnwritten })
    const lines = createWriteStream(refused, { flags: 'wx', mode: 0o600 })
    let refusal: Error | undefined
    for (const stream of [records, lines]) stream.on('error', (error) => (refusal ??= error))
    let unreadable = 0
    let short = 0
    const { from, to, dialect, firstLine } = table
    const range = { highWaterMark: 1 << 20, start: from, end: Math.max(from, to) - 1 }
    const pieces = from < to ? (createReadStream(table.path, range) as AsyncIterable<Buffer>) : nothing()
    const odd: OddBytes = { letters: 0, bytes: 0, marked: utf8, mark: 0, samples: [] }
    // A copy is already UTF-8, and counted. A table that is read in place is checked here.
    const read = table.isPlain ? pieces : counted(pieces, this.#step)
    const text = table.inPlace ? asUtf8(read, utf8, odd) : pieces
    const ending: LenientRules['ending'] = table.ending === '\r\n' ? '\r\n' : '\n'
    const how: LenientRules = {
      ...{ rules: rulesOf(dialect), columns: columns.length, firstLine, ending },
      isRow: beginsLikeARow(columns),
      short: () => (short += 1),
      ...(dialect.repeatsHeader && { isRepeated: repeatedHeader(table.headers) }),
      ...(isPacked && {
        rewrite: (cells: readonly string[]) =>
          packed(table.isGuarded ? cells.map(withoutGuards) : cells, maxStored),
      }),
    }
    try {
      for await (const piece of parseLeniently(text, how)) {
        this.#step()
        if (refusal) throw refusal
        if (odd.bytes > 0) throw new NotReadableInPlace()
        if (piece.kind === 'unreadable') unreadable += 1
        const [stream, bytes] =
          piece.kind === 'records'
            ? [records, piece.bytes]
            : [lines, `${piece.line},"${piece.why}","${piece.text.replaceAll('"', '""')}"\n`]
        if (!stream.write(bytes)) await once(stream, 'drain')
      }
      for (const stream of [records, lines]) await finished(stream.end())
      dropFolder(table.path)
    } finally {
      await Promise.all([records, lines].map(destroyStream))
    }
    // Packed cells have no guards any more.
    const isGuarded = table.isGuarded && !isPacked
    return { table: { ...table, path, ending, isPlain: false, isGuarded }, refused, unreadable, short }
  }

  /** Counts cells that do not fit their column's type. A number column with too many becomes text, unless the user chose its type. */
  async #countOdd(
    columns: readonly StoredColumn[],
    draft: string,
    isChosen: (name: string) => boolean,
  ): Promise<readonly StoredColumn[]> {
    const odd = new Map<string, number>()
    const typed = columns.filter(({ kind, place }) => kind !== 'text' && place === undefined)
    for (let first = 0; first < typed.length; first += 100) {
      const some = typed.slice(first, first + 100)
      const tests = some.flatMap(({ stored, kind, form }) => {
        const { utc, text } = timeParts(stored)
        const cell = kind === 'time' ? text : quoted(stored)
        const isRead = kind === 'time' ? utc : numberSql(cell, isNumberForm(form) ? form : 'decimal-point')
        return [
          `count(${kind === 'time' ? utc : cell})`,
          `count(*) FILTER (${cell} IS NOT NULL AND ${isRead} IS NULL AND NOT ${placeholderSql(cell)})`,
          kind === 'time' && !isEpoch(form)
            ? `count(*) FILTER (${utc} IS NOT NULL AND ${namesNoZone(text)})`
            : '0',
        ]
      })
      const [row = []] = await this.#rows(
        `SELECT ${tests.join(', ')} FROM read_parquet($draft, hive_partitioning = false)`,
        { draft },
      )
      for (const [nth, { name, kind }] of some.entries()) {
        const [filled = 0, others = 0, bare = 0] = row.slice(nth * 3, nth * 3 + 3).map(Number)
        if (bare > 0) this.#hasBareTimes = true
        if (kind === 'number' && others > filled * oddOnes && !isChosen(name)) odd.set(name, Infinity)
        else if (others > 0) odd.set(name, others)
      }
    }
    return columns.map(({ form, ...column }) => {
      const others = odd.get(column.name) ?? 0
      if (others === Infinity) return { ...column, kind: 'text' }
      return { ...column, ...(form && { form }), ...(others > 0 && { odd: others }) }
    })
  }

  /** Counts the cells that list several addresses. */
  async #countSeveral(columns: readonly StoredColumn[], draft: string): Promise<readonly StoredColumn[]> {
    const addresses = columns.filter(({ address }) => address)
    if (addresses.length === 0) return columns
    const counts = addresses.map(({ stored }) => `count(*) FILTER (${severalSql(stored)})`)
    const [row = []] = await this.#rows(
      `SELECT ${counts.join(', ')} FROM read_parquet($draft, hive_partitioning = false)`,
      { draft },
    )
    return columns.map((column) => {
      const several = Number(row[addresses.indexOf(column)] ?? 0)
      return several > 0 ? { ...column, several } : column
    })
  }

  async #span(
    columns: readonly StoredColumn[],
    draft: string,
  ): Promise<{ readonly first: Instant | null; readonly last: Instant | null }> {
    const time = timeColumnOf(columns)
    if (!time) return { first: null, last: null }
    const { utc } = timeParts(time.stored)
    const [[first, last] = []] = await this.#rows(
      `SELECT epoch_ms(min(${utc})), epoch_ms(max(${utc})) FROM read_parquet($draft, hive_partitioning = false)`,
      { draft },
    )
    const moment = (value: unknown) => (typeof value === 'bigint' ? instantOf(Number(value)) : null)
    return { first: moment(first), last: moment(last) }
  }

  /** First values of the result column. */
  async #results(columns: readonly StoredColumn[], path: RowsPath): Promise<ReadonlySet<string>> {
    const result = columns.find(({ standard }) => standard === 'result')
    if (!result) return new Set()
    const rows = await this.#rows(
      `SELECT DISTINCT ${quoted(result.stored)} FROM (SELECT * FROM read_parquet($place, hive_partitioning = false) LIMIT ${sampled})`,
      { place: this.#files.placeOf(path) },
    )
    return new Set(rows.map(([value]) => String(value)))
  }

  /** Number of unreadable lines, and a statement that selects them. */
  async #unreadable(
    lenient: readonly LenientResult[],
  ): Promise<[count: number, select: string, bound: Bound]> {
    const parts: string[] = []
    const bound: Record<string, string> = {}
    for (const [nth, skipped] of lenient.entries()) {
      if (skipped.unreadable === 0) continue
      bound[`r${nth}`] = skipped.refused
      parts.push(
        `SELECT * FROM read_csv($r${nth}, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"',
          columns = {'line': 'BIGINT', 'why': 'VARCHAR', 'text': 'VARCHAR'}, new_line = '\\n', strict_mode = false,
          hive_partitioning = false)`,
      )
    }
    const none = `SELECT 0::BIGINT AS line, '' AS why, '' AS "text" WHERE false`
    const select = parts.length > 0 ? parts.join(' UNION ALL ') : none
    const [[count] = []] = await this.#rows(`SELECT count(*) FROM (${select})`, bound)
    return [Number(count), `${select} ORDER BY line`, bound]
  }

  async #run(sql: string, bound: Bound = {}): Promise<void> {
    // Cancelling interrupts a running statement, and none may be running at that moment.
    this.#step()
    await this.#session.rows(sql, bound)
  }

  async #rows(sql: string, bound: Bound = {}): Promise<readonly (readonly Value[])[]> {
    this.#step()
    return await this.#session.rows(sql, bound)
  }
}

/** How the tables of an archive were read. */
type ReadTables = {
  readonly read: readonly PlacedTable[]
  readonly named: readonly StoredColumn[]
  readonly count: number
  /** Rows of each table that lacked cells; empty if none did. */
  readonly short: readonly number[]
  /** Results of our own parser, a table each; empty if the engine read them. */
  readonly lenient: readonly LenientResult[]
}

type LenientResult = {
  readonly table: Unpacked
  readonly refused: string
  readonly unreadable: number
  /** Rows that lacked cells at their end. */
  readonly short: number
}

/** Mean length of a row. For packed cells the query returns the length. */
function meanLength(rows: readonly (readonly Value[])[]): number {
  let length = 0
  for (const cell of rows.flat()) length += typeof cell === 'string' ? cell.length : Number(cell)
  return length / Math.max(1, rows.length)
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** A record whose timestamp has no digit is not a row: it is half a line, or another table's. */
function beginsLikeARow(columns: readonly NamedColumn[]): (cells: readonly string[]) => boolean {
  const time = columns.findIndex(({ standard }) => standard === 'timestamp')
  return (cells) => time < 0 || time >= cells.length || /\d/.test(cells[time] ?? '')
}

/** Thrown if a table cannot be read in place. A copy of it may be readable. */
export class NotReadableInPlace extends Error {}

/** Two tables may have different headers with the same stored name. */
function withFreeNames(columns: readonly StoredColumn[]): StoredColumn[] {
  const taken = new Set<string>([restOfRow])
  return columns.map((column) => {
    let name = column.stored
    for (let number = 2; taken.has(name); number += 1) name = `${column.stored}_t${number}`
    taken.add(name)
    return { ...column, stored: name }
  })
}
