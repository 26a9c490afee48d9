import { DuckDBInstance, DuckDBListValue, LIST, VARCHAR } from '@duckdb/node-api'
import { mkdirSync } from 'node:fs'
import type { DuckDBConnection, DuckDBTableFunction } from '@duckdb/node-api'
import { cancelled, throwIfCancelled } from '#main/lib/async.ts'
import { dropFolder, ownFolderIn } from '#main/lib/work-folder.ts'
import type { Bound, Value } from './statement.ts'

/** Where the engine may read and write. Paths of the machine. */
export type EngineFolders = {
  readonly history: string
  /** For what does not fit into memory. */
  readonly temporary: string
}

type EngineLimits = {
  readonly memory_limit: string
  readonly threads: string
  /** Whether rows stay in the order of their file; 'false' where left out, which takes less memory. */
  readonly preserve_insertion_order?: string
}

/** Two threads: more want more memory, and the rest of the machine is the person's. */
const toRead = { memory_limit: '128MB', threads: '2' }

/** Limits by what an engine is for. A process takes about 60 MB besides. What does not fit is written to the temporary folder. */
export const engineLimits = {
  /** For answers about figures. */
  figures: toRead,
  /** From large tables (sums.ts): a second thread would hold all that it sums once more, and write it to the disk. */
  large: { ...toRead, threads: '1' },
  /** For files of figures. A day's file is so small that two threads wait for each other longer than they work. */
  writing: { memory_limit: '64MB', threads: '1' },
  /** For answers about rows, which stay in the order of their files. */
  rows: { memory_limit: '192MB', threads: '2', preserve_insertion_order: 'true' },
  /**
   * For imports. Two threads that write rows in the order of their lines hold each other's rows meanwhile: with less memory one of
   * them waits, and takes the processor's time for that.
   */
  imports: { memory_limit: '320MB', threads: '2', preserve_insertion_order: 'true' },
  /** For imports of many columns, of each of which a thread holds some. */
  wideImports: { memory_limit: '112MB', threads: '1', preserve_insertion_order: 'true' },
} satisfies Readonly<Record<string, EngineLimits>>

/**
 * Opens the engine, empty and in memory. It reaches the history folder, its temporary one and the files of `besides`, and nothing
 * else: no other file, no network, no extension; and that cannot be changed any more.
 */
export async function openEngine(
  { history, temporary }: EngineFolders,
  limits: EngineLimits = engineLimits.figures,
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
  return new EngineDatabase(instance, [first], own, never)
}

const never = new AbortController().signal

/** So many connections wait to be used again. */
const maxIdle = 3

/** The engine: statements in, columns or rows out. Values are bound, never written into a statement. */
export class EngineDatabase {
  readonly #instance: DuckDBInstance
  readonly #idle: DuckDBConnection[]
  readonly #signal: AbortSignal
  /** This engine's own folder for what does not fit into memory: it may read and write there, and it goes with the engine. */
  readonly temporary: string

  constructor(instance: DuckDBInstance, idle: DuckDBConnection[], temporary: string, signal: AbortSignal) {
    this.#instance = instance
    this.#idle = idle
    this.temporary = temporary
    this.#signal = signal
  }

  /** The same engine, whose statements end when the signal is aborted. */
  until(signal: AbortSignal): EngineDatabase {
    const either = AbortSignal.any([this.#signal, signal])
    return new EngineDatabase(this.#instance, this.#idle, this.temporary, either)
  }

  /** The columns of what a statement finds, in their order. @throws what the engine refuses with, DeskFailure `cancelled` */
  columns(sql: string, bound: Bound = {}): Promise<Answer> {
    return this.using((session) => session.columns(sql, bound))
  }

  /** The rows of what a statement finds. @throws as above */
  rows(sql: string, bound: Bound = {}): Promise<Answer> {
    return this.using((session) => session.rows(sql, bound))
  }

  /** Does something with a connection of its own, whose statements end when the signal is aborted. @throws DeskFailure `cancelled` */
  async using<T>(work: (session: Session) => Promise<T>): Promise<T> {
    throwIfCancelled(this.#signal)
    const connection = this.#idle.pop() ?? (await this.#instance.connect())
    try {
      return await interruptible(connection, this.#signal, () => work(new Session(connection, this.#signal)))
    } finally {
      if (this.#idle.length < maxIdle) this.#idle.push(connection)
      else connection.closeSync()
    }
  }

  close(): void {
    for (const connection of this.#idle.splice(0)) connection.closeSync()
    this.#instance.closeSync()
    dropFolder(this.temporary)
  }
}

type Answer = readonly (readonly Value[])[]

/** One connection: its statements see each other's tables. */
export class Session {
  readonly #connection: DuckDBConnection
  readonly #signal: AbortSignal

  constructor(connection: DuckDBConnection, signal: AbortSignal) {
    this.#connection = connection
    this.#signal = signal
  }

  async columns(sql: string, bound: Bound = {}): Promise<Answer> {
    return (await this.#read(sql, bound)).getColumns()
  }

  async rows(sql: string, bound: Bound = {}): Promise<Answer> {
    return (await this.#read(sql, bound)).getRows()
  }

  /** Rows of a statement, chunk by chunk as the engine produces them. Only one chunk is in memory. @throws DeskFailure `cancelled` */
  async *pieces(sql: string, bound: Bound = {}): AsyncGenerator<Answer, void> {
    const found = await this.#connection.stream(sql, ...namedIn(sql, bound))
    for await (const rows of found.yieldRows()) {
      throwIfCancelled(this.#signal)
      yield rows
    }
  }

  /** Of the statement that runs, from 0 to 100; less where that is not known. */
  get percentage(): number {
    return this.#connection.progress.percentage
  }

  /** Statements of every connection can read from it. */
  register(reader: DuckDBTableFunction): void {
    this.#connection.registerTableFunction(reader)
  }

  #read(sql: string, bound: Bound) {
    return this.#connection.runAndReadAll(sql, ...namedIn(sql, bound))
  }
}

/** Values and types of what a statement names: the engine refuses whatever else is bound. */
function namedIn(sql: string, bound: Bound) {
  const names = new Set(sql.match(/\$\w+/g))
  const named = Object.fromEntries(Object.entries(bound).filter(([name]) => names.has(`$${name}`)))
  return [named, typesOf(named)] as const
}

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
