import { open, readdir, stat, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { hasCode } from '../../files/disk-failure.ts'
import { ExchangeEnded } from '../../service/transport/exchange-ended.ts'
import { BrokenArchive } from './archive-trouble.ts'

/** Pieces that wait for the disk are written together; more than this, and the sender waits. */
const GATHERED = 2 * 1024 * 1024

export type Writing = {
  readonly file: Promise<FileHandle>
  /** Where the first byte goes. */
  readonly from: number
  /** How long the file may become; null where nobody said. */
  readonly most: number | null
  /** Waits until so many bytes may be written. */
  readonly allow: (bytes: number) => Promise<void>
  /** Hears how long the file is now. */
  readonly wrote: (length: number) => void
}

/** Writes what comes into a file, many pieces at a time. It fails with BrokenArchive where more comes than there is. */
export function writerInto({ file, from, most, allow, wrote }: Writing): Writable {
  let length = from
  async function write(pieces: readonly Uint8Array[]): Promise<void> {
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
    if (most !== null && length + bytes > most) throw new BrokenArchive('more came than belongs to it')
    await allow(bytes)
    length += await writeAll(await file, pieces, length)
    wrote(length)
  }
  const done = (written: Promise<void>, callback: (error?: Error | null) => void) => {
    written.then(
      () => callback(),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
    )
  }
  return new Writable({
    highWaterMark: GATHERED,
    write: (piece: Uint8Array, _, callback) => done(write([piece]), callback),
    writev: (pieces, callback) => done(write(pieces.map(({ chunk }) => chunk as Uint8Array)), callback),
  })
}

/**
 * Pours what comes into a file. What has come is written also where the rest does not: a pipeline would throw it away,
 * and it would have to come again.
 *
 * @param idle how long nothing may come while it could be taken, in milliseconds
 * @throws what the writer fails with, then what the sender fails with
 */
export async function pour(
  body: Readable,
  writer: Writable,
  idle: number,
  signal: AbortSignal,
): Promise<void> {
  const written = finished(writer)
  // A full disk ends the sending as well.
  written.catch(() => body.destroy())
  const giveUp = () => body.destroy(new ExchangeEnded('idle', Math.round(idle / 100) / 10))
  let timer = setTimeout(giveUp, idle)
  writer.on('drain', () => {
    timer = setTimeout(giveUp, idle)
    body.resume()
  })
  body.on('data', (piece) => {
    if (writer.write(piece)) timer.refresh()
    else {
      clearTimeout(timer)
      body.pause()
    }
  })
  const trouble = await finished(body, { writable: false, signal }).then(
    () => null,
    (error: unknown) => ({ error }),
  )
  body.destroy()
  writer.end()
  await written.finally(() => clearTimeout(timer))
  if (trouble) throw trouble.error
}

/** A system may write a part of what it is given, such as all that a disk has room for. */
async function writeAll(file: FileHandle, pieces: readonly Uint8Array[], from: number): Promise<number> {
  let left = pieces
  let length = 0
  while (left.length > 0) {
    let { bytesWritten } = await file.writev([...left], from + length)
    length += bytesWritten
    left = left.flatMap((piece) => {
      const skipped = Math.min(bytesWritten, piece.length)
      bytesWritten -= skipped
      return skipped === piece.length ? [] : [piece.subarray(skipped)]
    })
  }
  return length
}

/** How long a file is; null where there is none. */
export async function lengthOf(path: string): Promise<number | null> {
  return await stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
      throw error
    },
  )
}

/** Removes a file in the making. */
export async function discardPart(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error
  })
}

/** What has arrived is put on the disk, not only with the system, and gets the time at which the report was made. */
export async function settlePart(path: string, modified: number | null): Promise<void> {
  const file = await open(path, 'r+')
  try {
    if (modified !== null) await file.utimes(modified / 1000, modified / 1000)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Removes what an earlier attempt left half-written. */
export async function sweepDrafts(folder: string, mark: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
  for (const name of names) if (name.startsWith(mark)) await unlink(join(folder, name)).catch(() => undefined)
}
