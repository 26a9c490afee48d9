import { statfs } from 'node:fs/promises'
import { DeskFailure } from '#shared/api/failure.ts'

/** What stays free for other programs: this much, or a twentieth of a small disk. In bytes. */
const max = 1_000_000_000
const part = 20

type DiskFacts = { readonly bavail: number; readonly blocks: number; readonly bsize: number }

type DiskRoom = {
  /** What may be written still, in bytes; below nought where others have taken of the reserve. */
  readonly room: number
  /** What is free, and what of that is left to other programs; in bytes. */
  readonly free: number
  readonly reserve: number
}

/**
 * How much room there is on a folder's disk, without what is left to other programs: a computer whose disk is full to the
 * last byte does nothing any more.
 * @param look how the disk is asked: a thread of its own may wait for it, and takes none of Node's then
 * @throws the system's error where the folder is not there
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

/** Left free beside what a file takes: its entry in the folder, and what the file system keeps for itself. */
const SPARE = 64 * 1024

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** A size in words, as file managers write it. */
function sizeInWords(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.ceil(value) : value.toFixed(1)} ${units[power]}`
}

/** A full disk as the system itself would say it: whoever hears of it waits for room. */
export class NoSpace extends DeskFailure {
  readonly code = 'ENOSPC'
}

/**
 * Checks that a folder's disk has room for so many bytes more, and something for other programs then.
 * @param bytes nought where nobody knows how many
 * @throws DeskFailure `disk` with the code ENOSPC where it has not; the system's error where the folder is not there
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
