import { createWriteStream, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import yazl from 'yazl'

const PIECE = 1024 * 1024

function* rows(mebibytes: number): Iterable<Buffer> {
  const piece = Buffer.from('2026-11-19T00:00:00Z,news,Germany,suspect\r\n'.repeat(25_000)).subarray(0, PIECE)
  for (let made = 0; made < mebibytes; made += 1) yield piece
}

/** Writes an archive with one table of so many MiB, not compressed. @returns its size in bytes */
export async function writeLargeArchive(path: string, mebibytes: number): Promise<number> {
  const zip = new yazl.ZipFile()
  zip.addReadStream(Readable.from(rows(mebibytes), { objectMode: false }), 'report.csv', { compress: false })
  zip.end()
  await pipeline(zip.outputStream as Readable, createWriteStream(path))
  return statSync(path).size
}
