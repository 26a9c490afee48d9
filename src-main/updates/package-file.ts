import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, rename, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DeskFailure, deskFailure } from '#shared/api/failure.ts'
import { hasCode, isDiskFull } from '#main/files/disk-failure.ts'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { checkSpace } from '#main/lib/disk-room.ts'
import type { FullOffer } from './feed.ts'
import { fetchInto, LimitedSink } from './fetch.ts'
import type { Fetching } from './fetch.ts'

/** What a package has to be. */
export type Expected = Pick<FullOffer, 'address' | 'size' | 'sha512'>

/** A link in the place of a file is never followed. Not every system knows how to refuse it. */
const NO_LINK = 'O_NOFOLLOW' in constants ? constants.O_NOFOLLOW : 0
/** Read at a time: a mebibyte is hashed in 2 ms. */
const PIECE = 1024 * 1024

const refused = (message: string, cause?: unknown) => deskFailure('malformed', message, { cause })

type Saving = {
  readonly fetching: Fetching
  readonly signal: AbortSignal
  /** Hears how many bytes have come. */
  readonly wrote: (length: number) => void
}

/**
 * Fetches a package into a folder of its own. It has its name only once all of it lies on the disk and is what was announced;
 * otherwise nothing stays behind.
 * @throws DeskFailure in words
 */
export async function savePackage(path: string, expected: Expected, saving: Saving): Promise<void> {
  const { address, size } = expected
  const part = `${path}.part`
  await mkdir(dirname(path), { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw fileFailure(error)
  })
  await putInPlace(path, part, size, async (file) => {
    const { fetching, signal, wrote } = saving
    const sink = new LimitedSink(size, async (piece, offset) => {
      await writeWhole(file, piece, offset)
      wrote(offset + piece.length)
    })
    const came = await fetchInto(address, sink, { fetching, signal })
    if (came !== size) throw refused(`Only ${came} of ${size} bytes arrived. Download it again.`)
    await file.sync()
    await checkFile(part, expected)
  })
}

/**
 * Puts a file in its place, of which there is the old one or the new one at any time, once all of it lies on the disk.
 * @param draft where it is written first, in the same folder; nothing stays there of what fails
 * @throws DeskFailure in words
 */
async function putInPlace(
  target: string,
  draft: string,
  size: number,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  let isBegun = false
  try {
    await removeFile(draft)
    await checkSpace(dirname(target), size)
    const file = await open(draft, 'wx', 0o600)
    isBegun = true
    try {
      await write(file)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, target)
    isBegun = false
    syncFolder(dirname(target))
  } catch (error) {
    if (isBegun) await removeFile(draft).catch(() => undefined)
    throw fileFailure(error)
  }
}

async function writeWhole(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten
}

/**
 * Checks that a file is what was announced, by its bytes as they lie on the disk.
 * @throws DeskFailure `malformed` where it is something else; the system's error where it is not there
 */
export async function checkFile(path: string, expected: Expected): Promise<void> {
  await readChecked(path, expected, () => Promise.resolve())
}

/** Reads a file through, and throws at its end where it was not what was announced: what was made of it must be thrown away then. */
async function readChecked(
  path: string,
  { size, sha512 }: Expected,
  take: (piece: Uint8Array, offset: number) => Promise<void>,
): Promise<void> {
  const file = await open(path, constants.O_RDONLY | NO_LINK)
  try {
    const hash = createHash('sha512')
    const memory = Buffer.allocUnsafe(PIECE)
    let offset = 0
    for (;;) {
      const { bytesRead } = await file.read(memory, 0, PIECE, offset)
      if (bytesRead === 0 || offset > size) break
      const piece = memory.subarray(0, bytesRead)
      hash.update(piece)
      await take(piece, offset)
      offset += bytesRead
    }
    if (offset !== size || hash.digest('hex') !== sha512)
      throw refused("The package's signature is wrong. It was not used and is deleted.")
  } finally {
    await file.close()
  }
}

/** Whether a package lies there already, as it was announced; what is anything else is removed. */
export async function isThere(path: string, expected: Expected): Promise<boolean> {
  try {
    await checkFile(path, expected)
    return true
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) await removeFile(path).catch(() => undefined)
    return false
  }
}

/** Removes everything of a folder of packages but one. Nothing where there is no folder. */
export async function removeOthers(folder: string, name: string | null): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const value of names) if (value !== name) await removeFile(join(folder, value)).catch(() => undefined)
}

/** An AppImage is a program whose eighth byte and the two after it say what it is. */
const isAppImage = (head: Uint8Array) =>
  Buffer.from(head.subarray(0, 4)).toString('latin1') === '\x7fELF' && head[8] === 0x41 && head[9] === 0x49

/**
 * Puts a package in the place of the AppImage that runs, at once and with its mode. What is written is checked while it is
 * copied.
 * @throws DeskFailure in words; the old one stays then, and nothing beside it
 */
export async function replaceAppImage(path: string, expected: Expected, running: string): Promise<void> {
  try {
    const target = await realpath(running)
    const { mode } = await lstat(target)
    if (!isAppImage(await headOf(target))) throw refused('This is not an AppImage. Nothing changed.')
    await putInPlace(target, draftOf(target), expected.size, async (file) => {
      await readChecked(path, expected, (piece, offset) => writeWhole(file, piece, offset))
      await file.chmod(mode & 0o777)
    })
  } catch (error) {
    throw fileFailure(error)
  }
}

/** Removes what was left half-written beside an AppImage by an app that was killed. */
export const removeDraft = async (running: string): Promise<void> =>
  await removeFile(draftOf(await realpath(running)))

const draftOf = (target: string) => join(dirname(target), `.${basename(target)}.update`)

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | NO_LINK)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error
  })
}

/** What disk and folders refuse, in words; anything else as it is. */
export function fileFailure(error: unknown): unknown {
  if (error instanceof DeskFailure) return error
  const disk = (message: string) => deskFailure('disk', message, { cause: error })
  if (isDiskFull(error)) return disk('The disk is full. Free some space, then try again.')
  if (hasCode(error, 'EACCES', 'EPERM', 'EROFS'))
    return disk('No permission to write where the update belongs. Nothing changed.')
  if (hasCode(error, 'ENOENT')) return disk('The package is gone. Download it again.')
  return error
}
