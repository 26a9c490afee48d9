import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { HistoryPath, TablePlace } from '#main/analytics/history-layout.ts'
import type { Clock } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { readHead, newTableId, historyStemOf } from '#main/analytics/history-layout.ts'
import type { HistoryContext } from './history-context.ts'
import { publishableOf } from './publishable.ts'

/** Files in use by long reads. A file that is replaced meanwhile is deleted afterwards. */
export class HeldFiles {
  /** Number of holders per file. */
  readonly #holders = new Map<HistoryPath, number>()
  readonly #leaving = new Set<HistoryPath>()

  /** Returns the files that may be deleted now. Held files are deleted later. */
  leave(paths: readonly HistoryPath[]): readonly HistoryPath[] {
    const held = paths.filter((path) => this.#holders.has(path))
    for (const path of held) this.#leaving.add(path)
    return paths.filter((path) => !held.includes(path))
  }

  /**
   * Runs work during which the tables' files are not deleted.
   * @param remove deletes files afterwards
   * @throws the error of `work`
   */
  async during<T>(
    tables: readonly Pick<StoredTable, 'file'>[],
    work: () => Promise<T>,
    remove: (paths: readonly HistoryPath[]) => Promise<void>,
  ): Promise<T> {
    const paths = [...new Set(tables.map(({ file }) => file.path))]
    for (const path of paths) this.#holders.set(path, (this.#holders.get(path) ?? 0) + 1)
    try {
      return await work()
    } finally {
      for (const path of paths) {
        const left = (this.#holders.get(path) ?? 1) - 1
        if (left > 0) this.#holders.set(path, left)
        else this.#holders.delete(path)
      }
      await remove(paths.filter((path) => !this.#holders.has(path) && this.#leaving.delete(path)))
    }
  }
}

/** Whether figures of these days, fetched at this time, no longer change. */
export type IsSettled = (table: { readonly range: DayRange; readonly fetchedAt: Instant }) => boolean

/** Minimum number of files in a month to join. A day in a joined file opens twelve times as fast. */
export const worthJoining = 7

/**
 * Joins the settled days of a subject's month into one file per set of columns. The order is as for saving: new file,
 * catalogue, then the old files.
 * @param remove deletes files that are no longer used
 * @throws DeskFailure if the disk or the catalogue fails; then the days stay in their files
 */
export async function compactMonth(
  context: HistoryContext,
  { month, ...place }: TablePlace & { readonly month: string },
  isSettled: IsSettled,
  remove: (paths: readonly HistoryPath[]) => Promise<void>,
): Promise<void> {
  const days = (await context.store.run('tables/list', place)).filter(
    (table) =>
      table.range.start === table.range.end && table.range.start.startsWith(month) && isSettled(table),
  )
  for (const tables of alike(days)) {
    if (new Set(tables.map(({ file }) => file.path)).size < 2) continue
    await join(context, place, tables, remove)
  }
}

/**
 * Rewrites files of a data scope in which days were replaced, without these days.
 * @throws DeskFailure if the disk or the catalogue fails; then the remaining files stay unchanged
 */
export async function rewriteReplaced(
  context: HistoryContext,
  dataScope: DataScopeId,
  remove: (paths: readonly HistoryPath[]) => Promise<void>,
): Promise<void> {
  const { toRewrite } = publishableOf(await context.store.run('tables/in-files', dataScope))
  for (const [first] of toRewrite) {
    if (first)
      await rewriteFile(context, { dataScope, subject: first.subject, path: first.file.path }, remove)
  }
}

/**
 * Rewrites a joined file: sorted, and without days that were replaced.
 * @throws DeskFailure if the disk or the catalogue fails; then the file stays unchanged
 */
export async function rewriteFile(
  context: HistoryContext,
  { path, ...place }: TablePlace & { readonly path: HistoryPath },
  remove: (paths: readonly HistoryPath[]) => Promise<void>,
): Promise<void> {
  const stored = await context.store.run('tables/list', place)
  const inFile = stored.filter(({ file }) => file.path === path)
  await join(context, place, inFile, remove)
}

/** Writes tables into one file that replaces their files. Does nothing if a table cannot be read. */
async function join(
  { engine, store }: HistoryContext,
  place: TablePlace,
  tables: readonly StoredTable[],
  remove: (paths: readonly HistoryPath[]) => Promise<void>,
): Promise<void> {
  const [first] = tables
  if (!first) return
  const stem = historyStemOf({ ...place, range: first.range }, newTableId())
  const file = await engine.call('join', { stem, tables: tables.map((table) => ({ ...table, ...place })) })
  if (file === null) return
  const ids = tables.map(({ id }) => id)
  try {
    await remove((await store.run('tables/move', { file, dataScope: place.dataScope, ids })).unused)
  } catch (error) {
    // The call may have succeeded without a response. A file that the catalogue names must stay.
    if (!(await store.run('tables/is-named', file.path).catch(() => true))) await remove([file.path])
    throw error
  }
}

/** Groups tables by columns, so that a null in a joined file always comes from the service. */
function alike(tables: readonly StoredTable[]): readonly (readonly StoredTable[])[] {
  const groups = new Map<string, StoredTable[]>()
  for (const table of tables) {
    const head = readHead(table.head)
    if (!head) continue
    const columns = JSON.stringify([table.whole, head.columns])
    groups.set(columns, [...(groups.get(columns) ?? []), table])
  }
  return [...groups.values()]
}

/** Required idle time (ms) before compaction. */
const minIntervalMs = 30_000
const hour = 3_600_000

/**
 * Compacts the history, at most once an hour, after pinned views were refreshed and no requests were made for half a minute. A
 * request cancels the compaction, which continues at the next idle time.
 */
export class CompactingAtRest {
  readonly #clock: Clock
  readonly #compactHistory: (signal: AbortSignal) => Promise<void>
  /** Whether pinned views were refreshed since the last compaction. */
  #isDue = false
  #begunAt: number | null = null
  #controller = new AbortController()
  readonly #lane = new Lane()
  #isClosed = false

  /** @param compact compacts the history; can be aborted at any time */
  constructor(clock: Clock, compact: (signal: AbortSignal) => Promise<void>) {
    this.#clock = clock
    this.#compactHistory = compact
  }

  /** Called when pinned views are up to date, so that there may be days to compact. */
  syncEnded(): void {
    this.#isDue = true
    this.#restartWait()
  }

  /** Called when the user requests something or a refresh of pinned views starts. */
  disturbed(): void {
    if (this.#isDue) this.#restartWait()
  }

  /** Cancels compaction. Resolves when nothing is being written. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#controller.abort()
    await this.#lane.idle()
  }

  /** Cancels a running compaction and restarts the wait. */
  #restartWait(): void {
    this.#controller.abort()
    if (this.#isClosed) return
    this.#controller = new AbortController()
    this.#compactAfter(this.#controller.signal).catch(() => undefined)
  }

  async #compactAfter(signal: AbortSignal): Promise<void> {
    await this.#clock.wait(Math.max(minIntervalMs, this.#untilNext()), signal)
    await this.#lane.run(() => this.#compact(signal), { signal })
  }

  async #compact(signal: AbortSignal): Promise<void> {
    const begunAt = this.#clock.now()
    try {
      await this.#compactHistory(signal)
    } finally {
      // A cancelled compaction stays due.
      if (!signal.aborted) {
        this.#isDue = false
        this.#begunAt = begunAt
      }
    }
  }

  /** Milliseconds until an hour after the last start; at most an hour if the clock was set back. */
  #untilNext(): number {
    return this.#begunAt === null ? 0 : Math.min(hour, this.#begunAt + hour - this.#clock.now())
  }
}
