import { statfs } from 'node:fs/promises'
import { DeskFailure } from '#shared/api/failure.ts'

/** Space reserved for other programs in bytes: at most this, and at most a twentieth of the disk. */
const max = 1_000_000_000
const part = 20

type DiskFacts = { readonly bavail: number; readonly blocks: number; readonly bsize: number }

type DiskRoom = {
  /** Bytes that may still be written; negative if other programs use part of the reserve. */
  readonly room: number
  /** Free bytes on the disk, and how many of them are reserved for other programs. */
  readonly free: number
  readonly reserve: number
}

/**
 * Returns the free space on a folder's disk, less a reserve: a completely full disk makes the computer unusable.
 * @param look reads the file system's figures; a dedicated thread can pass a synchronous call and spare Node's thread
 * pool
 * @throws the system error if the folder does not exist
 */
export async function diskRoom(
  folder: string,
  look: (folder: string) => DiskFacts | Promise<DiskFacts> = statfs,
): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await look(folder)
  const free = bavail * bsize
  const reserve = Math.min(max, Math.floor((blocks * bsize) / part))
  return { room: free - reserve, free, reserve }
}

/** Bytes for the directory entry and the file system's own overhead. */
const SPARE = 64 * 1024

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Formats a size as file managers do. */
function sizeInWords(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.ceil(value) : value.toFixed(1)} ${units[power]}`
}

/** Insufficient space. Has the system's error code, so that callers wait for space. */
export class NoSpace extends DeskFailure {
  readonly code = 'ENOSPC'
}

/**
 * Checks that a folder's disk has room for the given bytes beside the reserve.
 * @param bytes 0 if the size is unknown
 * @throws DeskFailure `disk` with the code ENOSPC if not; the system error if the folder does not exist
 */
export async function checkSpace(
  folder: string,
  bytes: number,
  look?: Parameters<typeof diskRoom>[1],
): Promise<void> {
  const { room, free, reserve } = await diskRoom(folder, look)
  if (room >= bytes + SPARE) return
  const needed = bytes > 0 ? `${sizeInWords(bytes)} needed, ` : ''
  throw new NoSpace({
    kind: 'disk',
    message: `Not enough space on the disk: ${needed}${sizeInWords(free)} are free, and ${sizeInWords(reserve)} stay free for other programs.`,
  })
}
