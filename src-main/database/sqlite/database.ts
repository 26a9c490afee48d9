import Database from 'better-sqlite3'
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
    ? new DeskFailure(
        { kind: 'internal', message: 'The saved data could not be read or written.' },
        { cause: error },
      )
    : new DeskFailure({ kind: 'disk', message }, { cause: error })
}

function wordsFor(code: string): string | undefined {
  if (within(full, code))
    return 'The disk is full, so nothing new can be saved. Free some space and try again.'
  if (within(forbidden, code))
    return 'The profile folder cannot be written to, so nothing new can be saved. Check who may write to it.'
  if (within(broken, code)) return `The disk cannot be written to (${code}), so nothing new can be saved.`
  if (within(damaged, code)) return 'The file of the saved data is damaged.'
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
  /** Rows one after the other, for a file that may break off in the middle. */
  readonly iterate: (sql: string, ...bound: Bindable[]) => IterableIterator<Row>
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
    iterate: (sql, ...bound) => reading(sql).iterate(...bound),
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
