import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { App } from 'electron'

/** Why a folder cannot be used, in words for a person. */
export type FolderTrouble = { readonly title: string; readonly text: string }

/**
 * The folder in which everything of this person's is kept: the one given by `--user-data-dir`, or the platform's own.
 * The switch is read here, because not every way of starting Electron applies it.
 */
export function settleProfileFolder(app: Pick<App, 'commandLine' | 'getPath' | 'setPath'>): string {
  const given = app.commandLine.getSwitchValue('user-data-dir')
  if (given !== '') app.setPath('userData', resolve(given))
  return app.getPath('userData')
}

/**
 * Tries to make and to write to the folder; this has to come before anything else opens a file there.
 *
 * @returns undefined where all is well
 */
export function profileFolderTrouble(folder: string): FolderTrouble | undefined {
  const trial = join(folder, `.writable-${process.pid}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(trial, 'x')
    rmSync(trial)
    return undefined
  } catch (error) {
    return {
      title: 'Traffic Desk cannot write to its folder',
      text: `${wordsFor(codeOf(error))}: ${folder}. ${remedyFor(codeOf(error))} Then start Traffic Desk again. Nothing was changed.`,
    }
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

function wordsFor(code: unknown): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'The disk is full on which this folder lies'
  if (code === 'EROFS') return 'The disk is read-only on which this folder lies'
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'There is a file in the place of this folder'
  return 'Traffic Desk may not write to this folder'
}

function remedyFor(code: unknown): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'Make room on that disk.'
  return 'Give yourself the right to write there, or name another folder with --user-data-dir.'
}
