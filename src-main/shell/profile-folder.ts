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

export type ProfileFolder = {
  /** Where everything of this person's is kept. */
  readonly folder: string
  /** Why nothing can be written there; null where all is well. */
  readonly trouble: Notice | null
}

/**
 * Settles the folder before anything opens a file there: the one given by `--user-data-dir`, or the platform's own. The
 * switch is read here, because not every way of starting Electron applies it. Where the folder cannot be written to,
 * the browser works in a folder for this session alone, which ends with the app; what is kept can still be read.
 *
 * @throws where there is no place for that folder either
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

/** The browser may be writing still; what it leaves behind is the system's to clear away. */
function removeLeft(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // It lies in the system's folder for such things.
  }
}

/** What lies in there is for nobody else to read, whatever the modes of its files are. */
const ownerAlone = 0o700

/** A folder of an earlier version, or one that was given, may let others in. Not every disk knows modes. */
function storeForOwner(folder: string): void {
  try {
    chmodSync(folder, ownerAlone)
  } catch {
    // Whether it can be written to is told apart.
  }
}

/** Makes the folder and writes to it, because permissions alone do not tell of a full or read-only disk. */
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
    return noticeFor(folder, error instanceof Error && 'code' in error ? error.code : undefined)
  }
}

function noticeFor(folder: string, code: unknown): Notice {
  return {
    id: 'profile-folder',
    tone: 'trouble',
    title: "Traffic Desk can't write to its folder",
    text: `${causeOf(code)}: ${folder}. ${remedyFor(code)} Then start Traffic Desk again. The saved data was not changed.`,
  }
}

function causeOf(code: unknown): string {
  if (isFull(code)) return 'The disk of this folder is full'
  if (code === 'EROFS') return 'The disk of this folder is read-only'
  if (code === 'ENOTDIR' || code === 'EEXIST') return "A file has this folder's name"
  return "You don't have permission to write to this folder"
}

function remedyFor(code: unknown): string {
  if (isFull(code)) return 'Free some space on that disk.'
  return 'Give yourself permission, or choose another folder with --user-data-dir.'
}

const isFull = (code: unknown) => code === 'ENOSPC' || code === 'EDQUOT'

/**
 * One desk per profile folder: the lock lies in it.
 *
 * @param show brings the window of the desk that runs to the front, when another is started; it hears the other's arguments
 * @returns whether this is the only one; where not, it has to end, and the other one has been told
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
