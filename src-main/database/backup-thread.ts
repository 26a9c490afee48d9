import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  closeSync,
  copyFileSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { join, dirname, sep } from 'node:path'
import { asDiskFailure, hasCode } from '#main/files/disk-failure.ts'
import { diskRoom } from '#main/lib/disk-room.ts'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { historyFolder } from '#main/reports/history/layout.ts'
import type { FiguresInBackup } from '#shared/app/backup.ts'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import { FiguresWriter, copyState, hasFigures, takeOutFigures } from './backup-file.ts'
import type { Added, BackupTail } from './backup-file.ts'
import { isHistoryPath } from './cache/catalogue-repository.ts'
import type { HistoryPath } from './cache/catalogue-repository.ts'
import { storeFailure } from './sqlite/database.ts'
import { syncFile } from './sqlite/open-file.ts'
import { isAgreedTo, chosenFile, leavingFile, ownersIn } from './state/moving.ts'

/** The figures of a backup that was chosen, until the person agrees to go on with it. */
export const chosenFigures = (folder: string): string => join(folder, 'history.chosen')
/** Those that the next start puts among the saved ones. */
const nextFigures = (folder: string): string => join(folder, 'history.next')

/** Forgets the figures of a backup that was chosen. @throws as `fs` does */
export const dropFigures = (folder: string): void =>
  rmSync(chosenFigures(folder), { recursive: true, force: true })

/** Has the next start take up what was chosen, where a state is agreed to after this. No other may be at this moment. */
export function agreeToFigures(folder: string): void {
  rmSync(nextFigures(folder), { recursive: true, force: true })
  if (!existsSync(chosenFigures(folder))) return
  renameSync(chosenFigures(folder), nextFigures(folder))
  syncFolder(folder)
}

/** Takes that back, where the state could not be agreed to: the person may try it again. */
export function takeBackFigures(folder: string): void {
  if (existsSync(nextFigures(folder))) renameSync(nextFigures(folder), chosenFigures(folder))
}

/**
 * Puts the figures that come with a backup among the saved ones, whose files stay as they are: one of the same name has the same
 * content, for its checksum is in it. Where this is broken off, the next start goes on with it.
 * @throws errors of the file system
 */
export function placeFigures(folder: string): void {
  const next = nextFigures(folder)
  if (!existsSync(next)) return
  mkdirSync(historyFolder(folder), { recursive: true, mode: 0o700 })
  merge(next, historyFolder(folder))
  rmSync(next, { recursive: true, force: true })
}

/** Removes what a restore has left that came to nothing. */
export function sweepFigures(folder: string): void {
  try {
    if (!isAgreedTo(folder)) rmSync(nextFigures(folder), { recursive: true, force: true })
  } catch {
    // The disk refuses: the next start does it.
  }
}

function merge(from: string, to: string): void {
  let changed = false
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    const there = lstatSync(target, { throwIfNoEntry: false })
    if (there === undefined) {
      renameSync(source, target)
      changed = true
    } else if (!entry.isDirectory()) continue
    else if (there.isDirectory()) merge(source, target)
    else throw new Error('ENOTDIR: something else stands in the place of a folder')
  }
  if (changed) syncFolder(to)
}

/** What takes as long as saved figures are large, and meets disks that do not answer: it is done in a thread of its own. */
export type BackupThreadCalls = {
  /**
   * The files of the history as they lie on the disk: a catalogue that was lost, or is made anew, does not know them all.
   */
  readonly 'figures/list': (argument: undefined) => readonly HistoryPath[]
  /** Copies the state that is to leave the profile folder into a file that is there. */
  readonly 'state/copy': (to: string) => Promise<null>
  /** Begins to write saved figures behind the state in this file. */
  readonly 'figures/begin': (file: string) => null
  readonly 'figures/add': (path: HistoryPath) => Promise<Added>
  readonly 'figures/end': (argument: undefined) => null
  /** Copies the state of a file that was chosen, to be checked by the store. */
  readonly 'chosen/state': (source: string) => null
  /** Takes the figures out of it, once its state is checked; null where there are none. */
  readonly 'chosen/figures': (argument: undefined) => Promise<FiguresInBackup | null>
}

/** @param folder the profile folder */
export function backupThreadCalls(folder: string): BackupThreadCalls {
  let writing: { readonly figures: FiguresWriter; readonly folder: string } | undefined
  let tail: BackupTail | undefined
  return {
    'state/copy': async (to) => {
      try {
        const from = leavingFile(folder)
        await checkRoom(dirname(to), statSync(from).size)
        copyFileSync(from, to)
        syncFile(to)
        return null
      } catch (error) {
        throw asDiskFailure(error)
      }
    },
    'figures/list': () => {
      try {
        const names = readdirSync(historyFolder(folder), { recursive: true, encoding: 'utf8' })
        return names.map((name) => name.replaceAll(sep, '/')).filter(isHistoryPath)
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return []
        throw asDiskFailure(error)
      }
    },
    'figures/begin': (file) => {
      try {
        const figures = new FiguresWriter(file, historyFolder(folder), ownersIn(file))
        writing = { figures, folder: dirname(file) }
        return null
      } catch (error) {
        throw asDiskFailure(error)
      }
    },
    'figures/add': async (path) => {
      if (writing === undefined) throw new RangeError('Not begun')
      try {
        await checkRoom(writing.folder, writing.figures.sizeOf(path))
        return writing.figures.add(path)
      } catch (error) {
        throw asDiskFailure(error)
      }
    },
    'figures/end': () => {
      try {
        writing?.figures.end()
        return null
      } catch (error) {
        throw asDiskFailure(error)
      }
    },
    'chosen/state': (source) => {
      try {
        tail = copyState(source, chosenFile(folder))
        return null
      } catch (error) {
        throw hasCode(error, 'ENOENT', 'EACCES') ? unreadable(error) : storeFailure(error)
      }
    },
    'chosen/figures': async () => {
      if (tail === undefined) throw new RangeError('Nothing is chosen')
      try {
        if (!hasFigures(tail)) return null
        await checkRoom(folder, tail.size - tail.at)
        const found = takeOutFigures(tail, chosenFigures(folder), ownersIn(chosenFile(folder)))
        return found.files === 0 ? null : found
      } catch (error) {
        throw storeFailure(error)
      } finally {
        closeSync(tail.file)
      }
    },
  }
}

/** @throws an error as of a full disk, where what is left to other programs would have to be taken */
async function checkRoom(folder: string, bytes: number): Promise<void> {
  // Where that cannot be told, the writing itself says what the disk refuses.
  const found = await diskRoom(folder, statfsSync).catch(() => null)
  if (found !== null && found.room < bytes) throw Object.assign(new Error('No room'), { code: 'ENOSPC' })
}

const unreadable = (cause: unknown) =>
  new DeskFailure(
    {
      kind: 'invalid',
      message: 'This file cannot be read. Check that it is there and that you may read it.',
    },
    { cause },
  )
