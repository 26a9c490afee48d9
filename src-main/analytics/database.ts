import { DuckDBInstance, DuckDBListValue, LIST, VARCHAR } from '@duckdb/node-api'
import { mkdirSync } from 'node:fs'
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { cancelled, throwIfCancelled } from '#main/lib/async.ts'
import { dropFolder, ownFolderIn } from '#main/lib/work-folder.ts'

/** Where the engine may read and write. Paths of the machine. */
export type EngineFolders = {
  readonly history: string
  /** For what does not fit into memory. */
  readonly temporary: string
}

export type Bound = Readonly<Record<string, DuckDBValue>>

/** The engine: statements in, columns out. Values are bound, never written into a statement. */
export type EngineDatabase = {
  /** The columns of what a statement finds, in their order. @throws what the engine refuses with */
  readonly columns: (sql: string, bound?: Bound) => Promise<readonly (readonly DuckDBValue[])[]>
  /** Does something with a connection of its own, whose statements end when the signal is aborted. @throws DeskFailure `cancelled` */
  readonly using: <T>(work: (connection: DuckDBConnection) => Promise<T>, signal?: AbortSignal) => Promise<T>
  /** The same engine, whose statements end when the signal is aborted. */
  readonly until: (signal: AbortSignal) => EngineDatabase
  /** This engine's own folder for what does not fit into memory: it may read and write there, and it goes with the engine. */
  readonly temporary: string
  readonly close: () => void
}

export type EngineLimits = {
  readonly memory_limit: string
  readonly threads: string
  /** Whether rows stay in the order of their file; 'false' where left out, which takes less memory. */
  readonly preserve_insertion_order?: string
}

/**
 * For answers. Besides this the process takes for itself about 60 MB. What does not fit is written to the temporary folder.
 * Two threads: more want more memory, and the rest of the machine is the person's.
 */
const toRead: EngineLimits = { memory_limit: '128MB', threads: '2' }

/** For answers from large tables (sums.ts): a second thread would hold all that it sums once more, and write it to the disk. */
export const toReadLarge: EngineLimits = { ...toRead, threads: '1' }

/** For files. One thread: a day's file is so small that two wait for each other longer than they work. */
export const toWrite: EngineLimits = { memory_limit: '64MB', threads: '1' }

/** So many connections wait to be used again. */
const maxIdle = 3

/**
 * Opens the engine, empty and in memory. It reaches the history folder, its temporary one and the files of `besides`, and nothing
 * else: no other file, no network, no extension; and that cannot be changed any more.
 */
export async function openEngine(
  { history, temporary }: EngineFolders,
  limits: EngineLimits = toRead,
  own: string = ownFolderIn(temporary),
  besides: readonly string[] = [],
): Promise<EngineDatabase> {
  mkdirSync(history, { recursive: true, mode: 0o700 })
  const instance = await DuckDBInstance.create(':memory:', {
    preserve_insertion_order: 'false',
    ...limits,
    temp_directory: own,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    default_null_order: 'nulls_last',
    // It would hold what it once read of files until its memory is full, also of those that newer ones have replaced; the system
    // keeps the files of a disk at hand by itself.
    enable_external_file_cache: 'false',
    // On Linux, memory that a statement took goes back to the system within two seconds, not with the next statement. Elsewhere
    // it changes nothing.
    allocator_background_threads: 'true',
  })
  const idle: DuckDBConnection[] = []
  const first = await instance.connect()
  // How far a statement is can be asked of this connection; what it would print goes nowhere.
  await first.run('SET enable_progress_bar = true')
  await first.run('SET enable_progress_bar_print = false')
  await first.run('SET allowed_directories = [$folder]', { folder: `${history}/` })
  if (besides.length > 0)
    await first.run(
      'SET allowed_paths = $files',
      { files: new DuckDBListValue([...besides]) },
      { files: LIST(VARCHAR) },
    )
  await first.run('SET enable_external_access = false')
  await first.run('SET lock_configuration = true')
  idle.push(first)

  async function using<T>(
    work: (connection: DuckDBConnection) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    throwIfCancelled(signal)
    const connection = idle.pop() ?? (await instance.connect())
    try {
      return await interruptible(connection, signal, () => work(connection))
    } finally {
      if (idle.length < maxIdle) idle.push(connection)
      else connection.closeSync()
    }
  }

  const database = (signal: AbortSignal): EngineDatabase => ({
    using: (work, until = never) => using(work, AbortSignal.any([signal, until])),
    until: (until) => database(AbortSignal.any([signal, until])),
    temporary: own,
    columns: (sql, bound = {}) =>
      using(
        async (connection) => (await connection.runAndReadAll(sql, bound, typesOf(bound))).getColumns(),
        signal,
      ),
    close: () => {
      for (const connection of idle.splice(0)) connection.closeSync()
      instance.closeSync()
      dropFolder(own)
    },
  })
  return database(never)
}

const never = new AbortController().signal

/** Between two interrupts: one that comes before a statement has begun changes nothing. In milliseconds. */
const interruptEvery = 50

/** Does something with a connection until it has ended; its statements are broken off when the signal is aborted. */
async function interruptible<T>(
  connection: DuckDBConnection,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  let next: NodeJS.Timeout | undefined
  const interrupt = () => {
    connection.interrupt()
    next = setTimeout(interrupt, interruptEvery)
  }
  throwIfCancelled(signal)
  signal.addEventListener('abort', interrupt, { once: true })
  try {
    return await work()
  } catch (error) {
    throw signal.aborted ? cancelled() : error
  } finally {
    signal.removeEventListener('abort', interrupt)
    clearTimeout(next)
  }
}

/** An empty list says nothing of what it is a list of: all that are bound are of texts. */
const typesOf = (bound: Bound) =>
  Object.fromEntries(
    Object.entries(bound).flatMap(([name, value]) =>
      value instanceof DuckDBListValue ? [[name, LIST(VARCHAR)]] : [],
    ),
  )

/**
 * What an engine says when it fails, for the log: its own words without what they quote, which may be cells, headers or places of
 * files; and where it was asked.
 */
export function causeOfEngine(error: Error): string {
  const [said = ''] = error.message.split('\n')
  const [from, to] = [said.search(/["']/), Math.max(said.lastIndexOf('"'), said.lastIndexOf("'"))]
  // A value of several lines ends on another one.
  const words = from < 0 ? said : `${said.slice(0, from + 1)}…${from < to ? said.slice(to) : ''}`
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line))
  return [`${error.name}: ${words}`, ...frames].join('\n')
}
