import { createReadStream, createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Session } from '#main/analytics/database.ts'
import type { Bound } from '#main/analytics/statement.ts'
import type { ChecksummedFiles } from '#main/analytics/checksummed-files.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { Instant } from '#shared/values/ids.ts'
import { parseLeniently, mayHaveLongLine } from '../csv/lenient-parser.ts'
import { nameColumns, typeOf, packed, longestRecord } from '../csv/columns.ts'
import type { NamedColumn } from '../csv/columns.ts'
import { entryKey, maxStored, restOfRow, writeEntry, stemOf } from '#main/analytics/rows-layout.ts'
import type { RowsEntry, SeenFile, StoredColumn, RowsPath, RowsStem } from '#main/analytics/rows-layout.ts'
import type { ReadIn, ReadRows } from './rows-engine.ts'
import { quoted, isWritten, noTime, timeColumns, timeParts, withMoments } from './time.ts'
import type { Unpacked } from './tables.ts'

/** Rows that are held in memory until they are written. Tables of many columns hold fewer of them. */
const groupRows = 61_440
const maxCellsHeld = 1_500_000

/** Read at a time by the engine, in bytes: a record has to fit. */
const portion = 5 << 20

/** So many rows are looked at to tell which columns may hold numbers or moments. */
const sampled = 1000

/** A table with its columns. One of very many is packed: the cells behind the first stand in one. */
type Placed = {
  readonly table: Unpacked
  readonly columns: readonly NamedColumn[]
  readonly nth: number
  readonly isPacked: boolean
}

/** What is asked for, and what its file was when it was unpacked. */
type ToWrite = ReadIn & { readonly seen: SeenFile | null }

/** Reads one archive's tables into one file of rows, and says so in one of unreadable lines. */
export class ArchiveImport {
  readonly #session: Session
  readonly #files: ChecksummedFiles<RowsPath, RowsStem>
  readonly #toWrite: ToWrite
  readonly #folder: string
  readonly #throwIfOver: () => void

  constructor(
    session: Session,
    files: ChecksummedFiles<RowsPath, RowsStem>,
    request: ToWrite,
    folder: string,
    throwIfOver: () => void,
  ) {
    this.#session = session
    this.#files = files
    this.#toWrite = request
    this.#folder = folder
    this.#throwIfOver = throwIfOver
  }

  async run(tables: readonly Unpacked[]): Promise<ReadRows> {
    const { about, source, seen } = this.#toWrite
    const rowsStem = stemOf(about.owner, about.id, 'rows')
    const entryStem = stemOf(about.owner, about.id, 'entry')
    const rowsDraft = this.#files.draftOf(rowsStem)
    const entryDraft = this.#files.draftOf(entryStem)
    try {
      let read = tables.map(place)
      let named: readonly StoredColumn[]
      let lenient = read.map((): LenientResult | null => null)
      let count: number
      try {
        if (read.some(({ isPacked }) => isPacked)) throw new BadLines()
        // A line that is longer than a portion the engine leaves out and does not say so.
        for (const { table } of read)
          if (await mayHaveLongLine(table.path, portion, table.ending.charCodeAt(table.ending.length - 1)))
            throw new BadLines()
        named = await this.#kinds(read)
        count = await this.#write(read, named, rowsDraft)
        const suspect = await this.#suspect(read)
        if (suspect.length > 0) throw new BadLines()
      } catch (error) {
        if (!(error instanceof BadLines) && !isOfTable(error)) throw error
        if (read.some(liesInPlace)) throw new NotAsItLies()
        await this.#dropRejects(read)
        lenient = await Promise.all(read.map((placed) => this.#carefully(placed)))
        read = read.map((placed, nth) => ({ ...placed, table: lenient[nth]?.table ?? placed.table }))
        named = await this.#kinds(read)
        count = await this.#write(read, named, rowsDraft)
      }
      this.#throwIfOver()
      for (const { table } of read) if (await table.lying?.hasChanged()) throw new NotAsItLies()
      const columns = await this.#checkNumbers(named, rowsDraft)
      const { first, last } = await this.#span(columns, rowsDraft)
      const [unreadable, lines, bound] = await this.#unreadable(read, lenient)
      const rows = await this.#files.publish(rowsDraft, rowsStem)
      const entry: RowsEntry = {
        ...about,
        type: about.type ?? typeOf(columns, await this.#results(columns, rows.path)),
        source,
        ...(seen && { seen }),
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

  /** Which columns hold moments, and which may hold numbers, by the first rows. Columns of several tables are joined by name. */
  async #kinds(tables: readonly Placed[]): Promise<readonly StoredColumn[]> {
    const all = new Map<string, { column: NamedColumn; time: boolean; number: boolean }>()
    for (const placed of tables) {
      const tests = stored(placed).flatMap((_, nth) => [
        `count(c${nth})`,
        `count(*) FILTER (${isWritten(`c${nth}`)})`,
        `count(TRY_CAST(c${nth} AS DOUBLE))`,
      ])
      const counts: number[] = []
      // A statement that tests thousands of columns at once takes longer than several that do not.
      for (let first = 0; first < tests.length; first += 300) {
        const some = tests.slice(first, first + 300).join(', ')
        const [row = []] = await this.#rows(
          `SELECT ${some} FROM (SELECT * FROM ${this.#csv(placed, false)} LIMIT ${sampled})`,
          { [`p${placed.nth}`]: placed.table.path },
        )
        counts.push(...row.map(Number))
      }
      for (const [nth, column] of placed.columns.entries()) {
        const [filled = 0, moments = 0, numbers = 0] = counts.slice(nth * 3, nth * 3 + 3)
        const time =
          moments > 0 && (column.standard === 'timestamp' ? moments * 2 >= filled : moments === filled)
        const known = all.get(column.name)
        all.set(column.name, {
          column: known?.column ?? column,
          time: time && (known?.time ?? true),
          number: filled > 0 && numbers === filled && (known?.number ?? true),
        })
      }
    }
    const columns = [...all.values()].map(({ column, time, number }): StoredColumn => ({
      ...column,
      kind: time ? 'time' : number ? 'number' : 'text',
    }))
    const separate = tables.some(({ isPacked }) => isPacked) ? maxStored : columns.length
    const rest = columns
      .slice(separate)
      .map((column, nth) => ({ ...column, stored: restOfRow, place: nth + 1 }))
    return [...withFreeNames(columns.slice(0, separate)), ...rest]
  }

  /** @returns how many rows were written */
  async #write(tables: readonly Placed[], columns: readonly StoredColumn[], draft: string): Promise<number> {
    const selects = tables.map((placed) => {
      const places = new Map(placed.columns.map(({ name }, nth) => [name, nth]))
      const cells = columns
        .filter(({ place = 1 }) => place === 1)
        .map(({ name, kind, stored: as }) => {
          const place = places.get(name)
          if (kind === 'time' && place !== undefined) return timeColumns(`c${place}`, as)
          if (kind === 'time') return noTime(as)
          return `${place === undefined ? 'NULL::VARCHAR' : `c${place}`} AS ${quoted(as)}`
        })
      const moments = columns.flatMap(({ name, kind }) => (kind === 'time' ? (places.get(name) ?? []) : []))
      const table = withMoments(
        this.#csv(placed, true),
        moments.map((place) => `c${place}`),
      )
      return `SELECT ${cells.join(', ')} FROM ${table}`
    })
    const group = Math.max(
      2048,
      Math.min(groupRows, Math.floor(maxCellsHeld / Math.min(columns.length, maxStored) / 2048) * 2048),
    )
    const bound = Object.fromEntries(tables.map(({ nth, table }) => [`p${nth}`, table.path]))
    const [[written] = []] = await this.#rows(
      `COPY (${selects.join(' UNION ALL ')}) TO $draft (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${group})`,
      { ...bound, draft },
    )
    return Number(written)
  }

  #csv(placed: Placed, rejects: boolean): string {
    const { table, columns, nth, isPacked } = placed
    const cells = isPacked ? columns.slice(0, maxStored + 1) : columns
    const types = cells.map((_, place) => `'c${place}': 'VARCHAR'`).join(', ')
    const delimiter = { ',': ',', ';': ';', '\t': '\\t' }[table.delimiter]
    const ending = table.ending === '\r\n' ? '\\r\\n' : '\\n'
    const refused = rejects
      ? `store_rejects = true, rejects_table = 'refused_${nth}', rejects_scan = 'scan_${nth}'`
      : 'ignore_errors = true'
    return `read_csv($p${nth}, auto_detect = false, columns = {${types}}, header = ${liesInPlace(placed)}, delim = '${delimiter}', quote = '"',
      escape = '"', new_line = '${ending}', ${refused}, compression = 'none',
      hive_partitioning = false, max_line_size = ${longestRecord}, buffer_size = ${portion})`
  }

  /** Lines that were refused for another reason than too few or too many cells in one line: one bad quote may have taken others along. */
  async #suspect(tables: readonly Placed[]): Promise<unknown[]> {
    const suspect: unknown[] = []
    for (const { nth } of tables)
      suspect.push(
        ...(await this.#rows(
          `SELECT 1 FROM refused_${nth} WHERE error_type NOT IN ('MISSING COLUMNS', 'TOO MANY COLUMNS')
            OR regexp_matches(trim(csv_line, chr(10) || chr(13)), '[\\r\\n]') LIMIT 1`,
        )),
      )
    return suspect
  }

  async #dropRejects(tables: readonly Placed[]): Promise<void> {
    for (const { nth } of tables) {
      await this.#run(`DROP TABLE IF EXISTS refused_${nth}`)
      await this.#run(`DROP TABLE IF EXISTS scan_${nth}`)
    }
  }

  /** Writes a table anew without the lines that are no records, and those into a file of their own. */
  async #carefully({ table, columns, nth, isPacked }: Placed): Promise<LenientResult> {
    const path = join(this.#folder, `careful-${nth}.csv`)
    const refused = join(this.#folder, `refused-${nth}.csv`)
    const records = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    const lines = createWriteStream(refused, { flags: 'wx', mode: 0o600 })
    let unreadable = 0
    const pieces = createReadStream(table.path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>
    const { delimiter, firstLine } = table
    const rewrite = isPacked ? (record: Buffer) => packed(record, delimiter, maxStored) : undefined
    for await (const piece of parseLeniently(pieces, delimiter, columns.length, firstLine, rewrite)) {
      this.#throwIfOver()
      if (piece.kind === 'unreadable') unreadable += 1
      const [stream, bytes] =
        piece.kind === 'records'
          ? [records, piece.bytes]
          : [lines, `${piece.line},"${piece.why}","${piece.text.replaceAll('"', '""')}"\n`]
      if (!stream.write(bytes)) await once(stream, 'drain')
    }
    for (const stream of [records, lines]) {
      stream.end()
      await once(stream, 'close')
    }
    return { table: { ...table, path, ending: '\n' }, refused, unreadable }
  }

  /** Of the columns that may hold numbers those that do, in every row. */
  async #checkNumbers(columns: readonly StoredColumn[], draft: string): Promise<readonly StoredColumn[]> {
    const maybe = columns.filter(({ kind }) => kind === 'number')
    const texts = new Set<string>()
    for (let first = 0; first < maybe.length; first += 100) {
      const some = maybe.slice(first, first + 100)
      const tests = some.map(
        ({ stored }) =>
          `count(*) FILTER (${quoted(stored)} IS NOT NULL AND TRY_CAST(${quoted(stored)} AS DOUBLE) IS NULL)`,
      )
      const [row = []] = await this.#rows(
        `SELECT ${tests.join(', ')} FROM read_parquet($draft, hive_partitioning = false)`,
        { draft },
      )
      for (const [nth, { name }] of some.entries()) if (Number(row[nth]) > 0) texts.add(name)
    }
    return columns.map((column) => (texts.has(column.name) ? { ...column, kind: 'text' } : column))
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
    const moment = (value: unknown) => (typeof value === 'bigint' ? (Number(value) as Instant) : null)
    return { first: moment(first), last: moment(last) }
  }

  /** The first values of the column of results. */
  async #results(columns: readonly StoredColumn[], path: RowsPath): Promise<ReadonlySet<string>> {
    const result = columns.find(({ standard }) => standard === 'result')
    if (!result) return new Set()
    const rows = await this.#rows(
      `SELECT DISTINCT ${quoted(result.stored)} FROM (SELECT * FROM read_parquet($place, hive_partitioning = false) LIMIT ${sampled})`,
      { place: this.#files.placeOf(path) },
    )
    return new Set(rows.map(([value]) => String(value)))
  }

  /** How many lines could not be read, and a statement that tells them. */
  async #unreadable(
    tables: readonly Placed[],
    lenient: readonly (LenientResult | null)[],
  ): Promise<[count: number, select: string, bound: Bound]> {
    const parts: string[] = []
    const bound: Record<string, string> = {}
    for (const placed of tables) {
      const { nth, table } = placed
      const skipped = lenient[nth]
      if (skipped && skipped.unreadable > 0) {
        bound[`r${nth}`] = skipped.refused
        parts.push(
          `SELECT * FROM read_csv($r${nth}, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"',
            columns = {'line': 'BIGINT', 'why': 'VARCHAR', 'text': 'VARCHAR'}, new_line = '\\n', strict_mode = false,
            hive_partitioning = false)`,
        )
      }
      if (skipped) continue
      const [[refused] = []] = await this.#rows(`SELECT count(*) FROM refused_${nth}`)
      if (Number(refused) === 0) continue
      const linesBefore = liesInPlace(placed) ? 0 : table.firstLine - 1
      parts.push(
        `SELECT min(line) + ${linesBefore} AS line,
          replace('It has ' || any_value(regexp_extract(error_message, 'Found: (\\d+)', 1)) || ' cells, not '
            || any_value(regexp_extract(error_message, 'Columns: (\\d+)', 1)) || '.', 'has 1 cells', 'has 1 cell') AS why,
          left(trim(any_value(csv_line), chr(10) || chr(13)), 2000) AS "text" FROM refused_${nth} GROUP BY line_byte_position`,
      )
    }
    const none = `SELECT 0::BIGINT AS line, '' AS why, '' AS "text" WHERE false`
    const select = parts.length > 0 ? parts.join(' UNION ALL ') : none
    const [[count] = []] = await this.#rows(`SELECT count(*) FROM (${select})`, bound)
    return [Number(count), `${select} ORDER BY line`, bound]
  }

  async #run(sql: string, bound: Bound = {}): Promise<void> {
    // Whoever gives it up interrupts a statement that runs, and none may run at that moment.
    this.#throwIfOver()
    await this.#session.rows(sql, bound)
  }

  async #rows(sql: string, bound: Bound = {}): Promise<readonly (readonly unknown[])[]> {
    this.#throwIfOver()
    return await this.#session.rows(sql, bound)
  }
}

type LenientResult = { readonly table: Unpacked; readonly refused: string; readonly unreadable: number }

/** Thrown where the engine's own reading may have taken more for a bad line than is one. */
class BadLines extends Error {}

/** Thrown where a table cannot be read where it lies: a copy of it may be read another way. */
export class NotAsItLies extends Error {}

/** What the engine refuses a table with, as against what the disk or a person stops. */
const isOfTable = (error: unknown): boolean =>
  error instanceof Error &&
  /CSV|Invalid Input|Conversion/.test(error.message) &&
  !/Interrupt|Permission|No space/i.test(error.message)

function place(table: Unpacked, nth: number, all: readonly Unpacked[]): Placed {
  const isPacked = table.headers.length > maxStored + 1
  if (isPacked && all.length > 1)
    throw new DeskFailure({
      kind: 'invalid',
      message: 'There are several tables in this archive, and one has too many columns. Add them one by one.',
    })
  return { table, nth, isPacked, columns: nameColumns(table.headers) }
}

const liesInPlace = ({ table }: Placed): boolean => table.lying !== null

/** The columns of a table that stand alone. */
const stored = ({ columns, isPacked }: Placed) => (isPacked ? columns.slice(0, maxStored) : columns)

/** The column that says when: the service's own, else the first that holds moments. */
const timeColumnOf = (columns: readonly StoredColumn[]): StoredColumn | undefined =>
  columns.find(({ kind, standard }) => kind === 'time' && standard === 'timestamp') ??
  columns.find(({ kind }) => kind === 'time')

/** Two tables may have different headers that are stored alike. */
function withFreeNames(columns: readonly StoredColumn[]): StoredColumn[] {
  const taken = new Set<string>([restOfRow])
  return columns.map((column) => {
    let name = column.stored
    for (let number = 2; taken.has(name); number += 1) name = `${column.stored}_t${number}`
    taken.add(name)
    return { ...column, stored: name }
  })
}
