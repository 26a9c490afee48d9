import { readSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** So much is read and written at a time, in bytes. */
export const portion = 1 << 20

/**
 * Hands over a part of an open file, as much at a time as the buffer takes. @param length in bytes
 * @returns its CRC-32, as it stands in names of files; an empty text where the file ends early
 * @throws as `fs` and `write` do
 */
export function copyPart(
  file: number,
  from: number,
  length: number,
  buffer: Buffer,
  write: (bytes: Uint8Array) => void,
): string {
  let sum = 0
  for (let done = 0; done < length;) {
    const got = readSync(file, buffer, 0, Math.min(buffer.length, length - done), from + done)
    if (got === 0) return ''
    const part = buffer.subarray(0, got)
    sum = crc32(part, sum)
    write(part)
    done += got
  }
  return sum.toString(16).padStart(8, '0')
}

/** Writes all of it, from this place of an open file on. @returns how many bytes that are. @throws as `fs` does */
export function writeAll(file: number, bytes: Uint8Array, at: number): number {
  for (let done = 0; done < bytes.length;)
    done += writeSync(file, bytes, done, bytes.length - done, at + done)
  return bytes.length
}

/** A part of an open file; shorter where the file ends. @param length in bytes. @throws as `fs` does */
export function readPart(file: number, at: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, readSync(file, buffer, 0, length, at))
}
