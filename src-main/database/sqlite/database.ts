import Database from 'better-sqlite3'
import * as v from 'valibot'
import type { Calls, ArgumentOf, ResultOf } from '#main/workers/rpc.ts'
import { DeskFailure } from '#shared/api/failure.ts'

/**
 * What an error of SQLite or of the file system means for us: the file is `damaged`, the `disk` (or the folder)
 * refuses, or a mistake of ours.
 */
type Trouble = 'damaged' | 'disk' | 'mistake'

const damaged = ['SQLITE_CORRUPT', 'SQLITE_NOTADB']

// There was no room for the file that SQLite shares between its connections.
const full = ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT']
// ENOENT is what Node says of a folder that it may not make.
const forbidden = ['SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_PERM', 'EACCES', 'EPERM', 'EROFS', 'ENOENT']
const broken = [
  'SQLITE_IOERR',
  'SQLITE_BUSY',
  'SQLITE_PROTOCOL',
  'EBUSY',
  'EIO',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'EMFILE',
]

/** An extended code such as SQLITE_IOERR_WRITE belongs to the group of its beginning. */
const within = (group: readonly string[], code: string) =>
  group.some((value) => code === value || code.startsWith(`${value}_`))

/** The code of an error of SQLite or of the file system; empty where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Thrown where a file can be opened but is not what this app wrote. */
export class DamagedFile extends Error {
  readonly code = 'SQLITE_CORRUPT'
}

export function troubleOf(error: unknown): Trouble {
  const code = codeOf(error)
  if (within(damaged, code)) return 'damaged'
  return within([...full, ...forbidden, ...broken], code) ? 'disk' : 'mistake'
}

/** The failure that a person reads, for any error of the store's files. */
export function storeFailure(error: unknown): DeskFailure {
  if (error instanceof DeskFailure) return error
  const code = codeOf(error)
  const message = wordsFor(code)
  return message === undefined
    ? new DeskFailure({ kind: 'internal', message: "Can't read or write the saved data." }, { cause: error })
    : new DeskFailure({ kind: 'disk', message }, { cause: error })
}

function wordsFor(code: string): string | undefined {
  if (within(full, code))
    return 'The disk is full, so nothing new can be saved. Free some space and try again.'
  if (within(forbidden, code))
    return "Can't write to the profile folder, so nothing new is saved. Check its permissions."
  if (within(broken, code)) return `The disk cannot be written to (${code}), so nothing new can be saved.`
  if (within(damaged, code)) return 'The saved data is damaged.'
  return undefined
}

/** How long a file may be held by others until it counts as refused, in milliseconds. */
const longestHold = 12_000
const pause = new Int32Array(new SharedArrayBuffer(4))

/** SQLite says one, and Windows the other of a file that another program shares with nobody. */
const isHeld = (code: string): boolean => code.startsWith('SQLITE_BUSY') || code === 'EBUSY'

/**
 * Whoever copies or searches all files of a disk holds one for some seconds, and another process may begin it at the same
 * moment: that is not to cost a whole session. SQLite itself waits five seconds in some cases and not at all in others.
 * @throws what `work` throws, once it took too long or where it is about something else
 */
export function withBusyRetry<T>(work: () => T): T {
  const until = Date.now() + longestHold
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isHeld(codeOf(error)) || Date.now() >= until) throw error
      Atomics.wait(pause, 0, 0, 10)
    }
  }
}

/** What may be bound to a parameter of a statement. */
export type Bindable = string | number | null | Uint8Array

/** A row as it lies on the disk: to be checked before anything is made of it. */
export type Row = Readonly<Record<string, unknown>>

/** A database that can only be read: a function that takes one cannot write. */
export type Reader = {
  readonly rows: (sql: string, ...bound: Bindable[]) => Row[]
  readonly row: (sql: string, ...bound: Bindable[]) => Row | undefined
}

/** A database that can be read and written. */
export type Writer = Reader & {
  /** Runs one writing statement; the result is the number of rows it changed. */
  readonly write: (sql: string, ...bound: Bindable[]) => number
  /** All of `work` or nothing of it. */
  readonly together: <T>(work: () => T) => T
}

/** SQLite's own handle, for opening and migrating alone. */
export type Handle = Database.Database

/** How long a statement waits for another process that holds the file, in milliseconds. */
const busyTimeout = 5000

/** Opens a file of SQLite, or a whole database given as bytes, or an empty one in memory. */
export function openHandle(source: string | Buffer, options: { readonly?: boolean } = {}): Handle {
  return new Database(source, { ...options, timeout: busyTimeout })
}

/** A writer over an open handle. Statements are prepared once and kept. */
export function writerOver(handle: Handle): Writer {
  const reading = statements(handle, true)
  const writing = statements(handle, false)
  return {
    rows: (sql, ...bound) => reading(sql).all(...bound),
    row: (sql, ...bound) => reading(sql).get(...bound),
    write: (sql, ...bound) => writing(sql).run(...bound).changes,
    together: (work) => handle.transaction(work).immediate(),
  }
}

function statements(handle: Handle, readonly: boolean) {
  const prepared = new Map<string, Database.Statement<Bindable[], Row>>()
  return (sql: string) => {
    const known = prepared.get(sql)
    if (known) return known
    const statement = handle.prepare<Bindable[], Row>(sql)
    if (statement.readonly !== readonly) throw new TypeError(`Read and write are kept apart: ${sql}`)
    prepared.set(sql, statement)
    return statement
  }
}

/** What can be asked of a database, by name: functions of it and, mostly, of one argument that can be cloned. */
type Operations<O> = { readonly [N in keyof O]: (database: Writer, argument: never) => unknown }

/** The same operations as whoever has no database calls them; the argument is undefined, and the result null, where there is none. */
export type CallsOf<O extends Operations<O>> = {
  readonly [N in keyof O]: (argument: OperationArgument<O[N]>) => OperationResult<O[N]>
}

type OperationArgument<F> = F extends (...all: infer A) => unknown
  ? A extends readonly [unknown, infer Argument]
    ? Argument
    : undefined
  : never
type OperationResult<F> = F extends (...all: never) => infer R ? (undefined extends R ? null : R) : never

/**
 * Operations as calls.
 * @param run runs work on the database that is open at that moment
 */
export function callsOf<O extends Operations<O>>(
  operations: O,
  run: <T>(work: (database: Writer) => T) => T,
): CallsOf<O> & Calls<CallsOf<O>> {
  const calls = Object.entries<(database: Writer, argument: never) => unknown>(operations).map(
    ([name, operation]) => [
      name,
      (argument: never) => run((database) => operation(database, argument) ?? null),
    ],
  )
  // Each name has the call that is made of its operation: both types are read off it.
  return Object.fromEntries(calls) as CallsOf<O> & Calls<CallsOf<O>>
}

/** Asks for one operation of a file that another thread has open. */
export type Run<C extends Calls<C>> = <N extends keyof C & string>(
  name: N,
  argument: ArgumentOf<C[N]>,
) => Promise<ResultOf<C[N]>>

/** SQLite's 0 and 1. */
export const flag = v.pipe(
  v.picklist([0, 1]),
  v.transform((value) => value === 1),
)

/** Row schemas name columns in camel case; the file has them in snake case. */
function snakeCase(name: string): string {
  // Names become part of a statement.
  if (!/^[a-z]+$/i.test(name)) throw new TypeError(`Not the name of a column: ${name}`)
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** What a schema makes of a row, as a list of one. A row that it refuses is passed over. */
export function parseRow<T>(schema: v.GenericSchema<unknown, T>, row: Row | undefined): T[] {
  const read = v.safeParse(schema, row)
  return read.success ? [read.output] : []
}

/** Rows of any query. Columns bear the names of the schema's entries. */
export const query = <T>(
  from: Reader,
  schema: v.GenericSchema<unknown, T>,
  sql: string,
  ...bound: Bindable[]
): T[] => from.rows(sql, ...bound).flatMap((row) => parseRow(schema, row))

/**
 * Reads a table, or a join of tables, by the schema of its rows, whose entries are the columns. `rest` is what follows
 * the name.
 * @param expressions of entries that are no column, or a column of more than one of the tables
 */
export function table<T>(
  name: string,
  schema: v.GenericSchema<unknown, T> & { readonly entries: Readonly<Record<string, unknown>> },
  expressions: Readonly<Record<string, string>> = {},
) {
  const columns = Object.keys(schema.entries).map(
    (key) => `${expressions[key] ?? snakeCase(key)} AS "${key}"`,
  )
  const select = `SELECT ${columns.join(', ')} FROM ${name} `
  return {
    list: (from: Reader, rest: string, ...bound: Bindable[]): T[] =>
      query(from, schema, select + rest, ...bound),
    first: (from: Reader, rest: string, ...bound: Bindable[]): T | undefined =>
      parseRow(schema, from.row(select + rest, ...bound))[0],
  }
}

/** Values by column, in camel case. A boolean is written as 0 or 1, an object as JSON. */
type Values = Readonly<Record<string, Bindable | boolean | object>>

const bindable = (value: Values[string]): Bindable => {
  if (typeof value === 'boolean') return Number(value)
  const isBound = typeof value !== 'object' || value === null || value instanceof Uint8Array
  return isBound ? value : JSON.stringify(value)
}

const boundTo = (values: Values): Bindable[] => Object.values(values).map(bindable)

const equals = (values: Values, joint: string): string =>
  Object.keys(values)
    .map((name) => `${snakeCase(name)} = ?`)
    .join(joint)

/** Inserts a row, unless it clashes with another. @returns whether it was inserted */
export function insert(into: Writer, name: string, values: Values): boolean {
  return into.write(`${insertion(name, values)} WHERE true ON CONFLICT DO NOTHING`, ...boundTo(values)) > 0
}

/** Inserts a row, or changes the one with the same key, but for the columns in `fixed`. */
export function put(
  into: Writer,
  name: string,
  key: readonly string[],
  values: Values,
  fixed: readonly string[] = [],
): void {
  const changed = Object.keys(values).filter((column) => !key.includes(column) && !fixed.includes(column))
  const changes = changed.map(snakeCase).map((column) => `${column} = excluded.${column}`)
  into.write(
    `${insertion(name, values)} WHERE true
     ON CONFLICT (${key.map(snakeCase).join(', ')}) DO UPDATE SET ${changes.join(', ')}`,
    ...boundTo(values),
  )
}

const insertion = (name: string, values: Values): string => {
  const columns = Object.keys(values).map(snakeCase)
  return `INSERT INTO ${name} (${columns.join(', ')}) SELECT ${columns.map(() => '?').join(', ')}`
}

/** Changes the rows that have all these values. @returns how many they are */
export const update = (into: Writer, name: string, where: Values, changes: Values): number =>
  into.write(
    `UPDATE ${name} SET ${equals(changes, ', ')} WHERE ${equals(where, ' AND ')}`,
    ...[...boundTo(changes), ...boundTo(where)],
  )

/** Deletes the rows that have all these values. @returns how many they were */
export const remove = (from: Writer, name: string, where: Values): number =>
  from.write(`DELETE FROM ${name} WHERE ${equals(where, ' AND ')}`, ...boundTo(where))

/** Whether there is a row that has all these values. */
export const has = (from: Reader, name: string, where: Values): boolean =>
  from.row(`SELECT 1 FROM ${name} WHERE ${equals(where, ' AND ')}`, ...boundTo(where)) !== undefined
