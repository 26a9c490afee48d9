import { finished } from 'node:stream/promises'
import type { Writable } from 'node:stream'
import { DeskFailure, deskFailure } from '#shared/api/failure.ts'
import { codeOf } from '#main/lib/error-code.ts'

/** Codes of Node.js and SQLite by reason. A code also covers its extended codes, such as SQLITE_IOERR_WRITE. */
const codes = {
  // SHMSIZE: no space for SQLite's shared-memory file.
  full: ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'],
  refused: ['EACCES', 'EPERM', 'SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_PERM'],
  readOnly: ['EROFS'],
  missing: ['ENOENT'],
  noFolder: ['ENOTDIR'],
  taken: ['EEXIST', 'EISDIR'],
  busy: ['EBUSY', 'SQLITE_BUSY'],
  link: ['ELOOP'],
  broken: ['EIO', 'SQLITE_IOERR', 'SQLITE_PROTOCOL'],
  tooLarge: ['EFBIG'],
  tooLong: ['ENAMETOOLONG'],
  tooMany: ['EMFILE'],
  unreachable: [
    ...['ENODEV', 'ENXIO', 'ESTALE', 'ENOTCONN', 'ETIMEDOUT', 'EHOSTDOWN', 'EHOSTUNREACH'],
    ...['ENETDOWN', 'ENETUNREACH', 'ECONNRESET', 'ECONNREFUSED'],
  ],
} as const

/** Why a disk refuses. `other`: a code that is not listed. */
export type DiskReason = keyof typeof codes | 'other'

/** Words for one place. A reason without words is not a failure of that place's disk, but a bug. */
type DiskWords = Readonly<Partial<Record<DiskReason, string>>>

const noPermission = 'No permission to write to this folder. Choose another.'

/** A folder that the user chose for files. Network codes have no words, because downloads report them too. */
const folder: DiskWords = {
  full: 'The disk is full. Free some space, or choose another folder.',
  ...{ refused: noPermission, readOnly: noPermission },
  missing: 'The folder is missing. Choose another.',
  noFolder: 'This is not a folder. Choose another.',
  link: 'A link stands where a file should be written. Choose another folder.',
  broken: 'The disk reports an error. Choose another folder.',
  tooLarge: 'The file is too large for the disk. Choose another folder.',
}

const cannotWrite = "Can't write to the folder. Check its permissions, or choose another."
const vanished = 'The folder is missing. If it is on a share, connect it. Publishing tries again later.'

/** The folder that an account is published to. */
const share: DiskWords = {
  full: "The folder's disk is full. Published files stay readable. The rest follows when there is space.",
  ...{ refused: cannotWrite, readOnly: cannotWrite },
  ...{ missing: vanished, noFolder: vanished, unreachable: vanished },
  busy: 'A file in the folder is open elsewhere. Publishing tries again later.',
  link: 'A link stands where a published file should be. Remove it, or choose another folder.',
  broken: "The folder's disk reports an error. Publishing tries again later.",
  tooLarge: "A file is too large for the folder's disk. Choose another folder.",
  tooLong: 'The file names are too long for the folder. Choose another.',
  other: "Can't use the folder. Publishing tries again later.",
}

const noProfile = "Can't write to the profile folder, so nothing new is saved. Check its permissions."
const brokenProfile = 'The disk cannot be written to (%s), so nothing new can be saved.'

/** The databases in the profile folder; `%s` is the code. */
const profile: DiskWords = {
  full: 'The disk is full, so nothing new can be saved. Free some space and try again.',
  // Node.js reports a folder that it may not create as missing.
  ...{ refused: noProfile, readOnly: noProfile, missing: noProfile },
  ...{ broken: brokenProfile, busy: brokenProfile, noFolder: brokenProfile },
  ...{ taken: brokenProfile, tooMany: brokenProfile },
}

const otherFolder = 'Give yourself permission, or choose another folder with --user-data-dir.'
const nameTaken = `A file has this folder's name: %s. ${otherFolder}`

/** The profile folder when the app starts; `%s` is its path. */
const start: DiskWords = {
  full: 'The disk of this folder is full: %s. Free some space on that disk.',
  readOnly: `The disk of this folder is read-only: %s. ${otherFolder}`,
  ...{ noFolder: nameTaken, taken: nameTaken },
  other: `You don't have permission to write to this folder: %s. ${otherFolder}`,
}

const noHistory = "Can't write to the history folder, so no more days are saved. Check its permissions."

const figures: DiskWords = {
  full: 'The disk is full, so no more days can be saved. Free some space and try again.',
  ...{ refused: noHistory, missing: noHistory },
}

/** Archives that become rows. */
const rows: DiskWords = {
  full: 'The disk is full. Free some space and try again.',
  missing: 'The file was moved, renamed or deleted.',
  refused: "Can't read the file, or can't write to the profile folder. Check permissions.",
}

const words = { folder, share, profile, start, figures, rows }

/** Where a disk refuses, which decides what the user can do. */
export type DiskPlace = keyof typeof words

/** Returns the reason by an error's code; undefined if the error has none. */
export function diskReasonOf(error: unknown): DiskReason | undefined {
  const code = codeOf(error)
  if (code === undefined) return undefined
  const isOf = (known: string) => code === known || code.startsWith(`${known}_`)
  const reasons = Object.keys(codes) as (keyof typeof codes)[]
  return reasons.find((reason) => codes[reason].some(isOf)) ?? 'other'
}

/**
 * Returns the message for the user; undefined if the reason is not about the place's disk.
 * @param detail code or path that the message contains
 */
export const diskMessage = (place: DiskPlace, reason: DiskReason, detail = ''): string | undefined =>
  (words[place][reason] ?? words[place].other)?.replace('%s', () => detail)

/** Converts a file system error to a DeskFailure with a message for the user. Returns other errors unchanged. */
export function asDiskFailure(
  error: unknown,
  place: DiskPlace = 'folder',
  reason = diskReasonOf(error),
): unknown {
  if (error instanceof DeskFailure || reason === undefined) return error
  const message = diskMessage(place, reason, codeOf(error))
  return message === undefined ? error : deskFailure('disk', message, { cause: error })
}

export const hasCode = (error: unknown, ...known: readonly string[]): boolean => {
  const code = codeOf(error)
  return code !== undefined && known.includes(code)
}

/** Whether the error, or its cause, is a full disk or an exceeded quota. */
export function isDiskFull(error: unknown): boolean {
  return diskReasonOf(error) === 'full' || (error instanceof DeskFailure && isDiskFull(error.cause))
}

/**
 * Destroys a stream and waits until its file is closed. Errors are ignored: the writer has already seen one, or
 * discards the file.
 */
export async function destroyStream(stream: Writable): Promise<void> {
  stream.destroy()
  await finished(stream).catch(() => undefined)
}
