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

/** Columns of a kept table and of its file, where these are joined. */
export const tableRow = v.object({
  id: branded<TableId>(),
  firstDay: day,
  lastDay: day,
  /** When the first of it was fetched. */
  fetchedAt: instant,
  /** False where it has its totals alone. */
  whole: flag,
  rows: count,
  /** What it takes of its file, about. */
  bytes: count,
  /** Why its rows do not add up; null where they do. */
  doubt: v.nullable(v.picklist(doubts)),
  /** What stands beside its rows, written down (src-main/analytics/history-layout.ts). It is read where it is needed. */
  head: v.string(),
  ...{ path: historyPath, size: count, checksum: v.string(), tables: count },
})

/** What is known of a kept table without looking into its file. */
export type StoredTable = Readonly<Omit<v.InferOutput<typeof tableRow>, keyof RowInFile>> & {
  readonly range: DayRange
  readonly file: HistoryFile
}

/** A table that lies in a file, to be catalogued. */
export type TableToStore = TablePlace & Omit<StoredTable, 'file' | 'bytes'>

/** A file that was written, and what lies in it. */
export type FileToStore = CataloguedFile &
  (
    | {
        /** The term of their data scope in which they were asked for. */
        readonly term: number
      }
    /** It was found in the history folder: whether a check confirmed it shows in its times. */
    | { readonly isFound: true }
  )

/** A file as the catalogue takes it up. */
export type CataloguedFile = {
  readonly file: HistoryFile
  readonly tables: readonly TableToStore[]
  /** Under which check they were fetched; absent where no other is waited for. */
  readonly provisional?: Provisional
}

/** Where tables are catalogued: confirmed by a check of their data scope's instances, or waiting for one. */
type Shelf = 'kept_tables' | 'provisional_tables'

/** What became of a change: files that hold nothing any more, to be deleted once it is done. */
export type Unused = { readonly unused: readonly HistoryPath[] }

type RowInFile = Pick<v.InferOutput<typeof tableRow>, 'firstDay' | 'lastDay' | keyof HistoryFile>

/** A row that is no kept table is passed over: its days count as not kept. */
export function tableFrom<R extends RowInFile>(row: R) {
  const { firstDay: start, lastDay: end, path, size, checksum, tables, ...rest } = row
  return start <= end ? [{ ...rest, range: { start, end }, file: { path, size, checksum, tables } }] : []
}

export const withFile = (shelf: Shelf) => `${shelf} JOIN history_files ON path = file`
const shelves = {
  kept_tables: table(withFile('kept_tables'), tableRow),
  provisional_tables: table(withFile('provisional_tables'), tableRow),
}

/** The tables kept of a subject, by their first day; those over these very days alone where some are given. */
export function listTables(
  from: Reader,
  { owner, subject }: TablePlace,
  { range, shelf = 'kept_tables' }: { readonly range?: DayRange; readonly shelf?: Shelf } = {},
): StoredTable[] {
  const only = range ? 'AND first_day = ? AND last_day = ?' : ''
  const rest = `WHERE ${shelf}.owner = ? AND subject = ? ${only} ORDER BY first_day, last_day, whole`
  const bound = range ? [range.start, range.end] : []
  return shelves[shelf].list(from, rest, owner, subject, ...bound).flatMap(tableFrom)
}

/**
 * Catalogues tables of a file, each in place of the older ones of the same days. A newer one stays, unless it claims to come
 * from after `now`. A whole table replaces one of totals alone too; not the other way round.
 * @returns the files that hold nothing any more; the given one where newer tables are there for all of it
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
    noteFile(into, first.owner, file)
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    const size = file.size * Math.min(1, tables.length / file.tables)
    const left = new Set([file.path])
    for (const { id, owner, subject, range, fetchedAt, whole, ...table } of tables) {
      // Another instance that found its file takes it up a second time; by now it may lie in a month's file.
      if (has(into, 'kept_tables', { id })) continue
      const place = { owner, subject, range }
      if (provisional && listTables(into, place, { range }).some(isNewer({ fetchedAt, whole }, now))) continue
      const bytes = Math.round(size * (rows === 0 ? 1 / tables.length : table.rows / rows))
      const older = `owner = ? AND subject = ? AND first_day = ? AND last_day = ? AND whole <= ?
           AND (fetched_at <= ? OR fetched_at > ?)`
      const bound = [owner, subject, range.start, range.end, Number(whole), fetchedAt, now]
      const replaced = into.rows(`SELECT file AS path FROM ${shelf} WHERE ${older}`, ...bound)
      for (const { path } of replaced.flatMap((row) => parseRow(withPath, row))) left.add(path)
      if (replaced.length > 0) into.write(`DELETE FROM ${shelf} WHERE ${older}`, ...bound)
      insert(into, shelf, {
        ...{ id, owner, subject, firstDay: range.start, lastDay: range.end, whole, fetchedAt },
        ...{ rows: table.rows, bytes, doubt: table.doubt, file: file.path, head: table.head },
        ...provisional,
      })
    }
    // The given file too may hold nothing: where all of it is older than what is kept, or its data scope has gone.
    const unused = [...left].filter(isUnused(into))
    for (const path of unused) remove(into, 'history_files', { path })
    return { unused }
  })
}

/** Whether a kept table makes one superfluous that was fetched at that time. */
const isNewer =
  (than: Pick<StoredTable, 'fetchedAt' | 'whole'>, now: number) =>
  ({ fetchedAt, whole }: StoredTable): boolean =>
    fetchedAt > than.fetchedAt && fetchedAt <= now && (whole || !than.whole)

/** Catalogues a file, unless it is there. */
function noteFile(into: Writer, owner: DataScopeId, { path, size, checksum, tables }: HistoryFile): void {
  insert(into, 'history_files', { path, owner, size, checksum, tables })
}

const isUnused = (from: Reader) => (path: HistoryPath) =>
  !has(from, 'kept_tables', { file: path }) && !has(from, 'provisional_tables', { file: path })

const withPath = v.object({ path: historyPath })

/** The files that a query names as `path`. */
const pathsIn = (from: Reader, sql: string, ...bound: Bindable[]): HistoryPath[] =>
  query(from, withPath, sql, ...bound).map(({ path }) => path)

/** Files of which no table is kept any more leave the catalogue. */
function dropUnused(from: Writer): Unused {
  const isNamed = (shelf: Shelf) => `EXISTS (SELECT 1 FROM ${shelf} WHERE file = path)`
  const rest = `FROM history_files WHERE NOT ${isNamed('kept_tables')} AND NOT ${isNamed('provisional_tables')}`
  const unused = pathsIn(from, `SELECT path ${rest}`)
  from.write(`DELETE ${rest}`)
  return { unused }
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
    noteFile(into, owner, file)
    const bytes = Math.round(file.size / Math.max(1, ids.length))
    for (const id of ids) update(into, 'kept_tables', { id }, { file: file.path, bytes })
    return dropUnused(into)
  })
}

/** Which table, and the file that it was looked for in. */
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
  'tables/waits': (from: Reader, owner: DataScopeId): boolean => has(from, 'provisional_tables', { owner }),
  /** The newest whole tables of each of a data scope's subjects, so many of each at most. */
  'tables/newest': (
    from: Reader,
    { owner, max }: { readonly owner: DataScopeId; readonly max: number },
  ): readonly (StoredTable & Pick<TablePlace, 'subject'>)[] =>
    tablesOfSubjects
      .list(
        from,
        `WHERE id IN (
           SELECT id FROM (
             SELECT id, row_number() OVER (PARTITION BY subject ORDER BY first_day DESC) AS place
             FROM kept_tables WHERE owner = ? AND whole = 1
           ) WHERE place <= ?
         ) ORDER BY subject, first_day DESC`,
        owner,
        max,
      )
      .flatMap(tableFrom),
  'tables/move': moveTables,
  /** Lets tables go that are not what was written, but for those that lie in another file by now. Their files are not deleted. */
  'tables/forget': (from: Writer, placed: readonly Placed[]): void =>
    from.together(() => {
      const there = placed.filter(({ id, path }) => has(from, 'kept_tables', { id, file: path }))
      forgetTables(
        from,
        there.map(({ id }) => id),
      )
    }),
  /** Everything of a data scope: its files are deleted with their folder. */
  'tables/forget-owner': (from: Writer, owner: DataScopeId): void =>
    from.together(() => {
      for (const name of ['kept_tables', 'provisional_tables', 'history_files']) remove(from, name, { owner })
    }),
  /** Owners of whom figures are kept; lists for filters alone are none. */
  'tables/owners': (from: Reader): readonly DataScopeId[] =>
    from
      .rows(`SELECT owner FROM kept_tables UNION SELECT owner FROM answers WHERE path NOT LIKE 'interface/%'`)
      .map(({ owner }) => String(owner) as DataScopeId),
  'tables/is-named': (from: Reader, path: HistoryPath): boolean => has(from, 'history_files', { path }),
  /** Every file that is in the catalogue. */
  'tables/files': (from: Reader): readonly HistoryPath[] => pathsIn(from, 'SELECT path FROM history_files'),
  /** Files of which fewer tables are catalogued than were written into them. */
  'tables/in-part': (from: Reader): readonly HistoryPath[] =>
    pathsIn(
      from,
      `SELECT path FROM history_files WHERE tables > (SELECT count(*) FROM kept_tables WHERE file = path)
         AND NOT EXISTS (SELECT 1 FROM provisional_tables WHERE file = path)`,
    ),
  /** Subjects and months of which at least so many files of single days are kept: they could be one. */
  'tables/in-many-files': (from: Reader, min: number): readonly (TablePlace & { readonly month: string })[] =>
    query(
      from,
      v.object({ owner: branded<DataScopeId>(), subject: v.string(), month: v.string() }),
      `SELECT owner, subject, substr(first_day, 1, 7) AS month FROM kept_tables WHERE first_day = last_day
       GROUP BY owner, subject, month, whole HAVING count(DISTINCT file) >= ?`,
      min,
    ),
  /** Files into which the rows of several tables were joined, and whose they are. */
  'tables/joined': (from: Reader): readonly (TablePlace & { readonly path: HistoryPath })[] =>
    query(
      from,
      v.object({ owner: branded<DataScopeId>(), subject: v.string(), path: historyPath }),
      `SELECT DISTINCT kept_tables.owner AS owner, subject, path FROM ${withFile('kept_tables')}
       WHERE tables > 1 AND whole = 1`,
    ),
} as const

const waitingTables = table(
  withFile('provisional_tables'),
  v.object({ ...tableRow.entries, subject: v.string() }),
)

/** A check tells nothing of what came earlier than this before it began, in milliseconds. */
const confirmsFor = 60_000

/** Whether a check confirms what came before it in the same run of the app. */
export const isConfirmedBy = (
  { session, checks, arrivedAt }: Provisional,
  { number, startedAt, ...check }: ScopeCheck,
): boolean => session === check.session && checks < number && Math.abs(startedAt - arrivedAt) <= confirmsFor

/** Of what waits for a check of a data scope's instances, those for which this check came too late; all of it without one. */
const lateFor = (owner: DataScopeId, check: ScopeCheck | null) => ({
  where: check
    ? 'owner = ? AND (session <> ? OR checks < ?) AND arrived_at NOT BETWEEN ? AND ?'
    : 'owner = ?',
  bound: check
    ? [owner, check.session, check.number, check.startedAt - confirmsFor, check.startedAt + confirmsFor]
    : [owner],
})

/**
 * Keeps for good what a data scope's check confirms: all that had come when it began, an earlier run of the app's too, unless that
 * is to be dropped (`dropProvisional`). Each table takes the place of the older one of its days now.
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
    const waiting = waitingTables.list(into, `WHERE provisional_tables.${older}`, ...bound).flatMap(tableFrom)
    if (waiting.length === 0) return []
    into.write(`DELETE FROM provisional_tables WHERE ${older}`, ...bound)
    return waiting.flatMap(
      ({ file, ...table }) => storeTables(into, { file, tables: [{ ...table, owner }] }, now).unused,
    )
  })
}

const provisionalTables = table(
  'provisional_tables',
  v.object({ subject: v.string(), firstDay: day, lastDay: day, fetchedAt: instant }),
)

/** The files of what `dropProvisional` lets go. */
export function provisionalFiles(
  from: Reader,
  owner: DataScopeId,
  check: ScopeCheck | null,
): readonly HistoryPath[] {
  const { where, bound } = lateFor(owner, check)
  return pathsIn(from, `SELECT file AS path FROM provisional_tables WHERE ${where}`, ...bound)
}

/**
 * Lets go what waits for a check of its data scope's instances.
 * @param check one that found the same instances: then those alone that came too long before it. Null where they were found to be
 *   others
 */
export function dropProvisional(
  from: Writer,
  owner: DataScopeId,
  check: ScopeCheck | null,
): readonly Discarded[] {
  const { where, bound } = lateFor(owner, check)
  return from.together(() => {
    const tables = provisionalTables.list(from, `WHERE ${where}`, ...bound)
    dropAnswers(from, owner, where, bound)
    from.write(`DELETE FROM provisional_tables WHERE ${where}`, ...bound)
    dropUnused(from)
    return tables.map(({ firstDay: start, lastDay: end, ...rest }) => ({ ...rest, start, end }))
  })
}
