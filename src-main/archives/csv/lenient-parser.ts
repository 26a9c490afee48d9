import { cellsOf, findRecord, longestRecord, nextLine } from './columns.ts'
import type { Delimiter } from './columns.ts'
import { open } from 'node:fs/promises'

/** What a careful reading finds in a table: records to be read, each with a line feed behind it, and lines that are none. */
type LenientPiece =
  | { readonly kind: 'records'; readonly bytes: Buffer }
  | { readonly kind: 'unreadable'; readonly line: number; readonly why: string; readonly text: string }

/** Of a line that could not be read so much is kept, in letters. */
const longestShown = 2000

const feed = Buffer.from('\n')

/**
 * Reads a table of which some lines are no records, line by line where they are not. Where a quote is not closed, or a record that
 * goes over several lines has not as many cells as it should, its first line is unreadable and reading goes on with the next: one bad
 * quote must not take the lines behind it along.
 * @param columns how many cells each record has
 * @param firstLine the number of the first line
 * @param rewrite what is written in a record's place
 */
export async function* parseLeniently(
  pieces: AsyncIterable<Buffer>,
  delimiter: Delimiter,
  columns: number,
  firstLine: number,
  rewrite: (record: Buffer) => Buffer = (record) => record,
): AsyncGenerator<LenientPiece> {
  const separator = delimiter.charCodeAt(0)
  let held = Buffer.alloc(0)
  let line = firstLine
  /** Whether the rest of a line that is too long is still to come. */
  let isWithin = false

  function* through(bytes: Buffer, isLast: boolean): Generator<LenientPiece, number> {
    let index = 0
    let records: Buffer[] = []
    while (index < bytes.length) {
      const found = findRecord(bytes, index, separator, isLast)
      const isTooLong = (found.kind === 'record' ? found.last : bytes.length) - index > longestRecord
      if (found.kind === 'cut' && !isTooLong && !isLast) break
      const lines = found.kind === 'record' ? linesIn(bytes, index, found.next) : 1
      if (found.kind === 'record' && !isTooLong && (found.cells === columns || lines === 1)) {
        const record = bytes.subarray(index, found.last)
        if (found.cells === columns && (record.length > 0 || columns === 1))
          records.push(rewrite(record), feed)
        else if (record.length > 0) {
          if (records.length > 0) yield { kind: 'records', bytes: Buffer.concat(records) }
          records = []
          yield { kind: 'unreadable', line, why: cellWords(found.cells, columns), text: shown(record) }
        }
        line += lines
        index = found.next
        continue
      }
      const next = nextLine(bytes, index, isLast) ?? (isTooLong ? bytes.length : -1)
      if (next < 0) break
      isWithin = isTooLong && nextLine(bytes, index, isLast) === undefined
      if (records.length > 0) yield { kind: 'records', bytes: Buffer.concat(records) }
      records = []
      const why = isTooLong ? 'The line is longer than 4 MB.' : quoteWords
      yield { kind: 'unreadable', line, why, text: shown(bytes.subarray(index, next)) }
      line += 1
      index = next
    }
    if (records.length > 0) yield { kind: 'records', bytes: Buffer.concat(records) }
    return index
  }

  for await (const given of pieces) {
    let piece = given
    if (isWithin) {
      const next = nextLine(piece, 0, false)
      if (next === undefined) continue
      isWithin = false
      piece = piece.subarray(next)
    }
    const bytes = held.length > 0 ? Buffer.concat([held, piece]) : piece
    const done = yield* through(bytes, false)
    held = Buffer.from(bytes.subarray(done))
  }
  yield* through(held, true)
}

const quoteWords = 'A quote in it is not closed, or something follows one.'

const cellWords = (cells: number, columns: number): string =>
  `It has ${cells} ${cells === 1 ? 'cell' : 'cells'}, not ${columns}.`

const shown = (bytes: Buffer): string =>
  bytes
    .subarray(0, longestShown * 4)
    .toString('utf8')
    .replace(/[\r\n]+$/, '')
    .slice(0, longestShown)

function linesIn(bytes: Buffer, from: number, to: number): number {
  let lines = 0
  for (let index = from; index < to; lines += 1) index = nextLine(bytes, index, true) ?? to
  return Math.max(1, lines)
}

/** The headers of a table's first record. */
export const headersOf = (record: Buffer, delimiter: Delimiter): string[] =>
  cellsOf(record.toString('utf8'), delimiter)

/** What separates the cells of a first record: what stands most often in it outside of quotes; a comma where nothing does. */
export function delimiterOf(start: Buffer): Delimiter {
  const [line = ''] = start
    .subarray(0, 65_536)
    .toString('utf8')
    .replaceAll(/"(?:[^"]|"")*"/g, '')
    .split(/[\r\n]/)
  const counted = ([',', ';', '\t'] as const).map((item) => ({ each: item, count: line.split(item).length }))
  return counted.reduce((best, one) => (one.count > best.count ? one : best)).each
}

/** Looked at where a line might be long; only where no line ends within is more read. */
const glance = 4096

/**
 * Whether a file may have a line of so many bytes: surely true where it has one, surely false where none has half of them. Little of
 * the file is read.
 * @param ending the last byte of a line break
 * @throws what the disk refuses
 */
export async function mayHaveLongLine(path: string, length: number, ending: number): Promise<boolean> {
  const step = Math.floor(length / 2)
  const bytes = Buffer.alloc(step)
  const file = await open(path)
  try {
    const endsNone = async (index: number, max: number) => {
      const { bytesRead } = await file.read(bytes, 0, max, index)
      return bytesRead === max && !bytes.subarray(0, max).includes(ending)
    }
    const { size } = await file.stat()
    // A line of this length covers one of these pieces, wherever it begins.
    for (let index = 0; index + step <= size; index += step)
      if ((await endsNone(index, Math.min(glance, step))) && (await endsNone(index, step))) return true
    return false
  } finally {
    await file.close()
  }
}
