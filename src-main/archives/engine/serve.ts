import { rmSync } from 'node:fs'
import { DeskFailure } from '#shared/api/failure.ts'
import { causeOfEngine, openEngine } from '#main/analytics/database.ts'
import type { EngineDatabase, EngineFolders, EngineLimits } from '#main/analytics/database.ts'
import { ChecksummedFiles } from '#main/analytics/checksummed-files.ts'
import { BrokenArchive, HostileArchive } from '#main/raw/downloads/trouble.ts'
import { serveRpc } from '#main/workers/rpc-server.ts'
import type { ServerPort } from '#main/workers/rpc-server.ts'
import { rowsLayout } from '../../analytics/rows-layout.ts'
import { addressMacros } from './relation.ts'
import { Askings } from './questions.ts'
import { clustersFrom } from './clusters.ts'
import type { RowsCalls, RowsEvent } from './calls.ts'
import { facetsFrom, searchFrom, unreadableFrom } from './searching.ts'
import { groupsFrom, daysFrom, histogramFrom } from './groups.ts'
import { pageFrom, Remembered, writeRows } from './pages.ts'
import { ReadingIn } from './read-in.ts'
import { VerifiedRows } from './verified-rows.ts'

/** For answers. Rows stay in the order of their files. */
const toAnswer: EngineLimits = { memory_limit: '192MB', threads: '2', preserve_insertion_order: 'true' }

/** Answers the main process about rows. */
export function serveRows(port: ServerPort & { readonly close: () => void }, folders: EngineFolders): void {
  const files = new ChecksummedFiles(folders.history, rowsLayout)
  const askings = new Askings()
  const counts = new Remembered<number>()
  const results = new Remembered<readonly string[]>()
  let answering: Promise<EngineDatabase> | undefined
  const readingIn = new ReadingIn(folders, files)
  const database = () => (answering ??= openEngine(folders, toAnswer).then(withMacros))

  const verified = new VerifiedRows(files, askings, database)

  const calls: RowsCalls = {
    readIn: async (asked) => {
      let told = 0
      return await readingIn
        .read(asked, (done, of) => {
          const now = Date.now()
          if (now - told < 200 && done > 0) return
          told = now
          notify({ reading: asked.reading, done, of })
        })
        .catch((error: unknown) => {
          throw asReadingFailure(error)
        })
    },
    stop: (name) => {
      readingIn.stop(name)
      return null
    },
    cancel: (key) => {
      askings.cancel(key)
      return null
    },
    inspect: (entryPath) => verified.inspect(entryPath),
    remove: (paths) => {
      for (const path of paths) rmSync(files.placeOf(path), { force: true })
      return null
    },
    page: (asked, signal) =>
      verified.answer(asked.files, asked.key, signal, (by) => pageFrom(asked, by, counts)),
    facets: (asked, signal) => verified.answer(asked.files, asked.key, signal, (by) => facetsFrom(asked, by)),
    histogram: (asked, signal) =>
      verified.answer(asked.files, asked.key, signal, (by) => histogramFrom(asked, by)),
    groups: (asked, signal) =>
      verified.answer(asked.files, asked.key, signal, (by) => groupsFrom(asked, by, results)),
    clusters: (asked, signal) =>
      verified.answer(asked.files, asked.key, signal, (by) => clustersFrom(asked, by)),
    search: (asked, signal) =>
      verified.answer([asked.file], asked.key, signal, (by) => searchFrom(asked, by)),
    days: (asked, signal) => verified.answer(asked.files, asked.key, signal, (by) => daysFrom(asked, by)),
    unreadable: (asked, signal) =>
      verified.answer(
        [asked.file],
        null,
        signal,
        (by) => unreadableFrom(asked, files.placeOf(asked.entryPath), by),
        (file) => [verified.stateOf(file), verified.stateOfEntry(asked.entryPath)],
      ),
    write: (asked, signal) =>
      verified
        .answer(asked.files, asked.key, signal, (by, { temporary }) => writeRows(asked, temporary, by))
        .catch((error: unknown) => {
          throw asReadingFailure(error)
        }),
  }
  const end = async () => {
    await answering?.then(
      (opened) => opened.close(),
      () => undefined,
    )
    port.close()
  }
  const main = serveRpc<RowsCalls>(port, calls, end, causeOfEngine)
  const notify = (event: RowsEvent) => main.notify(event)
}

async function withMacros(database: EngineDatabase): Promise<EngineDatabase> {
  for (const macro of addressMacros) await database.columns(macro)
  return database
}

/** In words, as far as there are some. */
function asReadingFailure(error: unknown): unknown {
  if (error instanceof DeskFailure) return error
  const said = error instanceof Error ? error.message : ''
  if (error instanceof BrokenArchive || error instanceof HostileArchive)
    return new DeskFailure(
      { kind: 'invalid', message: `The archive cannot be read: ${said}.` },
      { cause: error },
    )
  const [, message] = refusals.find(([pattern]) => pattern.test(said)) ?? []
  return message === undefined ? error : new DeskFailure({ kind: 'disk', message }, { cause: error })
}

/** What disks say, and the engine in its own words. */
const refusals: readonly (readonly [RegExp, string])[] = [
  [/No space left|ENOSPC|disk quota|EDQUOT/i, 'The disk is full. Free some space and try again.'],
  [/no such file|ENOENT/i, 'The file is no longer there: it was moved, renamed or removed.'],
  [
    /Permission denied|EACCES|EPERM|EROFS|Read-only/i,
    'The file cannot be read, or the profile folder cannot be written to. Check who may do that.',
  ],
]
