import { lstat, opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OwnerId } from '../../../src-shared/values/ids.ts'
import type { HistoryPath, KeptTable, TablePlace } from '../cache/kept-table.ts'
import { isHistoryPath } from '../cache/kept-table.ts'
import type { Entry } from './entry.ts'
import type { HistoryParts } from './history.ts'
import { isHistoryStem, stemOf } from './layout.ts'

/** What became of the files that the catalogue did not know of, and of whatever else lies in the history folder. */
export type Rebuilt = {
  /** Files that are in the catalogue now. */
  readonly adopted: number
  /** Files that were deleted. */
  readonly swept: number
  /** Files, links and folders that stay where they are, and are not in the catalogue. */
  readonly ignored: number
}

export type RebuildOptions = {
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether figures are kept under this name: those of an account that has gone are not taken up again. */
  readonly isOwner: (owner: OwnerId) => boolean
  /** Notes what a table restates: the app may have ended before that was done. */
  readonly note: (table: TablePlace & KeptTable) => Promise<void>
}

/** What is left over is deleted when it is a week old: until then it may be somebody's mistake that can be put right. */
const leftOverFor = 7 * 24 * 60 * 60 * 1000

const folders = [/^account=[0-9A-Za-z-]{1,100}$/, /^report=[a-z-]+$/, /^month=\d{4}-\d{2}$/] as const

/**
 * Reads the history folder, and puts into the catalogue what it does not know: each table where nothing newer of its days is
 * there. A file that holds nothing of use, is damaged, or was never finished is deleted once it is a week old. Whatever is
 * not ours stays: links, other names, files that lie where they do not belong, files of another edition.
 * @throws DeskFailure where the catalogue refuses
 */
export async function rebuildCatalogue(parts: HistoryParts, options: RebuildOptions): Promise<Rebuilt> {
  const counts = { adopted: 0, swept: 0, ignored: 0 }
  // What is held in memory alone says nothing about what may be deleted.
  if ((await parts.store.opened).state !== 'ready') return counts
  const known: ReadonlySet<string> = new Set(await parts.store.run('tables/files', undefined))
  for await (const path of filesIn(parts.folder)) {
    if (options.signal.aborted) break
    if (path === null) counts.ignored += 1
    else if (!known.has(path)) counts[await decide(parts, path, options)] += 1
  }
  return counts
}

async function decide(parts: HistoryParts, path: string, options: RebuildOptions): Promise<keyof Rebuilt> {
  const { store, engine, folder } = parts
  const now = options.now()
  const sweep = async () => ((await sweepOld(folder, path, now)) ? 'swept' : 'ignored')
  if (!isHistoryPath(path)) return await sweep()
  const inspected = await engine.call('inspect', path)
  if (inspected.kind === 'unknown') return 'ignored'
  if (inspected.kind === 'damaged') return await sweep()
  const { file, entries } = inspected
  if (!entries.every((entry) => options.isOwner(entry.owner) && liesWhereItBelongs(path, entry)))
    return 'ignored'
  const tables: Entry[] = []
  for (const entry of entries) {
    const kept = await store.run('tables/list', entry)
    if (!kept.some((table) => standsFor(table, entry, now))) tables.push(entry)
  }
  if (tables.length === 0) return await sweep()
  for (const entry of tables) await options.note({ ...entry, file, bytes: file.size })
  const { unused } = await store.run('tables/keep', { file, tables })
  for (const each of unused) if (each !== path) await sweepOld(folder, each, now)
  return unused.includes(path) ? 'ignored' : 'adopted'
}

const liesWhereItBelongs = (path: HistoryPath, entry: Entry): boolean => {
  const stem = stemOf(entry, entry.id)
  return path.startsWith(stem.slice(0, -entry.id.length))
}

/** Whether a kept table makes another one of the same days superfluous. What claims to come from later stands for nothing else. */
function standsFor(table: KeptTable, entry: Entry, now: number): boolean {
  const { range, whole, fetchedAt } = table
  if (range.start !== entry.range.start || range.end !== entry.range.end) return false
  if (entry.whole && !whole) return false
  return entry.fetchedAt > now || (fetchedAt >= entry.fetchedAt && fetchedAt <= now)
}

/** Deletes a file that has lain there for long; whether it did. */
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

/** The paths of files and drafts that are named as ours are; null for whatever else there is. */
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

/** What was left over and replaced later is not taken for the figures before: what that restated is noted already. */
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
