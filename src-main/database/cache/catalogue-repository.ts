import * as v from 'valibot'
import { doubts } from '#shared/reports/answer.ts'
import type { Doubt, Provisional, Discarded, ScopeCheck } from '#shared/reports/answer.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { branded, day, instant } from '#shared/values/schemas.ts'
import { isHistoryPath } from '#main/analytics/history-layout.ts'
import type { HistoryFile, HistoryPath, TableId, TablePlace } from '#main/analytics/history-layout.ts'
import type { Reader, Row, Writer } from '../sqlite/database.ts'

/** What is known of a kept table without looking into its file. */
export type StoredTable = {
  readonly id: TableId
  readonly range: DayRange
  /** When the first of it was fetched. */
  readonly fetchedAt: Instant
  /** False where it has its totals alone. */
  readonly whole: boolean
  readonly rows: number
  /** What it takes of its file, about. */
  readonly bytes: number
  /** Why its rows do not add up; null where they do. */
  readonly doubt: Doubt | null
  readonly file: HistoryFile
  /** What stands beside its rows, written down (src-main/analytics/history-layout.ts). It is read where it is needed. */
  readonly head: string
}

/** A table that lies in a file, to be catalogued. */
export type TableToStore = TablePlace & Omit<StoredTable, 'file' | 'bytes'>

/** A file that was written, and what lies in it. */
export type FileToStore = {
  readonly file: HistoryFile
  readonly tables: readonly TableToStore[]
  /** Under which check they were fetched; absent where no other is waited for. */
  readonly provisional?: Provisional
  /** Whether it was found in the history folder: whether a check confirmed it then shows in its times. */
  readonly isFound?: true
}

/** Where tables are catalogued: confirmed by a check of their data scope's instances, or waiting for one. */
type Shelf = 'kept_tables' | 'provisional_tables'

/** What became of a change: files that hold nothing any more, to be deleted once it is done. */
export type Unused = { readonly unused: readonly HistoryPath[] }

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const historyPath = v.pipe(
  v.string(),
  v.check(isHistoryPath),
  v.transform((path) => path as HistoryPath),
)
const tableRow = v.object({
  id: branded<TableId>(),
  start: day,
  end: day,
  fetchedAt: instant,
  whole: v.picklist([0, 1]),
  rows: count,
  bytes: count,
  doubt: v.nullable(v.picklist(doubts)),
  head: v.string(),
  path: historyPath,
  size: count,
  checksum: v.string(),
  tables: count,
})

/** A row that is no kept table is passed over: its days count as not kept. */
function tableFrom(row: Row): StoredTable | undefined {
  const read = v.safeParse(tableRow, row)
  if (!read.success || read.output.end < read.output.start) return undefined
  const { start, end, whole, path, size, checksum, tables, ...rest } = read.output
  const file = { path, size, checksum, tables }
  return { ...rest, range: { start, end }, whole: whole === 1, file }
}

/** What a table is read from, where its file is joined. */
const tableColumns = `id, first_day AS start, last_day AS end, fetched_at AS fetchedAt, whole, rows, bytes, doubt, head,
  path, size, checksum, history_files.tables AS tables`

/** The tables kept of a subject, by their first day; those over these very days alone where some are given. */
export function listTables(
  from: Reader,
  { owner, subject }: TablePlace,
  { range, shelf = 'kept_tables' }: { readonly range?: DayRange; readonly shelf?: Shelf } = {},
): StoredTable[] {
  const only = range ? 'AND first_day = ? AND last_day = ?' : ''
  const sql = `SELECT ${tableColumns} FROM ${shelf} JOIN history_files ON path = file
    WHERE ${shelf}.owner = ? AND subject = ? ${only} ORDER BY first_day, last_day, whole`
  const bound = range ? [range.start, range.end] : []
  return from.rows(sql, owner, subject, ...bound).flatMap((row) => tableFrom(row) ?? [])
}

/**
 * Catalogues tables of a file, each in place of the older ones of the same days. A newer one stays, unless it claims to come
 * from after `now`. A whole table replaces one of totals alone too; not the other way round.
 * @returns the files that hold nothing any more; the given one where newer tables are there for all of it
 */
export function storeTables(into: Writer, { file, tables, provisional }: FileToStore, now: number): Unused {
  const shelf: Shelf = provisional ? 'provisional_tables' : 'kept_tables'
  return into.together(() => {
    const [first] = tables
    if (!first) return { unused: [file.path] }
    into.write(
      'INSERT OR IGNORE INTO history_files (path, owner, size, checksum, tables) VALUES (?, ?, ?, ?, ?)',
      ...[file.path, first.owner, file.size, file.checksum, file.tables],
    )
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    const size = file.size * Math.min(1, tables.length / file.tables)
    const left = new Set([file.path])
    for (const { id, owner, subject, range, fetchedAt, whole, ...table } of tables) {
      // Another instance that found its file takes it up a second time; by now it may lie in a month's file.
      if (into.row('SELECT 1 FROM kept_tables WHERE id = ?', id) !== undefined) continue
      const place = { owner, subject, range }
      if (provisional && listTables(into, place, { range }).some(isNewer({ fetchedAt, whole }, now))) continue
      const bytes = Math.round(size * (rows === 0 ? 1 / tables.length : table.rows / rows))
      const older = `owner = ? AND subject = ? AND first_day = ? AND last_day = ? AND whole <= ?
           AND (fetched_at <= ? OR fetched_at > ?)`
      const bound = [owner, subject, range.start, range.end, Number(whole), fetchedAt, now]
      const replaced = into.rows(`SELECT file AS path FROM ${shelf} WHERE ${older}`, ...bound)
      for (const path of pathsOf(replaced)) left.add(path)
      if (replaced.length > 0) into.write(`DELETE FROM ${shelf} WHERE ${older}`, ...bound)
      into.write(
        `INSERT OR IGNORE INTO ${shelf} (id, owner, subject, first_day, last_day, whole, fetched_at, rows, bytes, doubt, file, head${provisional ? ', session, checks' : ''})
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?${provisional ? ', ?, ?' : ''})`,
        ...[id, owner, subject, range.start, range.end, Number(whole), fetchedAt],
        ...[table.rows, bytes, table.doubt, file.path, table.head],
        ...(provisional ? [provisional.session, provisional.checks] : []),
      )
    }
    // The given file too may hold nothing: where all of it is older than what is kept, or its data scope has gone.
    const unused = [...left].filter(isUnused(into))
    for (const path of unused) into.write('DELETE FROM history_files WHERE path = ?', path)
    return { unused }
  })
}

/** Whether a kept table makes one superfluous that was fetched at that time. */
const isNewer =
  (than: Pick<StoredTable, 'fetchedAt' | 'whole'>, now: number) =>
  ({ fetchedAt, whole }: StoredTable): boolean =>
    fetchedAt > than.fetchedAt && fetchedAt <= now && (whole || !than.whole)

const isUnused = (from: Reader) => (path: HistoryPath) =>
  (['kept_tables', 'provisional_tables'] as const).every(
    (shelf) => from.row(`SELECT 1 FROM ${shelf} WHERE file = ?`, path) === undefined,
  )

const pathsOf = (rows: readonly Row[]): HistoryPath[] =>
  rows.flatMap(({ path }) => (typeof path === 'string' && isHistoryPath(path) ? path : []))

/** Files of which no table is kept any more leave the catalogue. */
function dropUnused(from: Writer): Unused {
  const isNamed = (shelf: Shelf) => `EXISTS (SELECT 1 FROM ${shelf} WHERE file = path)`
  const rest = `FROM history_files WHERE NOT ${isNamed('kept_tables')} AND NOT ${isNamed('provisional_tables')}`
  const unused = from.rows(`SELECT path ${rest}`)
  from.write(`DELETE ${rest}`)
  return { unused: pathsOf(unused) }
}

/** Says that tables lie in another file now, as far as they are still kept. */
export function moveTables(
  into: Writer,
  {
    file,
    owner,
    ids,
  }: { readonly file: HistoryFile; readonly owner: DataScopeId; readonly ids: readonly TableId[] },
): Unused {
  return into.together(() => {
    into.write(
      'INSERT INTO history_files (path, owner, size, checksum, tables) VALUES (?, ?, ?, ?, ?)',
      ...[file.path, owner, file.size, file.checksum, file.tables],
    )
    const share = Math.round(file.size / Math.max(1, ids.length))
    for (const id of ids)
      into.write('UPDATE kept_tables SET file = ?, bytes = ? WHERE id = ?', file.path, share, id)
    return dropUnused(into)
  })
}

/** Which table, and the file that it was looked for in. */
type Placed = { readonly id: TableId; readonly path: HistoryPath }

/** Lets tables go that are not what was written, but for those that lie in another file by now. Their files are not deleted. */
function forgetPlaced(from: Writer, placed: readonly Placed[]): null {
  const isThere = ({ id, path }: Placed) =>
    from.row('SELECT 1 FROM kept_tables WHERE id = ? AND file = ?', id, path) !== undefined
  from.together(() =>
    forgetTables(
      from,
      placed.filter(isThere).map(({ id }) => id),
    ),
  )
  return null
}

export function forgetTables(from: Writer, ids: readonly TableId[]): Unused {
  return from.together(() => {
    for (const id of ids) from.write('DELETE FROM kept_tables WHERE id = ?', id)
    return dropUnused(from)
  })
}

export const catalogueOperations = {
  /** Catalogues what was written into a file; the files that are to be deleted then. */
  'tables/keep': (into: Writer, stored: FileToStore): Unused => storeTables(into, stored, Date.now()),
  /** What is kept of a subject, by first day; whole tables and totals alone. */
  'tables/list': (from: Reader, place: TablePlace): readonly StoredTable[] => listTables(from, place),
  /** The tables that are kept of a subject over these very days: a whole one, totals alone, or both. */
  'tables/of-days': (
    from: Reader,
    { range, ...place }: TablePlace & { readonly range: DayRange },
  ): readonly StoredTable[] => listTables(from, place, { range }),
  /** What waits for a check of its data scope's instances, of a subject, by first day. */
  'tables/provisional': (from: Reader, place: TablePlace): readonly StoredTable[] =>
    listTables(from, place, { shelf: 'provisional_tables' }),
  /** Whether anything of a data scope waits for a check of its instances. */
  'tables/waits': (from: Reader, owner: DataScopeId): boolean =>
    from.row('SELECT 1 FROM provisional_tables WHERE owner = ?', owner) !== undefined,
  'tables/move': (
    into: Writer,
    moved: { readonly file: HistoryFile; readonly owner: DataScopeId; readonly ids: readonly TableId[] },
  ): Unused => moveTables(into, moved),
  'tables/forget': (from: Writer, placed: readonly Placed[]): null => forgetPlaced(from, placed),
  /** Everything of a data scope: its files are deleted with their folder. */
  'tables/forget-owner': (from: Writer, owner: DataScopeId): null => {
    from.together(() => {
      from.write('DELETE FROM kept_tables WHERE owner = ?', owner)
      from.write('DELETE FROM provisional_tables WHERE owner = ?', owner)
      from.write('DELETE FROM history_files WHERE owner = ?', owner)
    })
    return null
  },
  /** Owners of whom figures are kept; lists for filters alone are none. */
  'tables/owners': (from: Reader): readonly DataScopeId[] =>
    from
      .rows(`SELECT owner FROM kept_tables UNION SELECT owner FROM answers WHERE path NOT LIKE 'interface/%'`)
      .map(({ owner }) => String(owner) as DataScopeId),
  'tables/is-named': (from: Reader, path: HistoryPath): boolean =>
    from.row('SELECT 1 FROM history_files WHERE path = ?', path) !== undefined,
  /** Every file that is in the catalogue. */
  'tables/files': (from: Reader): readonly HistoryPath[] =>
    pathsOf(from.rows('SELECT path FROM history_files')),
  /** Files of which fewer tables are catalogued than were written into them. */
  'tables/in-part': (from: Reader): readonly HistoryPath[] =>
    pathsOf(
      from.rows(
        `SELECT path FROM history_files WHERE tables > (SELECT count(*) FROM kept_tables WHERE file = path)
           AND NOT EXISTS (SELECT 1 FROM provisional_tables WHERE file = path)`,
      ),
    ),
  /** Subjects and months of which at least so many files of single days are kept: they could be one. */
  'tables/in-many-files': (from: Reader, min: number): readonly (TablePlace & { readonly month: string })[] =>
    from
      .rows(
        `SELECT owner, subject, substr(first_day, 1, 7) AS month FROM kept_tables WHERE first_day = last_day
         GROUP BY owner, subject, month, whole HAVING count(DISTINCT file) >= ?`,
        min,
      )
      .flatMap((row) => {
        const read = v.safeParse(v.object({ owner: v.string(), subject: v.string(), month: v.string() }), row)
        return read.success ? { ...read.output, owner: read.output.owner as DataScopeId } : []
      }),
} as const

const placeRow = v.object({ owner: branded<DataScopeId>(), subject: v.string() })

function waitingFrom(row: Row): readonly { readonly table: TableToStore; readonly file: HistoryFile }[] {
  const place = v.safeParse(placeRow, row)
  const found = tableFrom(row)
  if (!place.success || !found) return []
  return [{ table: { ...place.output, ...found }, file: found.file }]
}

/**
 * Keeps for good what a data scope's check confirms: all that had come when it began, and whatever an earlier run of the app left.
 * Each table takes the place of the older one of its days now.
 * @returns files that hold nothing any more
 */
export function confirmProvisional(
  into: Writer,
  owner: DataScopeId,
  { session, number }: ScopeCheck,
  now: number,
): readonly HistoryPath[] {
  const older = 'owner = ? AND (session <> ? OR checks < ?)'
  const bound = [owner, session, number] as const
  return into.together(() => {
    into.write(`DELETE FROM provisional_answers WHERE ${older}`, ...bound)
    const waiting = into
      .rows(
        `SELECT ${tableColumns}, provisional_tables.owner AS owner, subject FROM provisional_tables
         JOIN history_files ON path = file WHERE provisional_tables.${older}`,
        ...bound,
      )
      .flatMap(waitingFrom)
    if (waiting.length === 0) return []
    into.write(`DELETE FROM provisional_tables WHERE ${older}`, ...bound)
    return waiting.flatMap(({ table, file }) => storeTables(into, { file, tables: [table] }, now).unused)
  })
}

const discardedRow = v.object({ subject: v.string(), start: day, end: day, fetchedAt: instant })

/** The files of what waits for a check of its data scope's instances. */
export function provisionalFiles(from: Reader, owner: DataScopeId): readonly HistoryPath[] {
  return from
    .rows('SELECT file FROM provisional_tables WHERE owner = ?', owner)
    .flatMap(({ file }) => (typeof file === 'string' && isHistoryPath(file) ? file : []))
}

/** Lets go what waits for a check of its data scope's instances: they were found to be others. */
export function dropProvisional(from: Writer, owner: DataScopeId): readonly Discarded[] {
  return from.together(() => {
    const rows = from.rows(
      `SELECT subject, first_day AS start, last_day AS "end", fetched_at AS fetchedAt
       FROM provisional_tables WHERE owner = ?`,
      owner,
    )
    from.write(
      `DELETE FROM answers WHERE owner = ?
         AND key IN (SELECT key FROM provisional_answers WHERE provisional_answers.owner = answers.owner)`,
      owner,
    )
    from.write('DELETE FROM provisional_answers WHERE owner = ?', owner)
    from.write('DELETE FROM provisional_tables WHERE owner = ?', owner)
    dropUnused(from)
    return rows.flatMap((row) => {
      const read = v.safeParse(discardedRow, row)
      return read.success ? read.output : []
    })
  })
}
