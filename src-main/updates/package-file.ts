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
import { fetchInto } from './fetch.ts'
import type { Fetching } from './fetch.ts'

/** Expected address, size and hash of a package. */
export type Expected = Pick<FullOffer, 'address' | 'size' | 'sha512'>

/** Symbolic links are never followed. Not every system supports the flag. */
const NO_LINK = 'O_NOFOLLOW' in constants ? constants.O_NOFOLLOW : 0
/** Chunk size, in bytes. Hashing 1 MiB takes 2 ms. */
const PIECE = 1024 * 1024

const refused = (message: string, cause?: unknown) => deskFailure('malformed', message, { cause })

type Saving = {
  readonly fetching: Fetching
  readonly signal: AbortSignal
  /** Called with the number of bytes received so far. */
  readonly wrote: (length: number) => void
}

/**
 * Downloads a package into a private folder. The file gets its name only after it is on disk and verified; a failure leaves no
 * file.
 * @throws DeskFailure on failure
 */
export async function savePackage(path: string, expected: Expected, saving: Saving): Promise<void> {
  const { address, size } = expected
  const part = `${path}.part`
  await mkdir(dirname(path), { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw fileFailure(error)
  })
  await putInPlace(path, part, size, async (file) => {
    const { fetching, signal, wrote } = saving
    let length = 0
    const write = async (piece: Uint8Array) => {
      await writeWhole(file, piece, length)
      length += piece.length
      wrote(length)
    }
    const came = await fetchInto(address, size, write, { fetching, signal })
    if (came !== size) throw refused(`Only ${came} of ${size} bytes arrived. Download it again.`)
    await file.sync()
    await checkFile(part, expected)
  })
}

/**
 * Replaces a file atomically, once the new content is on disk.
 * @param draft temporary file in the same folder; removed on failure
 * @throws DeskFailure on failure
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
 * Verifies size and hash of a file on disk.
 * @throws DeskFailure `malformed` if they differ; the system's error if the file is missing
 */
export async function checkFile(path: string, expected: Expected): Promise<void> {
  await readChecked(path, expected, () => Promise.resolve())
}

/**
 * Reads a file in chunks and throws at the end if size or hash differ. The caller must then discard everything derived from the
 * file.
 */
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

/** Whether a verified package exists; any other file at the path is removed. */
export async function isThere(path: string, expected: Expected): Promise<boolean> {
  try {
    await checkFile(path, expected)
    return true
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) await removeFile(path).catch(() => undefined)
    return false
  }
}

/** Removes all files of the package folder except one. Does nothing if the folder is missing. */
export async function removeOthers(folder: string, name: string | null): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const value of names) if (value !== name) await removeFile(join(folder, value)).catch(() => undefined)
}

/** An AppImage is an ELF file with `AI` at offset 8. */
const isAppImage = (head: Uint8Array) =>
  Buffer.from(head.subarray(0, 4)).toString('latin1') === '\x7fELF' && head[8] === 0x41 && head[9] === 0x49

/**
 * Replaces the running AppImage with a package, atomically and with the same mode. The package is verified while it is copied.
 * @throws DeskFailure on failure; the old AppImage then remains unchanged
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

/** Removes the temporary file that a killed app left beside an AppImage. */
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

/** Converts disk and permission errors into failures; other errors are returned unchanged. */
export function fileFailure(error: unknown): unknown {
  if (error instanceof DeskFailure) return error
  const disk = (message: string) => deskFailure('disk', message, { cause: error })
  if (isDiskFull(error)) return disk('The disk is full. Free some space, then try again.')
  if (hasCode(error, 'EACCES', 'EPERM', 'EROFS'))
    return disk('No permission to write where the update belongs. Nothing changed.')
  if (hasCode(error, 'ENOENT')) return disk('The package is gone. Download it again.')
  return error
}
