import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { App } from 'electron'
import type { Notice } from '#shared/app/state.ts'
import { diskMessage, diskReasonOf } from '#main/files/disk-failure.ts'

export type ProfileFolder = {
  /** Folder of all the user's data. */
  readonly folder: string
  /** Notice if the folder is not writable; otherwise null. */
  readonly trouble: Notice | null
}

/**
 * Determines the profile folder: `--user-data-dir` or the platform's default. Must run before any file is opened. The switch is
 * read here, because not every way of starting Electron applies it.
 *
 * If the folder is not writable, the browser uses a temporary folder that is deleted on exit. Stored data remains readable.
 * @throws if the temporary folder cannot be created
 */
export function chooseProfileFolder(
  app: Pick<App, 'commandLine' | 'getPath' | 'setPath' | 'on'>,
): ProfileFolder {
  const given = app.commandLine.getSwitchValue('user-data-dir')
  const folder = given === '' ? app.getPath('userData') : resolve(given)
  const trouble = folderTrouble(folder)
  const browsersFolder = trouble === null ? folder : mkdtempSync(join(tmpdir(), 'traffic-desk-'))
  app.setPath('userData', browsersFolder)
  app.setPath('sessionData', browsersFolder)
  if (trouble !== null) {
    app.on('quit', () => {
      removeLeft(browsersFolder)
    })
  }
  return { folder, trouble }
}

/** The browser may still write files; the system cleans up the rest. */
function removeLeft(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // The folder is in the system's temporary folder.
  }
}

/** Only the owner has access, whatever the modes of the files. */
const ownerAlone = 0o700

/** Restricts an existing folder to its owner. Not every file system supports modes. */
function storeForOwner(folder: string): void {
  try {
    chmodSync(folder, ownerAlone)
  } catch {
    // Write access is checked separately.
  }
}

/** Creates the folder and writes a test file, because permissions do not reveal a full or read-only disk. */
export function folderTrouble(folder: string): Notice | null {
  const trial = join(folder, `.writable-${process.pid}`)
  try {
    mkdirSync(folder, { recursive: true, mode: ownerAlone })
    storeForOwner(folder)
    writeFileSync(trial, 'x')
    unlinkSync(trial)
    accessSync(folder, constants.R_OK | constants.W_OK)
    return null
  } catch (error) {
    return noticeFor(folder, error)
  }
}

function noticeFor(folder: string, error: unknown): Notice {
  const words = diskMessage('start', diskReasonOf(error) ?? 'other', folder)
  return {
    id: 'profile-folder',
    tone: 'trouble',
    title: "Traffic Desk can't write to its folder",
    text: `${words} Then start Traffic Desk again. The saved data was not changed.`,
  }
}

/**
 * Acquires the instance lock of the profile folder.
 * @param show called with the arguments of a second instance; shows the window
 * @returns false if another instance is running; the other instance has been notified
 */
export function holdSingleInstance(
  app: Pick<App, 'requestSingleInstanceLock' | 'on'>,
  show: (args: readonly string[]) => void,
): boolean {
  if (!app.requestSingleInstanceLock()) return false
  app.on('second-instance', (_, args) => {
    show(args)
  })
  return true
}
