import { join } from 'node:path'
import { DeskFailure } from '#shared/api/failure.ts'
import { serveRpc } from '#main/workers/rpc-server.ts'
import type { ServerPort } from '#main/workers/rpc-server.ts'
import type { EngineCalls } from './calls.ts'
import { causeOfEngine, openEngine, toReadLarge, toWrite } from '../../analytics/database.ts'
import type { EngineDatabase, EngineFolders } from '../../analytics/database.ts'
import { differencesBetween, moversFrom } from './comparisons.ts'
import { historyFiles } from '#main/analytics/history-layout.ts'
import { narrowedFrom, rowsFor, tableFrom } from './questions.ts'
import { isLarge } from './sums.ts'
import type { ReadTable } from './sums.ts'
import { messageOf, VerifiedTables } from './verified-tables.ts'
import { Writing } from './table-writing.ts'

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

  const verified = new VerifiedTables(files, reader)

  const calls: EngineCalls = {
    table: (params, signal) => verified.ranked(params, signal, tableFrom),
    narrowed: (params, signal) => verified.ranked(params, signal, narrowedFrom),
    rowsOf: ({ tables, query, labels, bases = null }, signal) =>
      verified.compute([tables], signal, (database, [read = []]) =>
        rowsFor(database, read, { query, labels, bases }),
      ),
    snapshot: (params, signal) => verified.snapshot(params, signal),
    movers: ({ tables, before, ...about }, signal) =>
      verified.compute([tables, before], signal, (database, [now = [], then = []]) =>
        moversFrom(database, now, then, about),
      ),
    differences: ({ before, after, max }, signal) =>
      verified.compute([[before], [after]], signal, (database, read) => {
        const [then, now] = read.flat()
        return differencesBetween(database, then, now, max)
      }),
    stage: async (page) => onDisk((await written()).stage(page)),
    write: async (table) => onDisk((await written()).write(table)),
    discard: async (staging) => (await written()).discard(staging),
    join: async (request) => onDisk((await written()).join(request)),
    inspect: async (path) => (await written()).inspect(path),
    entries: async (path) => (await written()).entries(path).catch(() => null),
    look: (some) => some.map((file) => files.look(file)),
  }
  const end = async () => {
    for (const item of [opening, large, writer])
      await item?.then(
        (database) => database.close(),
        () => undefined,
      )
    port.close()
  }
  serveRpc<EngineCalls>(port, calls, end, causeOfEngine)
}

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
