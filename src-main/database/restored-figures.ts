import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { renameSynced, syncFolder } from '#main/lib/sync-folder.ts'
import { historyFolder } from '#main/analytics/history-layout.ts'
import { isAgreedTo } from './state/moving.ts'

/** Folder of a chosen backup's figures, until the user confirms the restore. */
export const chosenFigures = (folder: string): string => join(folder, 'history.chosen')
/** Folder of figures that the next start merges into the history. */
const nextFigures = (folder: string): string => join(folder, 'history.next')

/** Deletes the figures of a chosen backup. @throws errors of the file system */
export const dropFigures = (folder: string): void =>
  rmSync(chosenFigures(folder), { recursive: true, force: true })

/** Marks the chosen figures for the next start. Must precede confirmation of the state; no state may be confirmed yet. */
export function agreeToFigures(folder: string): void {
  rmSync(nextFigures(folder), { recursive: true, force: true })
  if (!existsSync(chosenFigures(folder))) return
  renameSynced(chosenFigures(folder), nextFigures(folder))
}

/** Undoes `agreeToFigures` after the state could not be confirmed, so that the user can retry. */
export function takeBackFigures(folder: string): void {
  if (existsSync(nextFigures(folder))) renameSync(nextFigures(folder), chosenFigures(folder))
}

/**
 * Merges the figures of a restored backup into the history. Existing files remain: equal names mean equal content, because
 * names contain the checksum. An interrupted merge continues at the next start.
 * @throws errors of the file system
 */
export function placeFigures(folder: string): void {
  const next = nextFigures(folder)
  if (!existsSync(next)) return
  mkdirSync(historyFolder(folder), { recursive: true, mode: 0o700 })
  merge(next, historyFolder(folder))
  rmSync(next, { recursive: true, force: true })
}

/** Removes the leftovers of a restore that was not confirmed. */
export function sweepFigures(folder: string): void {
  try {
    if (!isAgreedTo(folder)) rmSync(nextFigures(folder), { recursive: true, force: true })
  } catch {
    // The disk failed; the next start retries.
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
