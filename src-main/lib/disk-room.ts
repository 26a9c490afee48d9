import { statfs } from 'node:fs/promises'

/** What stays free for other programs: this much, or a twentieth of a small disk. In bytes. */
const max = 1_000_000_000
const part = 20

type DiskFacts = { readonly bavail: number; readonly blocks: number; readonly bsize: number }

export type DiskRoom = {
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
