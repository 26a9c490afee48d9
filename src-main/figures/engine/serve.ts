import type { TableQuery } from '../../../src-shared/reports/query.ts'
import type { RateBases } from '../../../src-shared/reports/rates.ts'
import { join } from 'node:path'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import { serveRpc } from '../../lib/rpc-server.ts'
import type { ServerPort } from '../../lib/rpc-server.ts'
import type { HistoryFile, KeptTable } from '../cache/kept-table.ts'
import type { ComparedTables, Computed, EngineCalls, MissingReason, TableParams } from './calls.ts'
import { causeOfEngine, openEngine, toReadLarge, toWrite } from './database.ts'
import type { EngineDatabase, EngineFolders } from './database.ts'
import { differencesBetween } from './differences.ts'
import { historyFiles } from './files.ts'
import { moversFrom } from './movers.ts'
import { narrowedFrom, rowsFor, tableFrom } from './questions.ts'
import type { ComparedSums } from './ranking.ts'
import { snapshotFrom } from './snapshot.ts'
import { isLarge, MissingFilesError, readTables } from './sums.ts'
import type { ReadTable } from './sums.ts'
import { Writing } from './writing.ts'

/** Answers the main process, as soon as the engine stands. */
export function serveEngine(port: ServerPort & { readonly close: () => void }, folders: EngineFolders): void {
  const opening = openEngine(folders)
  // Who calls hears of it.
  opening.catch(() => undefined)
  const files = historyFiles(folders.history)
  let large: Promise<EngineDatabase> | undefined
  /** Large tables have an engine of their own, which begins with the first of them. */
  const reader = (read: readonly ReadTable[]): Promise<EngineDatabase> =>
    isLarge(read)
      ? (large ??= openEngine({ ...folders, temporary: join(folders.temporary, 'large') }, toReadLarge))
      : opening
  let writer: Promise<EngineDatabase> | undefined
  let writing: Promise<Writing> | undefined
  /** Writing has an engine of its own, beside the one that answers: it begins with the first table to be written. */
  const written = (): Promise<Writing> => {
    writer ??= openEngine({ ...folders, temporary: join(folders.temporary, 'writing') }, toWrite)
    return (writing ??= writer.then((database) => Writing.with(database, files)))
  }

  /** Computes from tables, and looks meanwhile whether their files are what was written. */
  async function computed<F>(
    asked: readonly (readonly KeptTable[])[],
    signal: AbortSignal,
    compute: (database: EngineDatabase, read: readonly (readonly ReadTable[])[]) => Promise<F>,
  ): Promise<Computed<F>> {
    const tables = asked.flat()
    // Each file is looked at once, however many tables it holds.
    const named = [...new Map(tables.map(({ file }) => [file.path, file])).values()]
    const refuse = (some: readonly HistoryFile[], why: MissingReason) => {
      const paths = new Set(some.map(({ path }) => path))
      const lacking = tables.filter(({ file }) => paths.has(file.path))
      if (lacking.length > 0)
        throw new MissingFilesError(
          lacking.map(({ id }) => id),
          why,
        )
    }
    const mustBeSound = (some: readonly HistoryFile[]) => {
      const states = some.map((file) => ({ file, state: files.look(file).kind }))
      for (const why of ['differs', 'unreadable'] as const)
        refuse(
          states.filter(({ state }) => state === why).map(({ file }) => file),
          why,
        )
    }
    try {
      const read = asked.map((each) => readTables(each, (path) => files.placeOf(path)))
      const before = new Map(named.map(({ path }) => [path, files.seen(path)]))
      const computing = compute((await reader(read.flat())).until(signal), read)
      computing.catch(() => undefined)
      mustBeSound(named)
      const [done] = await Promise.allSettled([computing])
      // A file can be replaced while it is read, and the right one be back by now: then nobody knows what was computed of.
      const changed = named.filter(({ path }) => {
        const seen = files.seen(path)
        return seen === undefined || seen !== before.get(path)
      })
      mustBeSound(changed)
      refuse(changed, 'unreadable')
      if (done.status === 'rejected') {
        // The engine opens files by itself, and may be refused one that could be looked at.
        const said = messageOf(done.reason)
        refuse(
          named.filter(({ path }) => said.startsWith('IO Error') && said.includes(files.placeOf(path))),
          'unreadable',
        )
        throw done.reason
      }
      return { kind: 'computed', figures: done.value }
    } catch (error) {
      if (error instanceof MissingFilesError) return { kind: 'lacking', tables: error.tables, why: error.why }
      throw error
    }
  }

  /** Computes from tables and those that their rows are compared with. */
  const ranked = <F>(
    { tables, query, bases = null, compared = null }: TableParams,
    signal: AbortSignal,
    compute: (
      database: EngineDatabase,
      read: readonly ReadTable[],
      query: TableQuery,
      bases: RateBases | null,
      compared: ComparedSums | null,
    ) => Promise<F>,
  ): Promise<Computed<F>> =>
    computed(
      [tables, ...(compared ? [compared.before, ...(compared.now ? [compared.now] : [])] : [])],
      signal,
      (database, [read = [], before = [], now = null]) =>
        compute(database, read, query, bases, compared && { before, now, lengths: compared.lengths }),
    )

  const calls: EngineCalls = {
    table: (asked, signal) => ranked(asked, signal, tableFrom),
    narrowed: (asked, signal) => ranked(asked, signal, narrowedFrom),
    rowsOf: ({ tables, query, labels, bases = null }, signal) =>
      computed([tables], signal, (database, [read = []]) =>
        rowsFor(database, read, { query, labels, bases }),
      ),
    snapshot: (asked, signal) => {
      const { tables, compared = null, beside } = asked
      const listsOf = (side: ComparedTables | null) =>
        side ? [side.before, ...(side.now ? [side.now] : [])] : []
      const lists = [listsOf(compared), listsOf(beside)] as const
      return computed([tables, ...lists.flat()], signal, (database, [read = [], ...others]) => {
        const sumsOf = (side: ComparedTables | null, from: number): ComparedSums | null =>
          side && { ...side, before: others[from] ?? [], now: side.now && (others[from + 1] ?? []) }
        const sides = { ranked: sumsOf(compared, 0), beside: sumsOf(beside, lists[0].length) }
        return snapshotFrom(database, read, asked, sides)
      })
    },
    movers: ({ tables, before, ...about }, signal) =>
      computed([tables, before], signal, (database, [now = [], then = []]) =>
        moversFrom(database, now, then, about),
      ),
    differences: ({ before, after, max }, signal) =>
      computed([[before], [after]], signal, (database, read) => {
        const [then, now] = read.flat()
        return differencesBetween(database, then, now, max)
      }),
    stage: async (page) => onDisk((await written()).stage(page)),
    write: async (table) => onDisk((await written()).write(table)),
    discard: async (staging) => (await written()).discard(staging),
    join: async (asked) => onDisk((await written()).join(asked)),
    inspect: async (path) => (await written()).inspect(path),
    entries: async (path) => (await written()).entries(path).catch(() => null),
    look: (some) => some.map((file) => files.look(file)),
  }
  const end = async () => {
    for (const each of [opening, large, writer])
      await each?.then(
        (database) => database.close(),
        () => undefined,
      )
    port.close()
  }
  serveRpc<EngineCalls>(port, calls, end, causeOfEngine)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')

const full = /No space left|ENOSPC|disk quota|EDQUOT/i
const refused = /Permission denied|Read-only|EACCES|EROFS|EPERM|ENOTDIR|No such file|ENOENT/i

/** Says in words what the disk refuses. */
async function onDisk<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing
  } catch (error) {
    const said = messageOf(error)
    const message = full.test(said)
      ? 'The disk is full, so no more days can be saved. Free some space and try again.'
      : refused.test(said)
        ? 'The history folder cannot be written to, so no more days can be saved. Check who may write to it.'
        : undefined
    if (message === undefined) throw error
    throw new DeskFailure({ kind: 'disk', message }, { cause: error })
  }
}
