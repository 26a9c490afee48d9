import { closeSync, copyFileSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import type { FiguresInBackup } from '#shared/app/backup.ts'
import { isHistoryPath } from './cache/stored-table.ts'
import type { HistoryPath } from './cache/stored-table.ts'
import { historyFolder } from '#main/reports/history/layout.ts'
import { asDiskFailure, hasCode } from '#main/files/disk-failure.ts'
import { diskRoom } from '#main/lib/disk-room.ts'
import { syncFile } from './sqlite/place-file.ts'
import { storeFailure } from './sqlite/trouble.ts'
import { chosenFile, leavingFile, ownersIn } from './state/moving.ts'
import { FiguresWriter } from './backup-figures.ts'
import type { Added } from './backup-figures.ts'
import { copyState, hasFigures, takeOutFigures } from './chosen-backup.ts'
import type { BackupTail } from './chosen-backup.ts'
import { chosenFigures } from './restored-figures.ts'

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
