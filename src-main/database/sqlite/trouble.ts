import { DeskFailure } from '#shared/app/desk-failure.ts'

/**
 * What an error of SQLite or of the file system means for us: the file is `damaged`, the `disk` (or the folder)
 * refuses, or a mistake of ours.
 */
export type Trouble = 'damaged' | 'disk' | 'mistake'

const damaged = ['SQLITE_CORRUPT', 'SQLITE_NOTADB']

// There was no room for the file that SQLite shares between its connections.
const full = ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT']
// ENOENT is what Node says of a folder that it may not make.
const forbidden = ['SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_PERM', 'EACCES', 'EPERM', 'EROFS', 'ENOENT']
const broken = [
  'SQLITE_IOERR',
  'SQLITE_BUSY',
  'SQLITE_PROTOCOL',
  'EBUSY',
  'EIO',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'EMFILE',
]

/** An extended code such as SQLITE_IOERR_WRITE belongs to the group of its beginning. */
const within = (group: readonly string[], code: string) =>
  group.some((value) => code === value || code.startsWith(`${value}_`))

/** The code of an error of SQLite or of the file system; empty where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Thrown where a file can be opened but is not what this app wrote. */
export class DamagedFile extends Error {
  readonly code = 'SQLITE_CORRUPT'
}

export function troubleOf(error: unknown): Trouble {
  const code = codeOf(error)
  if (within(damaged, code)) return 'damaged'
  return within([...full, ...forbidden, ...broken], code) ? 'disk' : 'mistake'
}

/** The failure that a person reads, for any error of the store's files. */
export function storeFailure(error: unknown): DeskFailure {
  if (error instanceof DeskFailure) return error
  const code = codeOf(error)
  const message = wordsFor(code)
  return message === undefined
    ? new DeskFailure(
        { kind: 'internal', message: 'The saved data could not be read or written.' },
        { cause: error },
      )
    : new DeskFailure({ kind: 'disk', message }, { cause: error })
}

function wordsFor(code: string): string | undefined {
  if (within(full, code))
    return 'The disk is full, so nothing new can be saved. Free some space and try again.'
  if (within(forbidden, code))
    return 'The profile folder cannot be written to, so nothing new can be saved. Check who may write to it.'
  if (within(broken, code)) return `The disk cannot be written to (${code}), so nothing new can be saved.`
  if (within(damaged, code)) return 'The file of the saved data is damaged.'
  return undefined
}
