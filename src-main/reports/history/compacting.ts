import type { Store } from '#main/database/cache/cache-store.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { HistoryPath, TablePlace } from '#main/analytics/history-layout.ts'
import type { Clock } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { readHead, newTableId, stemOf } from '#main/analytics/history-layout.ts'
import type { Engine } from '../engine/report-engine.ts'
import { publishableOf } from './publishable.ts'

/** Files that are being read for long: none goes meanwhile, though others replace it. It goes afterwards. */
export class HeldFiles {
  /** How often each is held. */
  readonly #held = new Map<HistoryPath, number>()
  readonly #leaving = new Set<HistoryPath>()

  /** Those of these files that may go now; the others are remembered. */
  leave(paths: readonly HistoryPath[]): readonly HistoryPath[] {
    const held = paths.filter((path) => this.#held.has(path))
    for (const path of held) this.#leaving.add(path)
    return paths.filter((path) => !held.includes(path))
  }

  /**
   * Does something with tables whose files stay meanwhile.
   * @param remove is given the files that have to go then
   * @throws what `work` rejects with
   */
  async during<T>(
    tables: readonly Pick<StoredTable, 'file'>[],
    work: () => Promise<T>,
    remove: (paths: readonly HistoryPath[]) => Promise<void>,
  ): Promise<T> {
    const paths = [...new Set(tables.map(({ file }) => file.path))]
    for (const path of paths) this.#held.set(path, (this.#held.get(path) ?? 0) + 1)
    try {
      return await work()
    } finally {
      for (const path of paths) {
        const left = (this.#held.get(path) ?? 1) - 1
        if (left > 0) this.#held.set(path, left)
        else this.#held.delete(path)
      }
      await remove(paths.filter((path) => !this.#held.has(path) && this.#leaving.delete(path)))
    }
  }
}

/** Whether figures of these days, fetched then, do not change any more. */
export type IsSettled = (table: { readonly range: DayRange; readonly fetchedAt: Instant }) => boolean

/** From so many files of a month on, one is worth making: a day opens twelve times as fast among a month's. */
export const worthJoining = 7

/**
 * Writes the settled days of a subject's month into one file, or into one for each set of columns. It goes as keeping a
 * table does: the new file, the catalogue, then the old files.
 * @param remove deletes files that hold nothing any more
 * @throws DeskFailure where disk or catalogue refuse; then the days stay where they are
 */
export async function compactMonth(
  store: Pick<Store, 'run'>,
  engine: Pick<Engine, 'call'>,
  { month, ...place }: TablePlace & { readonly month: string },
  isSettled: IsSettled,
  remove: (paths: readonly HistoryPath[]) => Promise<void>,
): Promise<void> {
  const days = (await store.run('tables/list', place)).filter(
    (table) =>
      table.range.start === table.range.end && table.range.start.startsWith(month) && isSettled(table),
  )
  for (const tables of alike(days)) {
    if (new Set(tables.map(({ file }) => file.path)).size < 2) continue
    await join(store, engine, place, tables, remove)
  }
}

/**
 * Writes those files of a data scope anew of which some days were replaced, with the days alone that are still kept.
 * @throws DeskFailure where disk or catalogue refuse; then the rest stays as it is
 */
export async function rewriteReplaced(
  store: Pick<Store, 'run'>,
  engine: Pick<Engine, 'call'>,
  owner: DataScopeId,
  remove: (paths: readonly HistoryPath[]) => Promise<void>,
): Promise<void> {
  const { toRewrite } = publishableOf(await store.run('tables/in-files', owner))
  for (const [first] of toRewrite) {
    if (first)
      await rewriteFile(store, engine, { owner, subject: first.subject, path: first.file.path }, remove)
  }
}

/**
 * Writes a file of joined days anew, sorted and with the days alone that are still kept.
 * @throws DeskFailure where disk or catalogue refuse; then it stays as it is
 */
export async function rewriteFile(
  store: Pick<Store, 'run'>,
  engine: Pick<Engine, 'call'>,
  { path, ...place }: TablePlace & { readonly path: HistoryPath },
  remove: (paths: readonly HistoryPath[]) => Promise<void>,
): Promise<void> {
  const stored = await store.run('tables/list', place)
  const inFile = stored.filter(({ file }) => file.path === path)
  await join(store, engine, place, inFile, remove)
}

/** Writes tables into one file, in place of those they are in. Nothing changes where one of these cannot be read. */
async function join(
  store: Pick<Store, 'run'>,
  engine: Pick<Engine, 'call'>,
  place: TablePlace,
  tables: readonly StoredTable[],
  remove: (paths: readonly HistoryPath[]) => Promise<void>,
): Promise<void> {
  const [first] = tables
  if (!first) return
  const stem = stemOf({ ...place, range: first.range }, newTableId())
  const file = await engine.call('join', { stem, tables: tables.map((table) => ({ ...table, ...place })) })
  if (file === null) return
  const ids = tables.map(({ id }) => id)
  try {
    await remove((await store.run('tables/move', { file, owner: place.owner, ids })).unused)
  } catch (error) {
    // An answer that did not come says nothing: a file that the catalogue names stays.
    if (!(await store.run('tables/is-named', file.path).catch(() => true))) await remove([file.path])
    throw error
  }
}

/** Tables that have the same columns, so that a null among them is the service's own. */
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

/** So long nothing was asked for, in milliseconds. */
const minIntervalMs = 30_000
/** In milliseconds. */
const hour = 3_600_000

/**
 * Compacts the history when keeping views up to date has ended and nobody has asked for anything for half a minute, at
 * most once an hour. Whoever asks for something ends it at once: it then goes on at the next quiet moment.
 */
export class CompactingAtRest {
  readonly #clock: Clock
  readonly #compactHistory: (signal: AbortSignal) => Promise<void>
  /** Whether views were brought up to date since the history was compacted last. */
  isDue = false
  #begunAt: number | null = null
  #turn = new AbortController()
  readonly #lane = new Lane()
  #closed = false

  /** @param compact compacts what there is; it ends early, without harm, when the signal is aborted */
  constructor(clock: Clock, compact: (signal: AbortSignal) => Promise<void>) {
    this.#clock = clock
    this.#compactHistory = compact
  }

  /** Pinned views are as new as can be: there may be days to be compacted. */
  syncEnded(): void {
    this.isDue = true
    this.#rest()
  }

  /** A person asks for something, or views begin to be kept up to date. */
  disturbed(): void {
    if (this.isDue) this.#rest()
  }

  /** Ends it; done when nothing is being written any more. */
  async close(): Promise<void> {
    this.#closed = true
    this.#turn.abort()
    await this.#lane.idle()
  }

  /** Begins to wait anew; what runs is given up. */
  #rest(): void {
    this.#turn.abort()
    if (this.#closed) return
    this.#turn = new AbortController()
    this.#compactAfter(this.#turn.signal).catch(() => undefined)
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
      // What was given up goes on as soon as it is quiet again.
      if (!signal.aborted) {
        this.isDue = false
        this.#begunAt = begunAt
      }
    }
  }

  /** Milliseconds until an hour after the last began; an hour at most, where the clock was set back. */
  #untilNext(): number {
    return this.#begunAt === null ? 0 : Math.min(hour, this.#begunAt + hour - this.#clock.now())
  }
}
