import Database from 'better-sqlite3'
import * as v from 'valibot'
import type { Calls, ArgumentOf, ResultOf } from '#main/workers/rpc.ts'
import { asDiskFailure, diskMessage, diskReasonOf } from '#main/files/disk-failure.ts'
import { codeOf } from '#main/lib/error-code.ts'
import { DeskFailure, deskFailure } from '#shared/api/failure.ts'

/** Class of an error of SQLite or the file system: the file is `damaged`, the `disk` (or folder) fails, or the app has a bug. */
type Trouble = 'damaged' | 'disk' | 'mistake'

const isDamaged = (error: unknown): boolean => /^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/.test(codeOf(error) ?? '')

/** Thrown if a file can be opened but was not written by this app. */
export class DamagedFile extends Error {
  readonly code = 'SQLITE_CORRUPT'
}

export function troubleOf(error: unknown): Trouble {
  if (isDamaged(error)) return 'damaged'
  const reason = diskReasonOf(error)
  return reason !== undefined && diskMessage('profile', reason) !== undefined ? 'disk' : 'mistake'
}

/** Converts an error of the store's files into a failure for the user. */
export function storeFailure(error: unknown): DeskFailure {
  const failure = asDiskFailure(error, 'profile')
  if (failure instanceof DeskFailure) return failure
  return isDamaged(error)
    ? deskFailure('disk', 'The saved data is damaged.', { cause: error })
    : deskFailure('internal', "Can't read or write the saved data.", { cause: error })
}

/** After this many ms a locked file counts as a disk failure. */
const longestHold = 12_000
const pause = new Int32Array(new SharedArrayBuffer(4))

/**
 * Retries `work` while a file is locked. Backup and search programs lock files for seconds, and another process may open them
 * at the same moment. SQLite's own timeout (5 s) does not apply in all cases.
 * @throws errors of `work` after the time limit, and other errors immediately
 */
export function withBusyRetry<T>(work: () => T): T {
  const until = Date.now() + longestHold
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (diskReasonOf(error) !== 'busy' || Date.now() >= until) throw error
      Atomics.wait(pause, 0, 0, 10)
    }
  }
}

export type Bindable = string | number | null | Uint8Array

/** A raw row, which must be validated. */
export type Row = Readonly<Record<string, unknown>>

/** Read access to a database. */
export type Reader = {
  readonly rows: (sql: string, ...bound: Bindable[]) => Row[]
  readonly row: (sql: string, ...bound: Bindable[]) => Row | undefined
}

/** Read and write access to a database. */
export type Writer = Reader & {
  /** Runs a writing statement. Returns the number of changed rows. */
  readonly write: (sql: string, ...bound: Bindable[]) => number
  /** Runs `work` in a transaction. */
  readonly together: <T>(work: () => T) => T
}

/** SQLite's own handle, only for opening and migrating. */
export type Handle = Database.Database

/** Maximum wait (ms) of a statement for a lock of another process. */
const busyTimeout = 5000

/** Opens a database from a file, from bytes, or empty in memory. */
export function openHandle(source: string | Buffer, options: { readonly?: boolean } = {}): Handle {
  return new Database(source, { ...options, timeout: busyTimeout })
}

/** Creates a writer for an open handle. Prepared statements are cached. */
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

/** Operations on a database, by name: functions of the database and at most one cloneable argument. */
type Operations<O> = { readonly [N in keyof O]: (database: Writer, argument: never) => unknown }

/** The same operations without the database parameter. A missing argument is undefined; a missing result is null. */
export type CallsOf<O extends Operations<O>> = {
  readonly [N in keyof O]: (argument: OperationArgument<O[N]>) => OperationResult<O[N]>
}

type OperationArgument<F> = F extends (...all: infer A) => unknown
  ? A extends readonly [unknown, infer Argument]
    ? Argument
    : undefined
  : never
type OperationResult<F> = F extends (...all: never) => infer R ? (undefined extends R ? null : R) : never

/** Converts operations to calls. @param run runs work on the currently open database */
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
  // Both types follow from the operation of the same name.
  return Object.fromEntries(calls) as CallsOf<O> & Calls<CallsOf<O>>
}

/** Runs an operation on a file that another thread has open. */
export type Run<C extends Calls<C>> = <N extends keyof C & string>(
  name: N,
  argument: ArgumentOf<C[N]>,
) => Promise<ResultOf<C[N]>>

/** A boolean, stored as 0 or 1. */
export const flag = v.pipe(
  v.picklist([0, 1]),
  v.transform((value) => value === 1),
)

/** Row schemas use camel case; columns use snake case. */
function snakeCase(name: string): string {
  // Column names become part of SQL.
  if (!/^[a-z]+$/i.test(name)) throw new TypeError(`Not the name of a column: ${name}`)
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Parses a row. Returns a list with one item, or an empty list if the row is invalid. */
export function parseRow<T>(schema: v.GenericSchema<unknown, T>, row: Row | undefined): T[] {
  const read = v.safeParse(schema, row)
  return read.success ? [read.output] : []
}

/** Runs a query whose columns have the names of the schema's entries. Skips invalid rows. */
export const query = <T>(
  from: Reader,
  schema: v.GenericSchema<unknown, T>,
  sql: string,
  ...bound: Bindable[]
): T[] => from.rows(sql, ...bound).flatMap((row) => parseRow(schema, row))

/**
 * Creates a reader for a table or join, whose columns are the entries of the schema. `rest` is the SQL after the name.
 * @param expressions SQL of entries that are not columns, or are ambiguous
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

/** Values by column in camel case. Booleans are stored as 0 or 1, objects as JSON. */
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

/** Inserts a row, unless it conflicts with another. @returns whether the row was inserted */
export function insert(into: Writer, name: string, values: Values): boolean {
  return into.write(`${insertion(name, values)} WHERE true ON CONFLICT DO NOTHING`, ...boundTo(values)) > 0
}

/** Inserts a row, or updates the one with the same key except the columns in `fixed`. */
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

/** Updates the rows that match all values. @returns the number of rows */
export const update = (into: Writer, name: string, where: Values, changes: Values): number =>
  into.write(
    `UPDATE ${name} SET ${equals(changes, ', ')} WHERE ${equals(where, ' AND ')}`,
    ...[...boundTo(changes), ...boundTo(where)],
  )

/** Deletes the rows that match all values. @returns the number of rows */
export const remove = (from: Writer, name: string, where: Values): number =>
  from.write(`DELETE FROM ${name} WHERE ${equals(where, ' AND ')}`, ...boundTo(where))

/** Whether a row matches all values. */
export const has = (from: Reader, name: string, where: Values): boolean =>
  from.row(`SELECT 1 FROM ${name} WHERE ${equals(where, ' AND ')}`, ...boundTo(where)) !== undefined
