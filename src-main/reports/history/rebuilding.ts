import { lstat, opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataScopeId } from '#shared/values/ids.ts'
import type { CacheStore } from '#main/database/cache/cache-store.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { HistoryFile, HistoryPath, TablePlace, TableEntry } from '#main/analytics/history-layout.ts'
import { isHistoryPath, isHistoryStem, historyStemOf } from '#main/analytics/history-layout.ts'
import type { FileState } from '#main/analytics/checksummed-files.ts'
import type { HistoryContext } from './history-context.ts'

/** Number of files in the history folder by outcome. */
export type Rebuilt = {
  /** Files added to the catalogue. */
  readonly adopted: number
  /** Files deleted. */
  readonly swept: number
  /** Files, links and folders that stay, without being in the catalogue. */
  readonly ignored: number
}

type RebuildOptions = {
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether a data scope belongs to an account. Files of removed accounts are not added. */
  readonly isDataScope: (dataScope: DataScopeId) => boolean
  /** Notes restatements of a table, because the app may have ended before that. */
  readonly note: (table: TablePlace & StoredTable) => Promise<void>
}

/** Age (ms) at which leftover files are deleted. Until then a mistake can be corrected. */
const leftOverFor = 7 * 24 * 60 * 60 * 1000

const folders = [/^account=[0-9A-Za-z-]{1,100}$/, /^report=[a-z-]+$/, /^month=\d{4}-\d{2}$/] as const

/**
 * Whether the catalogue is on disk. It is in memory if the one on disk is newer, foreign or unreadable. Then no file is deleted
 * or joined, because the catalogue on disk may name it.
 */
export const isOnDisk = async (store: CacheStore): Promise<boolean> =>
  (await store.run('cache/state', undefined).catch(() => null)) === 'ready'

/**
 * Adds tables of the history folder that the catalogue lacks, unless a newer table of the same days has a sound file. Deletes
 * files that are superseded, damaged or unfinished once they are a week old. Leaves everything else: links, other names,
 * misplaced files, files of another edition.
 * @throws DeskFailure if the catalogue fails
 */
export async function rebuildCatalogue(context: HistoryContext, options: RebuildOptions): Promise<Rebuilt> {
  const counts = { adopted: 0, swept: 0, ignored: 0 }
  // Without the store, the existing data scopes are unknown.
  if ((await context.store.opened).kind !== 'ready') return counts
  return await new Rebuilding(context, options, await isOnDisk(context.store)).run(counts)
}

class Rebuilding {
  readonly #context: HistoryContext
  readonly #options: RebuildOptions
  readonly #maySweep: boolean

  constructor(context: HistoryContext, options: RebuildOptions, maySweep: boolean) {
    this.#context = context
    this.#options = options
    this.#maySweep = maySweep
  }

  async run(counts: Record<keyof Rebuilt, number>): Promise<Rebuilt> {
    const { historyFolder, store } = this.#context
    const known: ReadonlySet<string> = new Set(await store.run('tables/files', undefined))
    const inPart: ReadonlySet<string> = new Set(await store.run('tables/in-part', undefined))
    for await (const path of filesIn(historyFolder)) {
      if (this.#options.signal.aborted) break
      if (path === null) counts.ignored += 1
      else if (!known.has(path)) counts[await this.#decide(path)] += 1
      else if (inPart.has(path) && isHistoryPath(path) && (await this.#complete(path))) counts.adopted += 1
    }
    return counts
  }

  async #decide(path: string): Promise<keyof Rebuilt> {
    if (!isHistoryPath(path)) return await this.#sweep(path)
    const inspected = await this.#context.engine.call('inspect', path)
    if (inspected.kind === 'unknown') return 'ignored'
    if (inspected.kind === 'damaged') return await this.#sweep(path)
    const { file, entries } = inspected
    if (!entries.every((entry) => this.#isOurs(path, entry))) return 'ignored'
    const places = await this.#placesOf(entries)
    const missing = places.filter(({ kind }) => kind === 'free')
    if (missing.length > 0) return (await this.#adopt(file, missing)) ? 'adopted' : 'ignored'
    return places.every(({ kind }) => kind === 'taken') ? await this.#sweep(path) : 'ignored'
  }

  /** Adds tables that the catalogue lacks of a file it knows. @returns whether there were any */
  async #complete(path: HistoryPath): Promise<boolean> {
    const engine = this.#context.engine
    const said = await engine.call('entries', path)
    // Reading the whole file is only worthwhile if tables are missing. In most of these files days were replaced.
    if (!(await this.#placesOf(said ?? [])).some(({ kind }) => kind === 'free')) return false
    const inspected = await engine.call('inspect', path)
    if (inspected.kind !== 'whole' || !inspected.entries.every((entry) => this.#isOurs(path, entry)))
      return false
    const places = await this.#placesOf(inspected.entries)
    return await this.#adopt(
      inspected.file,
      places.filter(({ kind }) => kind === 'free'),
    )
  }

  /** @returns whether the catalogue names the file afterwards */
  async #adopt(file: HistoryFile, places: readonly EntryPlace[]): Promise<boolean> {
    const { store } = this.#context
    const { note, now } = this.#options
    for (const { entry } of places) await note({ ...entry, file, bytes: file.size })
    const gone = places.flatMap(({ fallen }) =>
      fallen.map((table) => ({ id: table.id, path: table.file.path })),
    )
    if (gone.length > 0) await store.run('tables/forget', gone)
    const { unused } = await store.run('tables/keep', {
      file,
      tables: places.map(({ entry }) => entry),
      isFound: true,
    })
    if (this.#maySweep)
      for (const historyPath of unused)
        if (historyPath !== file.path) await sweepOld(this.#context.historyFolder, historyPath, now())
    return !unused.includes(file.path)
  }

  #isOurs(path: HistoryPath, entry: TableEntry): boolean {
    return this.#options.isDataScope(entry.dataScope) && liesWhereItBelongs(path, entry)
  }

  async #sweep(path: string): Promise<keyof Rebuilt> {
    return this.#maySweep && (await sweepOld(this.#context.historyFolder, path, this.#options.now()))
      ? 'swept'
      : 'ignored'
  }

  #placesOf(entries: readonly TableEntry[]): Promise<readonly EntryPlace[]> {
    return Promise.all(entries.map((entry) => this.#placeOf(entry)))
  }

  /** Whether a table can be added, given the stored tables of its days. */
  async #placeOf(entry: TableEntry): Promise<EntryPlace> {
    const [store, engine] = [this.#context.store, this.#context.engine]
    const stored = await store.run('tables/of-days', entry)
    const before = stored.filter((table) => standsFor(table, entry, this.#options.now()))
    const states = await engine.call(
      'look',
      before.map(({ file }) => file),
    )
    if (states.some(({ kind }) => kind === 'sound')) return { kind: 'taken', entry, fallen: [] }
    // The folder is readable, since this file was found in it. So a missing file was deleted.
    const hasFallen = states.every((state) => state.kind === 'differs' || isGone(state))
    return hasFallen ? { kind: 'free', entry, fallen: before } : { kind: 'unclear', entry, fallen: [] }
  }
}

/** `taken`: a newer table of the same days is sound. `fallen`: newer tables whose files are damaged or missing. */
type EntryPlace = {
  readonly kind: 'free' | 'taken' | 'unclear'
  readonly entry: TableEntry
  readonly fallen: readonly StoredTable[]
}

const isGone = (state: FileState): boolean => state.kind === 'unreadable' && state.code === 'ENOENT'

const liesWhereItBelongs = (path: HistoryPath, entry: TableEntry): boolean => {
  const stem = historyStemOf(entry, entry.id)
  return path.startsWith(stem.slice(0, -entry.id.length))
}

/** Whether a stored table supersedes another one of the same days. A table from the future supersedes nothing. */
function standsFor(table: StoredTable, entry: TableEntry, now: number): boolean {
  const { range, whole, fetchedAt } = table
  if (range.start !== entry.range.start || range.end !== entry.range.end) return false
  if (entry.whole && !whole) return false
  return entry.fetchedAt > now || (fetchedAt >= entry.fetchedAt && fetchedAt <= now)
}

/** Deletes a file of sufficient age. Returns whether it was deleted. */
async function sweepOld(folder: string, path: string, now: number): Promise<boolean> {
  try {
    const place = join(folder, path)
    const { mtimeMs } = await lstat(place)
    if (mtimeMs > now - leftOverFor) return false
    await rm(place)
    return true
  } catch {
    return false
  }
}

/** Paths of files and drafts with the app's naming scheme; null for everything else. */
async function* filesIn(folder: string, above = '', depth = 0): AsyncGenerator<string | null> {
  const names = folders[depth]
  if (names === undefined) return yield* newestFirst(folder, above)
  const entries = await opendir(join(folder, above)).catch(() => [])
  for await (const entry of entries) {
    const path = `${above}${entry.name}`
    if (entry.isDirectory() && names.test(entry.name)) yield* filesIn(folder, `${path}/`, depth + 1)
    else yield null
  }
}

/** Newest files first, so that leftover older files are not compared again: their restatements are noted already. */
async function* newestFirst(folder: string, above: string): AsyncGenerator<string | null> {
  const found: { readonly path: string; readonly writtenAt: number }[] = []
  for await (const entry of await opendir(join(folder, above)).catch(() => [])) {
    const path = `${above}${entry.name}`
    if (!entry.isFile() || !(isHistoryPath(path) || isDraft(path))) yield null
    else {
      const stats = await lstat(join(folder, path)).catch(() => null)
      found.push({ path, writtenAt: stats?.mtimeMs ?? 0 })
    }
  }
  for (const { path } of found.sort((one, other) => other.writtenAt - one.writtenAt)) yield path
}

const isDraft = (path: string) => path.endsWith('.part') && isHistoryStem(path.slice(0, -'.part'.length))
