import { read } from 'node:fs'
import { Readable } from 'node:stream'
import { RandomAccessReader } from 'yauzl'

/** Read at once, in bytes. */
const PIECE = 64 * 1024

const outside = () => new Error('It points to where the file has nothing')

/**
 * A file as the reader of archives sees it. An archive says itself where its parts lie, also far behind its end; a place that
 * no file has makes Node throw in the middle of the reader's work, where nobody can catch it, and the thread ends.
 */
export class BoundedFile extends RandomAccessReader {
  readonly #fd: number
  readonly #size: number

  constructor(fd: number, size: number) {
    super()
    this.#fd = fd
    this.#size = size
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytes?: number) => void,
  ): void {
    if (this.#has(position, position + length)) read(this.#fd, buffer, offset, length, position, callback)
    else process.nextTick(callback, outside())
  }

  override createReadStream({ start, end }: { start: number; end: number }): Readable {
    const isThere = this.#has(start, end)
    let position = start
    // Not a stream of Node's: that closes the file when it is destroyed.
    const stream = new Readable({
      highWaterMark: PIECE,
      read: (wanted) => {
        if (!isThere) return stream.destroy(outside())
        const piece = Buffer.allocUnsafe(Math.min(wanted, end - position))
        if (piece.length === 0) return stream.push(null)
        return read(this.#fd, piece, 0, piece.length, position, (error, bytes) => {
          if (error) return stream.destroy(error)
          position += bytes
          return stream.push(bytes === 0 ? null : piece.subarray(0, bytes))
        })
      },
    })
    return stream
  }

  #has(start: number, end: number): boolean {
    return Number.isSafeInteger(start) && start >= 0 && end >= start && end <= this.#size
  }
}
