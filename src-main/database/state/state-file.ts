import { join, basename } from 'node:path'
import { writerOver, storeFailure, troubleOf } from '../sqlite/database.ts'
import type { Handle, Writer } from '../sqlite/database.ts'
import { MigrationMistake } from '../sqlite/migrate.ts'
import {
  removeFile,
  placeFile,
  lookAt,
  opened,
  openFile,
  openOnDisk,
  openUnstored,
  runOrReplace,
  moveAway,
  openCopyInMemory,
  openEmptyInMemory,
} from '../sqlite/open-file.ts'
import type { OpenFile, FileOpening } from '../sqlite/open-file.ts'
import { backupsIn, copyBackup, makeBackup, newestSound } from './copies.ts'
import type { Backup } from './copies.ts'
import { afterRestore, carryOver, disagree, isAgreedTo, placeBackup, takeBack } from './moving.ts'
import { stateFile, stateSchema } from './schema.ts'

/**
 * Makes a state under a temporary name, which gets its own once it is whole.
 * @param make writes and closes it; where it throws, nothing is left
 */
function makeState(folder: string, make: (draft: string) => void): void {
  const draft = join(folder, 'state.being-made.sqlite')
  removeFile(draft)
  try {
    make(draft)
    placeFile(draft, stateFile(folder))
  } finally {
    removeFile(draft)
  }
}

type OpenState = OpenFile<StateOpening>

/** The state of a profile: opened whatever lies there, and brought back from a backup where it is damaged. */
export class StateFile {
  readonly #folder: string
  readonly #now: () => number
  readonly #emit: (news: StateNews) => void
  readonly #placing: () => void
  #open: OpenState

  /**
   * @param folder the profile folder
   * @param now milliseconds since 1970
   * @param emit tells of a damaged file that was replaced after the opening
   * @param placing puts in its place what comes with a backup that was agreed to, just before its state; where that throws,
   * nothing is restored
   */
  constructor(
    folder: string,
    now: () => number,
    emit: (news: StateNews) => void,
    placing: () => void = () => undefined,
  ) {
    this.#folder = folder
    this.#now = now
    this.#emit = emit
    this.#placing = placing
    this.#open = this.#begin()
  }

  get opening(): StateOpening {
    return this.#open.opening
  }

  /** What is open at this moment. */
  get open(): Pick<OpenState, 'handle' | 'database'> {
    return this.#open
  }

  /** @throws DeskFailure */
  run<T>(work: (database: Writer) => T): T {
    return runOrReplace(
      () => work(this.#open.database),
      () => this.rescue(),
    )
  }

  /** Puts a file aside that was found damaged, and goes on with its newest backup. False where nothing lies on the disk. */
  rescue(): boolean {
    if (this.opening.kind !== 'ready') return false
    this.#open.close()
    this.#open = this.#bringBack()
    if (this.#open.opening.kind === 'ready' && this.#open.opening.news) this.#emit(this.#open.opening.news)
    return true
  }

  /** Makes the day's backup where that is due and something changed. */
  maintain(): void {
    if (this.opening.kind !== 'ready') return
    // An empty backup would be the newest for a whole day.
    if (!this.run((database) => database.row('SELECT 1 FROM accounts LIMIT 1'))) return
    const [newest] = backupsIn(this.#folder)
    // Where the clock was set back, the newest seems to come from later.
    if (newest && Math.abs(this.#now() - newest.madeAt) < aDay) return
    makeBackup(this.#open.handle, this.#folder, this.#now(), true)
  }

  close(): void {
    this.#open.close()
  }

  #begin(): OpenState {
    const [folder, now] = [this.#folder, this.#now]
    const file = stateFile(folder)
    try {
      if (!this.#placeWithIt()) return withNews(this.#begin(), { kind: 'not-moved' })
      const placed = placeBackup(folder, now())
      if (placed) return this.#openPlaced(placed.movedTo)
      const isThere = lookAt(file).kind !== 'nothing'
      if (!isThere && newestSound(folder) !== null) return this.#bringBack()
      return withNews(openFile(this.#file()), null)
    } catch (error) {
      if (troubleOf(error) === 'damaged') return this.#bringBack()
      if (error instanceof MigrationMistake)
        return opened(openEmptyInMemory(stateSchema), { kind: 'unsuited' })
      if (troubleOf(error) !== 'disk') throw error
      return withNews(openUnstored(this.#file(), error), null)
    }
  }

  /** @returns false where it could not be done, and the backup was given up */
  #placeWithIt(): boolean {
    if (!isAgreedTo(this.#folder)) return true
    try {
      carryOver(this.#folder)
      this.#placing()
      return true
    } catch {
      // Where not even that can be done, nothing was placed, and the next start tries it again.
      disagree(this.#folder)
      return false
    }
  }

  /** Opens a backup that was put in place; where it does not open, what was there before is opened again. */
  #openPlaced(movedTo: string | null): OpenState {
    try {
      const open = openFile(this.#file())
      if (open.opening.kind === 'ready') {
        this.#backUpPlaced(open)
        return withNews(open, { kind: 'moved', movedTo: nameOf(movedTo) })
      }
      open.close()
    } catch {
      // What was there before is worth more than knowing why.
    }
    takeBack(this.#folder, movedTo)
    const before = this.#begin()
    return withNews(
      before,
      before.opening.kind === 'ready' && before.opening.news ? before.opening.news : { kind: 'not-moved' },
    )
  }

  /** Otherwise the newest backup would be of what was there before. */
  #backUpPlaced({ handle }: OpenFile): void {
    try {
      makeBackup(handle, this.#folder, this.#now())
    } catch {
      // A disk that refuses says so with the next thing that is written.
    }
  }

  /** Sets the file aside where there is one, and puts the newest sound backup in its place. The file must not be open. */
  #bringBack(): OpenState {
    const [folder, now] = [this.#folder, this.#now]
    const backup = newestSound(folder)
    try {
      const movedTo = moveAway(stateFile(folder), now())
      if (backup) makeState(folder, (draft) => restoreInto(draft, backup, now()))
      const news: StateNews = { kind: 'restored', movedTo: nameOf(movedTo), backup: backup?.madeAt ?? null }
      return withNews(openFile(this.#file()), news)
    } catch (error) {
      if (troubleOf(error) !== 'disk') throw error
      if (!backup) return withNews(openUnstored(this.#file(), error), null)
      const copy = openCopyInMemory(backup.path, stateSchema)
      afterRestore(writerOver(copy), now())
      return opened(copy, { kind: 'unkept', failure: storeFailure(error).failure })
    }
  }

  #file() {
    const beforeMigrating = (handle: Handle) => makeBackup(handle, this.#folder, this.#now())
    return { file: stateFile(this.#folder), schema: stateSchema, beforeMigrating }
  }
}

const aDay = 86_400_000

function restoreInto(draft: string, backup: Backup, now: number): void {
  copyBackup(backup, draft)
  const handle = openOnDisk({ file: draft, schema: stateSchema })
  try {
    afterRestore(writerOver(handle), now)
  } finally {
    handle.close()
  }
}

const withNews = (open: OpenFile, news: StateNews | null): OpenState => ({
  ...open,
  opening: open.opening.kind === 'ready' ? { kind: 'ready', news } : open.opening,
})

const nameOf = (path: string | null): string | null => (path === null ? null : basename(path))

/** What happened to the saved data that the person should know of. */
export type StateNews =
  /** What was there was damaged or missing. The newest sound backup took its place, or nothing where there was none. */
  | {
      readonly kind: 'restored'
      /** The name that the damaged file has now, in the profile folder. */
      readonly movedTo: string | null
      /** When the backup was made, in milliseconds since 1970. */
      readonly backup: number | null
    }
  /** A backup that the person chose took the place of what was there. */
  | { readonly kind: 'moved'; readonly movedTo: string | null }
  /** It could not be opened after all: what was there before is there again. */
  | { readonly kind: 'not-moved' }

/** How the opening of state.sqlite went. In all cases operations work; only after `ready` they last. */
export type StateOpening =
  | { readonly kind: 'ready'; readonly news: StateNews | null }
  | Exclude<FileOpening, { readonly kind: 'ready' }>
