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
 * Creates a state under a temporary name and renames it once complete.
 * @param make writes and closes the file; after an error no file remains
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

/** The state of a profile. Restores a backup if the file is damaged, and opens in memory if the folder refuses. */
export class StateFile {
  readonly #folder: string
  readonly #now: () => number
  readonly #emit: (news: StateNews) => void
  readonly #placing: () => void
  #open: OpenState

  /**
   * @param folder the profile folder
   * @param now returns ms since 1970
   * @param emit called when a damaged file was replaced after the opening
   * @param placing places the figures of a confirmed backup, just before its state; an error cancels the restore
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

  /** The currently open database. */
  get open(): Pick<OpenState, 'handle' | 'database'> {
    return this.#open
  }

  /** @throws DeskFailure if the operation fails */
  run<T>(work: (database: Writer) => T): T {
    return runOrReplace(
      () => work(this.#open.database),
      () => this.rescue(),
    )
  }

  /** Sets a damaged file aside and continues with the newest backup. False if the state is in memory. */
  rescue(): boolean {
    if (this.opening.kind !== 'ready') return false
    this.#open.close()
    this.#open = this.#bringBack()
    if (this.#open.opening.kind === 'ready' && this.#open.opening.news) this.#emit(this.#open.opening.news)
    return true
  }

  /** Creates the daily backup if it is due and the state changed. */
  maintain(): void {
    if (this.opening.kind !== 'ready') return
    // An empty backup would remain the newest for a whole day.
    if (!this.run((database) => database.row('SELECT 1 FROM accounts LIMIT 1'))) return
    const [newest] = backupsIn(this.#folder)
    // After the clock was set back, the newest backup seems to be from the future.
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
        return opened(openEmptyInMemory(stateSchema), { kind: 'incompatible' })
      if (troubleOf(error) !== 'disk') throw error
      return withNews(openUnstored(this.#file(), error), null)
    }
  }

  /** Prepares a confirmed restore. @returns false if it failed and was cancelled */
  #placeWithIt(): boolean {
    if (!isAgreedTo(this.#folder)) return true
    try {
      carryOver(this.#folder)
      this.#placing()
      return true
    } catch {
      // If even this fails, nothing was placed, and the next start retries.
      disagree(this.#folder)
      return false
    }
  }

  /** Opens a restored backup. If it does not open, the previous state is opened again. */
  #openPlaced(movedTo: string | null): OpenState {
    try {
      const open = openFile(this.#file())
      if (open.opening.kind === 'ready') {
        this.#backUpPlaced(open)
        return withNews(open, { kind: 'moved', movedTo: nameOf(movedTo) })
      }
      open.close()
    } catch {
      // The cause does not matter; the previous state is opened.
    }
    takeBack(this.#folder, movedTo)
    const before = this.#begin()
    return withNews(
      before,
      before.opening.kind === 'ready' && before.opening.news ? before.opening.news : { kind: 'not-moved' },
    )
  }

  /** Backs up the restored state; otherwise the newest backup would contain the previous one. */
  #backUpPlaced({ handle }: OpenFile): void {
    try {
      makeBackup(handle, this.#folder, this.#now())
    } catch {
      // A disk failure is reported by the next write.
    }
  }

  /** Sets the file aside and restores the newest usable backup. The file must not be open. */
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
      return opened(copy, { kind: 'unwritable', failure: storeFailure(error).failure })
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

/** Events of the state for the user. */
export type StateNews =
  /** The state was damaged or missing. The newest usable backup replaced it, or an empty state without a backup. */
  | {
      readonly kind: 'restored'
      /** New name of the damaged file in the profile folder. */
      readonly movedTo: string | null
      /** Time of the backup, in ms since 1970. */
      readonly backup: number | null
    }
  /** A backup chosen by the user replaced the state. */
  | { readonly kind: 'moved'; readonly movedTo: string | null }
  /** The chosen backup did not open; the previous state remains. */
  | { readonly kind: 'not-moved' }

/** Result of opening state.sqlite. Only `ready` persists writes. */
export type StateOpening =
  | { readonly kind: 'ready'; readonly news: StateNews | null }
  | Exclude<FileOpening, { readonly kind: 'ready' }>
