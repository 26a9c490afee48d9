import { finished } from 'node:stream/promises'
import type { Writable } from 'node:stream'
import { DeskFailure, deskFailure } from '#shared/api/failure.ts'

const words: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full. Free some space, or choose another folder.',
  EDQUOT: 'Your share of the disk is full. Free some space, or choose another folder.',
  EACCES: refusedWords(),
  EPERM: refusedWords(),
  EROFS: refusedWords(),
  ENOENT: 'The folder is missing. Choose another.',
  ENOTDIR: 'This is not a folder. Choose another.',
  ELOOP: 'A link stands where a file should be written. Choose another folder.',
  EIO: 'The disk reports an error. Choose another folder.',
  EFBIG: 'The file is too large for the disk. Choose another folder.',
}

function refusedWords(): string {
  return 'No permission to write to this folder. Choose another.'
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean => {
  const code = codeOf(error)
  return code !== undefined && codes.includes(code)
}

/** Converts a file system error to a DeskFailure with a message for the user. Returns other errors unchanged. */
export function asDiskFailure(error: unknown): unknown {
  if (error instanceof DeskFailure) return error
  const code = codeOf(error)
  const message = code === undefined ? undefined : words[code]
  return message === undefined ? error : deskFailure('disk', message, { cause: error })
}

/** Whether the error, or its cause, is a full disk or an exceeded quota. */
export function isDiskFull(error: unknown): boolean {
  return hasCode(error, 'ENOSPC', 'EDQUOT') || (error instanceof DeskFailure && isDiskFull(error.cause))
}

/**
 * Destroys a stream and waits until its file is closed. Errors are ignored: the writer has already seen one, or
 * discards the file.
 */
export async function destroyStream(stream: Writable): Promise<void> {
  stream.destroy()
  await finished(stream).catch(() => undefined)
}
