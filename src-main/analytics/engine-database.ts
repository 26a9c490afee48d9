import { DuckDBInstance, DuckDBListValue, LIST, VARCHAR } from '@duckdb/node-api'
import { mkdirSync } from 'node:fs'
import type { DuckDBConnection, DuckDBTableFunction } from '@duckdb/node-api'
import { DeskFailure } from '#shared/api/failure.ts'
import { cancelled, throwIfCancelled } from '#main/lib/async.ts'
import { dropFolder, ownFolderIn } from '#main/lib/work-folder.ts'
import type { Bound, Value } from './statement.ts'

/** Absolute paths of the folders that the engine may use. */
export type EngineFolders = {
  /** Folder of the Parquet files: `history/` for figures, `rows/` for imported rows. */
  readonly history: string
  /** For data that does not fit into memory. */
  readonly temporary: string
}

type EngineLimits = {
  readonly memory_limit: string
  readonly threads: string
  /** Whether rows stay in file order. Defaults to 'false', which takes less memory. */
  readonly preserve_insertion_order?: string
}

/** Two threads: more would take more memory and slow down the user's other apps. */
const toRead = { memory_limit: '128MB', threads: '2' }

/** Limits by purpose. A process takes about 60 MB more. Data that does not fit is written to the temporary folder. */
export const engineLimits = {
  /** For queries on figures. */
  figures: toRead,
  /** For large tables (sums.ts). A second thread would double the data, and write it to the disk. */
  large: { ...toRead, threads: '1' },
  /** For snapshots of a large table that needs no grouping. A sort takes as long with less memory; long labels need that of `large`. */
  sorting: { memory_limit: '72MB', threads: '1' },
  /** For files of figures. With a day's small file, two threads wait for each other longer than they work. */
  writing: { memory_limit: '64MB', threads: '1' },
  /** For queries on rows, which stay in file order. */
  rows: { memory_limit: '192MB', threads: '2', preserve_insertion_order: 'true' },
  /**
   * For files of rows. Two threads hold rows back for their order, in at most a quarter of the memory. With the memory of `rows` they
   * wait for each other half of the time.
   */
  savedRows: { memory_limit: '384MB', threads: '2', preserve_insertion_order: 'true' },
  /** For answers and files that do not fit into the memory of `rows` or `savedRows`: each thread holds some of every column. */
  wideRows: { memory_limit: '192MB', threads: '1', preserve_insertion_order: 'true' },
  /**
   * For imports. Two threads that write rows in order hold each other's rows. With less memory one thread would wait, and use the CPU while
   * waiting.
   */
  imports: { memory_limit: '320MB', threads: '2', preserve_insertion_order: 'true' },
  /** For imports of many columns or long texts: each thread holds some of every column. */
  wideImports: { memory_limit: '112MB', threads: '1', preserve_insertion_order: 'true' },
} satisfies Readonly<Record<string, EngineLimits>>

/**
 * Opens an empty in-memory engine. It can access only its data folder, its temporary folder and the files of `besides`: no other file,
 * no network, no extension. Its configuration is locked.
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
    // The cache would fill the memory, also with replaced files. The system caches files anyway.
    enable_external_file_cache: 'false',
    // On Linux, memory of a statement returns to the system within two seconds, not with the next statement. No effect elsewhere.
    allocator_background_threads: 'true',
  })
  const first = await instance.connect()
  // Enables progress for this connection, without printing it.
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

/** Thrown if a statement needs more memory than its engine may use. `cause` is the engine's error. */
export class OutOfMemory extends DeskFailure {
  constructor(cause: unknown, message = 'This needs too much memory. Choose fewer days, rows or columns.') {
    super({ kind: 'internal', message }, { cause })
    this.name = 'OutOfMemory'
  }
}

/** A temporary folder that may not grow is a full disk (engine-server.ts). */
const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error &&
  error.message.startsWith('Out of Memory Error') &&
  !error.message.includes('max_temp_directory_size')

/** Maximum number of idle connections. */
const maxIdle = 3

/** The engine. Values are bound, never written into a statement. */
export class EngineDatabase {
  readonly #instance: DuckDBInstance
  readonly #idle: DuckDBConnection[]
  readonly #signal: AbortSignal
  /** This engine's own folder for data that does not fit into memory. The engine may access it, and `close` deletes it. */
  readonly temporary: string

  constructor(instance: DuckDBInstance, idle: DuckDBConnection[], temporary: string, signal: AbortSignal) {
    this.#instance = instance
    this.#idle = idle
    this.temporary = temporary
    this.#signal = signal
  }

  /** Returns the same engine, with statements that end when the signal is aborted. */
  until(signal: AbortSignal): EngineDatabase {
    const either = AbortSignal.any([this.#signal, signal])
    return new EngineDatabase(this.#instance, this.#idle, this.temporary, either)
  }

  /** Runs a statement and returns its columns. @throws errors of the engine, DeskFailure `cancelled` */
  columns(sql: string, bound: Bound = {}): Promise<Answer> {
    return this.using((session) => session.columns(sql, bound))
  }

  /** Runs a statement and returns its rows. @throws as `columns` */
  rows(sql: string, bound: Bound = {}): Promise<Answer> {
    return this.using((session) => session.rows(sql, bound))
  }

  /** Runs work with a connection of its own, whose statements end when the signal is aborted. @throws DeskFailure `cancelled` */
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

/** One connection. Its statements share tables. */
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

  /** Streams the rows of a statement in chunks. Only one chunk is in memory. @throws DeskFailure `cancelled` */
  async *pieces(sql: string, bound: Bound = {}): AsyncGenerator<Answer, void> {
    const found = await this.#connection.stream(sql, ...namedIn(sql, bound))
    for await (const rows of found.yieldRows()) {
      throwIfCancelled(this.#signal)
      yield rows
    }
  }

  /** Progress of the running statement, 0 to 100; negative if unknown. */
  get percentage(): number {
    return this.#connection.progress.percentage
  }

  /** Registers a table function for the statements of all connections. */
  register(reader: DuckDBTableFunction): void {
    this.#connection.registerTableFunction(reader)
  }

  #read(sql: string, bound: Bound) {
    return this.#connection.runAndReadAll(sql, ...namedIn(sql, bound))
  }
}

/** Values and types of the parameters in a statement: the engine rejects other bound values. */
function namedIn(sql: string, bound: Bound) {
  const names = new Set(sql.match(/\$\w+/g))
  const named = Object.fromEntries(Object.entries(bound).filter(([name]) => names.has(`$${name}`)))
  return [named, typesOf(named)] as const
}

/** Interval between interrupts in ms. An interrupt before the start of a statement has no effect. */
const interruptEvery = 50

/** Runs work with a connection, and interrupts its statements when the signal is aborted. */
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
    if (signal.aborted) throw cancelled()
    throw isOutOfMemory(error) ? new OutOfMemory(error) : error
  } finally {
    signal.removeEventListener('abort', interrupt)
    clearTimeout(next)
  }
}

/** An empty list has no element type: all bound lists are lists of texts. */
const typesOf = (bound: Bound) =>
  Object.fromEntries(
    Object.entries(bound).flatMap(([name, value]) =>
      value instanceof DuckDBListValue ? [[name, LIST(VARCHAR)]] : [],
    ),
  )

/** Returns the cause of an engine's failure for the log. Quoted parts are removed from the message, because they may be cells, headers or paths. */
export function causeOfEngine(error: Error): string {
  const { message } = error.cause instanceof Error ? error.cause : error
  const [said = ''] = message.split('\n')
  const [from, to] = [said.search(/["']/), Math.max(said.lastIndexOf('"'), said.lastIndexOf("'"))]
  // A quoted value may end on a later line.
  const words = from < 0 ? said : `${said.slice(0, from + 1)}…${from < to ? said.slice(to) : ''}`
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line))
  return [`${error.name}: ${words}`, ...frames].join('\n')
}
