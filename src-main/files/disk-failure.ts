import { DeskFailure } from '#shared/api/failure.ts'

const words: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full. Make room on it, or choose another folder for downloads in Settings.',
  EDQUOT: 'Your share of the disk is full. Make room, or choose another folder for downloads in Settings.',
  EACCES: refusedWords(),
  EPERM: refusedWords(),
  EROFS: refusedWords(),
  ENOENT: 'The folder of downloads is not there. Choose another one in Settings.',
  ENOTDIR: 'The folder of downloads is not a folder. Choose another one in Settings.',
  ELOOP: 'A link stands where a file should be written. Choose another folder for downloads in Settings.',
  EIO: 'The disk reports an error. Choose another folder for downloads in Settings.',
  EFBIG: 'The file would be larger than the disk takes. Choose another folder for downloads in Settings.',
}

function refusedWords(): string {
  return 'Nothing may be written into the folder of downloads. Choose another one in Settings.'
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean => {
  const code = codeOf(error)
  return code !== undefined && codes.includes(code)
}

/** What a file system refused, in words; anything else as it is. */
export function asDiskFailure(error: unknown): unknown {
  if (error instanceof DeskFailure) return error
  const code = codeOf(error)
  const message = code === undefined ? undefined : words[code]
  return message === undefined ? error : new DeskFailure({ kind: 'disk', message }, { cause: error })
}

/** Whether the disk has no room, as the system said it or in our words for it. */
export function isDiskFull(error: unknown): boolean {
  return hasCode(error, 'ENOSPC', 'EDQUOT') || (error instanceof DeskFailure && isDiskFull(error.cause))
}
