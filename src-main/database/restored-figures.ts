import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { historyFolder } from '#main/analytics/history-layout.ts'
import { isAgreedTo } from './state/moving.ts'

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
