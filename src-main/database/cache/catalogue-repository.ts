import * as v from 'valibot'
import { doubts } from '#shared/reports/answer.ts'
import type { Provisional, Discarded, ScopeCheck } from '#shared/reports/answer.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { branded, day, instant } from '#shared/values/schemas.ts'
import { isHistoryPath } from '#main/analytics/history-layout.ts'
import type { HistoryFile, HistoryPath, TableId, TablePlace } from '#main/analytics/history-layout.ts'
import type { Bindable, Reader, Writer } from '../sqlite/database.ts'
import { dropAnswers } from './answers-repository.ts'
import { flag, has, insert, parseRow, query, remove, table, update } from '../sqlite/database.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const historyPath = v.pipe(
  v.string(),
  v.check(isHistoryPath),
  v.transform((path) => path as HistoryPath),
)

/** Columns of a stored table joined with its file. */
export const tableRow = v.object({
  id: branded<TableId>(),
  firstDay: day,
  lastDay: day,
  /** Time when the first part was fetched. */
  fetchedAt: instant,
  /** False if only the totals are stored. */
  whole: flag,
  rows: count,
  /** Approximate share of the file's size. */
  bytes: count,
  /** Reason why the rows do not add up; null if they do. */
  doubt: v.nullable(v.picklist(doubts)),
  /** Serialised metadata (src-main/analytics/history-layout.ts), parsed on demand. */
  head: v.string(),
  ...{ path: historyPath, size: count, checksum: v.string(), tables: count },
})

/** Catalogue entry of a stored table. */
export type StoredTable = Readonly<Omit<v.InferOutput<typeof tableRow>, keyof RowInFile>> & {
  readonly range: DayRange
  readonly file: HistoryFile
}

/** A table of a file, to be catalogued. */
export type TableToCatalogue = TablePlace & Omit<StoredTable, 'file' | 'bytes'>

/** A file and its tables, to be catalogued. */
export type FileToStore = CataloguedFile &
  (
    | {
        /** Term of the data scope when the tables were requested. */
        readonly term: number
      }
    /** The file was found in the history folder. Its times show whether a check confirmed it. */
    | { readonly isFound: true }
  )

/** A file with its tables, as catalogued. */
export type CataloguedFile = {
  readonly file: HistoryFile
  readonly tables: readonly TableToCatalogue[]
  /** Scope check before the tables were fetched; absent if no check is pending. */
  readonly provisional?: Provisional
}

/** Table of the catalogue: confirmed or provisional tables. */
type Shelf = 'kept_tables' | 'provisional_tables'

/** Files that no catalogued table uses after a change. The caller deletes them. */
export type Unused = { readonly unused: readonly HistoryPath[] }

type RowInFile = Pick<v.InferOutput<typeof tableRow>, 'firstDay' | 'lastDay' | keyof HistoryFile>

/** Converts a row; skips an invalid one, whose days then count as missing. */
export function tableFrom<R extends RowInFile>(row: R) {
  const { firstDay: start, lastDay: end, path, size, checksum, tables, ...rest } = row
  return start <= end ? [{ ...rest, range: { start, end }, file: { path, size, checksum, tables } }] : []
}

export const withFile = (shelf: Shelf) => `${shelf} JOIN history_files ON path = file`
const shelves = {
  kept_tables: table(withFile('kept_tables'), tableRow),
  provisional_tables: table(withFile('provisional_tables'), tableRow),
}

/** Lists the stored tables of a subject by first day. With `range`, only tables over exactly these days. */
export function listTables(
  from: Reader,
  { dataScope, subject }: TablePlace,
  { range, shelf = 'kept_tables' }: { readonly range?: DayRange; readonly shelf?: Shelf } = {},
): StoredTable[] {
  const only = range ? 'AND first_day = ? AND last_day = ?' : ''
  const rest = `WHERE ${shelf}.data_scope = ? AND subject = ? ${only} ORDER BY first_day, last_day, whole`
  const bound = range ? [range.start, range.end] : []
  return shelves[shelf].list(from, rest, dataScope, subject, ...bound).flatMap(tableFrom)
}

/**
 * Catalogues the tables of a file in place of older ones of the same days. A newer table remains, unless its time is after
 * `now`. A whole table also replaces totals, but not the reverse.
 * @returns unused files; includes the given file if newer tables replace all of it
 */
export function storeTables(
  into: Writer,
  { file, tables, provisional }: CataloguedFile,
  now: number,
): Unused {
  const shelf: Shelf = provisional ? 'provisional_tables' : 'kept_tables'
  return into.together(() => {
    const [first] = tables
    if (!first) return { unused: [file.path] }
    noteFile(into, first.dataScope, file)
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    const size = file.size * Math.min(1, tables.length / file.tables)
    const left = new Set([file.path])
    for (const { id, dataScope, subject, range, fetchedAt, whole, ...table } of tables) {
      // Another process may have catalogued the table before; it may now be part of a month's file.
      if (has(into, 'kept_tables', { id })) continue
      const place = { dataScope, subject, range }
      if (provisional && listTables(into, place, { range }).some(isNewer({ fetchedAt, whole }, now))) continue
      const bytes = Math.round(size * (rows === 0 ? 1 / tables.length : table.rows / rows))
      const older = `data_scope = ? AND subject = ? AND first_day = ? AND last_day = ? AND whole <= ?
           AND (fetched_at <= ? OR fetched_at > ?)`
      const bound = [dataScope, subject, range.start, range.end, Number(whole), fetchedAt, now]
      const replaced = into.rows(`SELECT file AS path FROM ${shelf} WHERE ${older}`, ...bound)
      for (const { path } of replaced.flatMap((row) => parseRow(withPath, row))) left.add(path)
      if (replaced.length > 0) into.write(`DELETE FROM ${shelf} WHERE ${older}`, ...bound)
      insert(into, shelf, {
        ...{ id, dataScope, subject, firstDay: range.start, lastDay: range.end, whole, fetchedAt },
        ...{ rows: table.rows, bytes, doubt: table.doubt, file: file.path, head: table.head },
        ...provisional,
      })
    }
    // The given file is unused too if newer tables exist, or its data scope was removed.
    const unused = [...left].filter(isUnused(into))
    for (const path of unused) remove(into, 'history_files', { path })
    return { unused }
  })
}

/** Whether a stored table supersedes one fetched at that time. */
const isNewer =
  (than: Pick<StoredTable, 'fetchedAt' | 'whole'>, now: number) =>
  ({ fetchedAt, whole }: StoredTable): boolean =>
    fetchedAt > than.fetchedAt && fetchedAt <= now && (whole || !than.whole)

/** Catalogues a file if it is new. */
function noteFile(into: Writer, dataScope: DataScopeId, { path, size, checksum, tables }: HistoryFile): void {
  insert(into, 'history_files', { path, dataScope, size, checksum, tables })
}

const isUnused = (from: Reader) => (path: HistoryPath) =>
  !has(from, 'kept_tables', { file: path }) && !has(from, 'provisional_tables', { file: path })

const withPath = v.object({ path: historyPath })

/** Runs a query that returns paths. */
const pathsIn = (from: Reader, sql: string, ...bound: Bindable[]): HistoryPath[] =>
  query(from, withPath, sql, ...bound).map(({ path }) => path)

/** Removes files without tables from the catalogue. */
function dropUnused(from: Writer): Unused {
  const isNamed = (shelf: Shelf) => `EXISTS (SELECT 1 FROM ${shelf} WHERE file = path)`
  const rest = `FROM history_files WHERE NOT ${isNamed('kept_tables')} AND NOT ${isNamed('provisional_tables')}`
  const unused = pathsIn(from, `SELECT path ${rest}`)
  from.write(`DELETE ${rest}`)
  return { unused }
}

/** Moves catalogued tables to another file. Tables that no longer exist are skipped. */
export function moveTables(
  into: Writer,
  {
    file,
    dataScope,
    ids,
  }: { readonly file: HistoryFile; readonly dataScope: DataScopeId; readonly ids: readonly TableId[] },
): Unused {
  return into.together(() => {
    noteFile(into, dataScope, file)
    const bytes = Math.round(file.size / Math.max(1, ids.length))
    for (const id of ids) update(into, 'kept_tables', { id }, { file: file.path, bytes })
    return dropUnused(into)
  })
}

/** A table, and the file in which it was expected. */
type Placed = { readonly id: TableId; readonly path: HistoryPath }

export function forgetTables(from: Writer, ids: readonly TableId[]): Unused {
  return from.together(() => {
    for (const id of ids) remove(from, 'kept_tables', { id })
    return dropUnused(from)
  })
}

const tablesOfSubjects = table(
  withFile('kept_tables'),
  v.object({ ...tableRow.entries, subject: v.string() }),
)

export const catalogueOperations = {
  /** Catalogues the tables of a file. Returns the files to delete. */
  'tables/keep': (into: Writer, stored: FileToStore): Unused => storeTables(into, stored, Date.now()),
  /** Lists a subject's tables by first day, including those with only totals. */
  'tables/list': (from: Reader, place: TablePlace): readonly StoredTable[] => listTables(from, place),
  /** Lists a subject's tables over exactly these days: the whole table, totals, or both. */
  'tables/of-days': (
    from: Reader,
    { range, ...place }: TablePlace & { readonly range: DayRange },
  ): readonly StoredTable[] => listTables(from, place, { range }),
  /** Lists a subject's provisional tables by first day. */
  'tables/provisional': (from: Reader, place: TablePlace): readonly StoredTable[] =>
    listTables(from, place, { shelf: 'provisional_tables' }),
  /** Whether a data scope has provisional tables. */
  'tables/waits': (from: Reader, dataScope: DataScopeId): boolean =>
    has(from, 'provisional_tables', { dataScope }),
  /** Lists the newest whole tables of a data scope, at most `max` per subject. */
  'tables/newest': (
    from: Reader,
    { dataScope, max }: { readonly dataScope: DataScopeId; readonly max: number },
  ): readonly (StoredTable & Pick<TablePlace, 'subject'>)[] =>
    tablesOfSubjects
      .list(
        from,
        `WHERE id IN (
           SELECT id FROM (
             SELECT id, row_number() OVER (PARTITION BY subject ORDER BY first_day DESC) AS place
             FROM kept_tables WHERE data_scope = ? AND whole = 1
           ) WHERE place <= ?
         ) ORDER BY subject, first_day DESC`,
        dataScope,
        max,
      )
      .flatMap(tableFrom),
  'tables/move': moveTables,
  /** Removes damaged tables from the catalogue, except those that moved to another file meanwhile. Files are not deleted. */
  'tables/forget': (from: Writer, placed: readonly Placed[]): void =>
    from.together(() => {
      const there = placed.filter(({ id, path }) => has(from, 'kept_tables', { id, file: path }))
      forgetTables(
        from,
        there.map(({ id }) => id),
      )
    }),
  /** Removes all tables of a data scope. The caller deletes its folder. */
  'tables/forget-data-scope': (from: Writer, dataScope: DataScopeId): void =>
    from.together(() => {
      for (const name of ['kept_tables', 'provisional_tables', 'history_files'])
        remove(from, name, { dataScope })
    }),
  /** Lists the data scopes with stored figures; look-ups do not count. */
  'tables/data-scopes': (from: Reader): readonly DataScopeId[] =>
    from
      .rows(
        `SELECT data_scope AS dataScope FROM kept_tables
         UNION SELECT data_scope FROM answers WHERE path NOT LIKE 'interface/%'`,
      )
      .map(({ dataScope }) => String(dataScope) as DataScopeId),
  'tables/is-named': (from: Reader, path: HistoryPath): boolean => has(from, 'history_files', { path }),
  'tables/files': (from: Reader): readonly HistoryPath[] => pathsIn(from, 'SELECT path FROM history_files'),
  /** Lists files of which some tables are no longer catalogued. */
  'tables/in-part': (from: Reader): readonly HistoryPath[] =>
    pathsIn(
      from,
      `SELECT path FROM history_files WHERE tables > (SELECT count(*) FROM kept_tables WHERE file = path)
         AND NOT EXISTS (SELECT 1 FROM provisional_tables WHERE file = path)`,
    ),
  /** Lists subjects and months with at least `min` files of single days, which could be joined. */
  'tables/in-many-files': (from: Reader, min: number): readonly (TablePlace & { readonly month: string })[] =>
    query(
      from,
      v.object({ dataScope: branded<DataScopeId>(), subject: v.string(), month: v.string() }),
      `SELECT data_scope AS dataScope, subject, substr(first_day, 1, 7) AS month FROM kept_tables WHERE first_day = last_day
       GROUP BY data_scope, subject, month, whole HAVING count(DISTINCT file) >= ?`,
      min,
    ),
  /** Lists files that contain several tables. */
  'tables/joined': (from: Reader): readonly (TablePlace & { readonly path: HistoryPath })[] =>
    query(
      from,
      v.object({ dataScope: branded<DataScopeId>(), subject: v.string(), path: historyPath }),
      `SELECT DISTINCT kept_tables.data_scope AS dataScope, subject, path FROM ${withFile('kept_tables')}
       WHERE tables > 1 AND whole = 1`,
    ),
} as const

const waitingTables = table(
  withFile('provisional_tables'),
  v.object({ ...tableRow.entries, subject: v.string() }),
)

/** A check confirms only data that arrived within this many ms of its start. */
const confirmsFor = 60_000

/** Whether a check confirms data that arrived before it in the same run of the app. */
export const isConfirmedBy = (
  { session, checks, arrivedAt }: Provisional,
  { number, startedAt, ...check }: ScopeCheck,
): boolean => session === check.session && checks < number && Math.abs(startedAt - arrivedAt) <= confirmsFor

/** Condition for provisional data that the check is too late to confirm; for all provisional data without a check. */
const lateFor = (dataScope: DataScopeId, check: ScopeCheck | null) => ({
  where: check
    ? 'data_scope = ? AND (session <> ? OR checks < ?) AND arrived_at NOT BETWEEN ? AND ?'
    : 'data_scope = ?',
  bound: check
    ? [dataScope, check.session, check.number, check.startedAt - confirmsFor, check.startedAt + confirmsFor]
    : [dataScope],
})

/**
 * Confirms provisional data that arrived before a check started, also from earlier runs. Call `dropProvisional` first. Each
 * table replaces the older one of its days.
 * @returns unused files
 */
export function confirmProvisional(
  into: Writer,
  dataScope: DataScopeId,
  { session, number }: ScopeCheck,
  now: number,
): readonly HistoryPath[] {
  const older = 'data_scope = ? AND (session <> ? OR checks < ?)'
  const bound = [dataScope, session, number] as const
  return into.together(() => {
    into.write(`DELETE FROM provisional_answers WHERE ${older}`, ...bound)
    const waiting = waitingTables.list(into, `WHERE provisional_tables.${older}`, ...bound).flatMap(tableFrom)
    if (waiting.length === 0) return []
    into.write(`DELETE FROM provisional_tables WHERE ${older}`, ...bound)
    return waiting.flatMap(
      ({ file, ...table }) => storeTables(into, { file, tables: [{ ...table, dataScope }] }, now).unused,
    )
  })
}

const provisionalTables = table(
  'provisional_tables',
  v.object({ subject: v.string(), firstDay: day, lastDay: day, fetchedAt: instant }),
)

/** Lists the files of tables that `dropProvisional` deletes. */
export function provisionalFiles(
  from: Reader,
  dataScope: DataScopeId,
  check: ScopeCheck | null,
): readonly HistoryPath[] {
  const { where, bound } = lateFor(dataScope, check)
  return pathsIn(from, `SELECT file AS path FROM provisional_tables WHERE ${where}`, ...bound)
}

/**
 * Deletes provisional data of a data scope.
 * @param check a successful check: deletes only data that is too old for it; null: the data scope changed, delete all
 */
export function dropProvisional(
  from: Writer,
  dataScope: DataScopeId,
  check: ScopeCheck | null,
): readonly Discarded[] {
  const { where, bound } = lateFor(dataScope, check)
  return from.together(() => {
    const tables = provisionalTables.list(from, `WHERE ${where}`, ...bound)
    dropAnswers(from, dataScope, where, bound)
    from.write(`DELETE FROM provisional_tables WHERE ${where}`, ...bound)
    dropUnused(from)
    return tables.map(({ firstDay: start, lastDay: end, ...rest }) => ({ ...rest, start, end }))
  })
}
