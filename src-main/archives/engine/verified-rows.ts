import { DeskFailure } from '#shared/api/failure.ts'
import type { EngineDatabase } from '#main/analytics/database.ts'
import type { FileState, ChecksummedFiles } from '#main/analytics/checksummed-files.ts'
import { entryKey, readEntry, isEntryPath } from '../../analytics/rows-layout.ts'
import type { RowsEntry, RowsPath, RowsStem } from '../../analytics/rows-layout.ts'
import type { Askings, Reading } from './questions.ts'
import type { Verified, RowsCalls } from './calls.ts'

type RowsFiles = Pick<ChecksummedFiles<RowsPath, RowsStem>, 'look' | 'measure' | 'placeOf'>

/** Answers from files of rows, each verified before and after to be what was written. */
export class VerifiedRows {
  readonly #files: RowsFiles
  readonly #askings: Askings
  readonly #open: () => Promise<EngineDatabase>

  constructor(files: RowsFiles, askings: Askings, open: () => Promise<EngineDatabase>) {
    this.#files = files
    this.#askings = askings
    this.#open = open
  }

  /**
   * The entry that a file of it has, with its file, where both are what was written; else null.
   * @throws DeskFailure where it is of another version, or one of them cannot be read for now
   */
  async inspect(entryPath: string): ReturnType<RowsCalls['inspect']> {
    if (!isEntryPath(entryPath) || isDamaged([this.stateOfEntry(entryPath)])) return null
    const sql = `SELECT decode(value) FROM parquet_kv_metadata($place) WHERE decode(key) = $key`
    const opened = await this.#open()
    const [[text] = []] = await opened.columns(sql, { place: this.#files.placeOf(entryPath), key: entryKey })
    const entry = typeof text === 'string' ? readEntry(text) : undefined
    // Another version of the desk may know what it is.
    if (!entry) throw rowsAreAway()
    return isDamaged([this.stateOf(entry)]) ? null : { entry, entryPath }
  }

  stateOf({ rows }: RowsEntry): FileState {
    return this.#files.look(rows)
  }

  /** Whether a file of unreadable lines is there as it was written: its name ends with its checksum. */
  stateOfEntry(path: RowsPath): FileState {
    const found = this.#files.measure(path)
    if (found.kind === 'unreadable') return found
    return { kind: path.endsWith(`-${found.checksum}.parquet`) ? 'sound' : 'differs' }
  }

  /**
   * Answers from files.
   * @param key under which it can be cancelled
   * @param states of what has to be sound of a file; by default its rows
   * @throws DeskFailure where one of them cannot be read for now
   */
  async answer<A>(
    asked: readonly RowsEntry[],
    key: string | null,
    signal: AbortSignal,
    work: (reading: Reading, database: EngineDatabase) => Promise<A>,
    states: (file: RowsEntry) => readonly FileState[] = (file) => [this.stateOf(file)],
  ): Promise<Verified<A>> {
    const damaged = () => asked.filter((file) => isDamaged(states(file)))
    const before = damaged()
    if (before.length > 0) return { kind: 'damaged', files: before }
    const opened = await this.#open()
    const placeOf = (file: RowsEntry) => this.#files.placeOf(file.rows.path)
    try {
      const answer = await this.#askings.run(key, opened.until(signal), placeOf, (by) => work(by, opened))
      const after = damaged()
      return after.length > 0 ? { kind: 'damaged', files: after } : { kind: 'answer', answer }
    } catch (error) {
      const after = damaged()
      if (after.length > 0) return { kind: 'damaged', files: after }
      throw error
    }
  }
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

const rowsAreAway = () =>
  new DeskFailure({
    kind: 'disk',
    message:
      'These rows cannot be read at the moment. They are still in the profile folder: check that its disk is connected and may be read.',
  })
