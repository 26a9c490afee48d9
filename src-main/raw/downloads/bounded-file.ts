import { readSync } from 'node:fs'
import { Readable } from 'node:stream'
import { RandomAccessReader } from 'yauzl'

/** Read at once, in bytes. */
const PIECE = 64 * 1024

export type Reading = {
  /** The file's descriptor; whoever opened it closes it. */
  readonly fd: number
  readonly size: number
  /** How it is read: by one of Node's threads, or without leaving this one. */
  readonly read: ReadPiece
}

type ReadPiece = (
  ...asked: [
    fd: number,
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytes: number) => void,
  ]
) => void

/** Reads without leaving the thread, which may wait for the disk. */
export const readHere: ReadPiece = (fd, buffer, offset, length, position, callback) => {
  let bytes = 0
  try {
    bytes = readSync(fd, buffer, offset, length, position)
  } catch (error) {
    return process.nextTick(callback, error, 0)
  }
  process.nextTick(callback, null, bytes)
}

const outside = () => new Error('It points to where the file has nothing')

/**
 * A file as the reader of archives sees it. An archive says itself where its parts lie, also far behind its end; a place that
 * no file has makes Node throw in the middle of the reader's work, where nobody can catch it, and the thread ends.
 */
export class BoundedFile extends RandomAccessReader {
  readonly #file: Reading

  constructor(file: Reading) {
    super()
    this.#file = file
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytes?: number) => void,
  ): void {
    const { fd, read } = this.#file
    if (this.#has(position, position + length)) read(fd, buffer, offset, length, position, callback)
    else process.nextTick(callback, outside())
  }

  override createReadStream({ start, end }: { start: number; end: number }): Readable {
    const { fd, read } = this.#file
    const isThere = this.#has(start, end)
    let position = start
    // Not a stream of Node's: that closes the file when it is destroyed.
    const stream = new Readable({
      highWaterMark: PIECE,
      read: (wanted) => {
        if (!isThere) return stream.destroy(outside())
        const piece = Buffer.allocUnsafe(Math.min(wanted, end - position))
        if (piece.length === 0) return stream.push(null)
        return read(fd, piece, 0, piece.length, position, (error, bytes) => {
          if (error) return stream.destroy(error)
          position += bytes
          return stream.push(bytes === 0 ? null : piece.subarray(0, bytes))
        })
      },
    })
    return stream
  }

  #has(start: number, end: number): boolean {
    return Number.isSafeInteger(start) && start >= 0 && end >= start && end <= this.#file.size
  }
}
