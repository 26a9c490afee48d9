import { rmSync } from 'node:fs'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import { causeOfEngine, openEngine } from '../../figures/engine/database.ts'
import type { EngineDatabase, EngineFolders, EngineLimits } from '../../figures/engine/database.ts'
import { KeptFiles } from '../../figures/engine/files.ts'
import type { FileState } from '../../figures/engine/files.ts'
import { BrokenArchive, HostileArchive } from '../../raw/downloads/archive-trouble.ts'
import { serveRpc } from '../../lib/rpc-server.ts'
import type { ServerPort } from '../../lib/rpc-server.ts'
import { entryKey, readEntry } from '../entry.ts'
import type { RowsEntry } from '../entry.ts'
import { isEntryPath, rowsLayout } from '../layout.ts'
import type { RowsPath } from '../layout.ts'
import { addressMacros } from './addresses.ts'
import { Askings } from './askings.ts'
import { clustersFrom } from './clusters.ts'
import type { Verified, RowsCalls, RowsEvent } from './calls.ts'
import { facetsFrom } from './facets.ts'
import { groupsFrom } from './groups.ts'
import { daysFrom, histogramFrom } from './over-time.ts'
import { pageFrom, Remembered } from './pages.ts'
import type { Reading } from './questions.ts'
import { ReadingIn } from './read-in.ts'
import { searchFrom, unreadableFrom } from './searching.ts'
import { writeRows } from './writing.ts'
import { rowsAreAway } from '../unsound.ts'

/** For answers. Rows stay in the order of their files. */
const toAnswer: EngineLimits = { memory_limit: '192MB', threads: '2', preserve_insertion_order: 'true' }

/** Answers the main process about rows. */
export function serveRows(port: ServerPort & { readonly close: () => void }, folders: EngineFolders): void {
  const files = new KeptFiles(folders.history, rowsLayout)
  const placeOf = (file: RowsEntry) => files.placeOf(file.rows.path)
  const askings = new Askings()
  const counts = new Remembered<number>()
  const results = new Remembered<readonly string[]>()
  let answering: Promise<EngineDatabase> | undefined
  const readingIn = new ReadingIn(folders, files)
  const database = () => (answering ??= openEngine(folders, toAnswer).then(withMacros))

  const lookAt = ({ rows }: RowsEntry): FileState => files.look(rows)
  /** Whether a file of unreadable lines is there as it was written: its name ends with its checksum. */
  const lookAtEntry = (path: RowsPath): FileState => {
    const found = files.measure(path)
    if (found.kind === 'unreadable') return found
    return { kind: path.endsWith(`-${found.checksum}.parquet`) ? 'sound' : 'differs' }
  }

  /** Answers from files, and looks before and after whether they are what was written. */
  async function looked<A>(
    asked: readonly RowsEntry[],
    key: string | null,
    signal: AbortSignal,
    work: (reading: Reading, database: EngineDatabase) => Promise<A>,
    look: (file: RowsEntry) => readonly FileState[] = (file) => [lookAt(file)],
  ): Promise<Verified<A>> {
    const damaged = () => asked.filter((file) => isDamaged(look(file)))
    const before = damaged()
    if (before.length > 0) return { kind: 'damaged', files: before }
    const opened = await database()
    try {
      const answer = await askings.run(key, opened.until(signal), placeOf, (by) => work(by, opened))
      const after = damaged()
      return after.length > 0 ? { kind: 'damaged', files: after } : { kind: 'answer', answer }
    } catch (error) {
      const after = damaged()
      if (after.length > 0) return { kind: 'damaged', files: after }
      throw error
    }
  }

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
    inspect: async (entryPath) => {
      if (!isEntryPath(entryPath) || isDamaged([lookAtEntry(entryPath)])) return null
      const sql = `SELECT decode(value) FROM parquet_kv_metadata($place) WHERE decode(key) = $key`
      const [[text] = []] = await (
        await database()
      ).columns(sql, { place: files.placeOf(entryPath), key: entryKey })
      const entry = typeof text === 'string' ? readEntry(text) : undefined
      // Another version of the desk may know what it is.
      if (!entry) throw rowsAreAway()
      return isDamaged([lookAt(entry)]) ? null : { entry, entryPath }
    },
    remove: (paths) => {
      for (const path of paths) rmSync(files.placeOf(path), { force: true })
      return null
    },
    page: (asked, signal) => looked(asked.files, asked.key, signal, (by) => pageFrom(asked, by, counts)),
    facets: (asked, signal) => looked(asked.files, asked.key, signal, (by) => facetsFrom(asked, by)),
    histogram: (asked, signal) => looked(asked.files, asked.key, signal, (by) => histogramFrom(asked, by)),
    groups: (asked, signal) => looked(asked.files, asked.key, signal, (by) => groupsFrom(asked, by, results)),
    clusters: (asked, signal) => looked(asked.files, asked.key, signal, (by) => clustersFrom(asked, by)),
    search: (asked, signal) => looked([asked.file], asked.key, signal, (by) => searchFrom(asked, by)),
    days: (asked, signal) => looked(asked.files, asked.key, signal, (by) => daysFrom(asked, by)),
    unreadable: (asked, signal) =>
      looked(
        [asked.file],
        null,
        signal,
        (by) => unreadableFrom(asked, files.placeOf(asked.entryPath), by),
        (file) => [lookAt(file), lookAtEntry(asked.entryPath)],
      ),
    write: (asked, signal) =>
      looked(asked.files, asked.key, signal, (by, { temporary }) => writeRows(asked, temporary, by)).catch(
        (error: unknown) => {
          throw asReadingFailure(error)
        },
      ),
  }
  const end = async () => {
    await answering?.then(
      (opened) => opened.close(),
      () => undefined,
    )
    port.close()
  }
  const notify: (event: RowsEvent) => void = serveRpc<RowsCalls>(port, calls, end, causeOfEngine)
}

/**
 * Whether any of these files is not what was written, or is there no more: then it is read in again.
 * @throws DeskFailure where one of them cannot be read for now, whatever it holds
 */
function isDamaged(states: readonly FileState[]): boolean {
  const [away] = states.flatMap((state) => (state.kind === 'unreadable' ? state.code : []))
  if (away !== undefined && away !== 'ENOENT') throw rowsAreAway()
  return states.some(({ kind }) => kind !== 'sound')
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
