import Database from 'better-sqlite3'

/** What may be bound to a parameter of a statement. */
export type Bindable = string | number | null | Uint8Array

/** A row as it lies on the disk: to be checked before anything is made of it. */
export type Row = Readonly<Record<string, unknown>>

/** A database that can only be read: a function that takes one cannot write. */
export type Reader = {
  readonly rows: (sql: string, ...bound: Bindable[]) => Row[]
  readonly row: (sql: string, ...bound: Bindable[]) => Row | undefined
  /** Rows one after the other, for a file that may break off in the middle. */
  readonly each: (sql: string, ...bound: Bindable[]) => IterableIterator<Row>
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
    each: (sql, ...bound) => reading(sql).iterate(...bound),
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
