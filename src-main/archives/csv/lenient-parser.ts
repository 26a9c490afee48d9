import { open } from 'node:fs/promises'
import { cellsOf, findRecord, longestRecord, nextLine, recordOf } from './columns.ts'
import type { CellRules } from './columns.ts'

/** Output of the lenient parser: records, each with the line ending of `LenientRules`, or an unreadable line. */
type LenientPiece =
  | { readonly kind: 'records'; readonly bytes: Buffer }
  | { readonly kind: 'unreadable'; readonly line: number; readonly why: string; readonly text: string }

/** A record and the rules under which it was found. */
type FoundRecord = {
  readonly kind: 'record'
  readonly cells: number
  readonly last: number
  readonly next: number
  readonly rules: CellRules
}

export type LenientRules = {
  readonly rules: CellRules
  /** Cells per record. */
  readonly columns: number
  readonly firstLine: number
  /** Line ending of the output. Records that already have it are not copied. */
  readonly ending: '\r\n' | '\n'
  /** Whether a record that lacks cells at its end is a row. */
  readonly isRow: (cells: readonly string[]) => boolean
  /** Whether a record repeats the column names. Absent if none is expected to. */
  readonly isRepeated?: (cells: readonly string[]) => boolean
  /** Replaces the cells of a record. */
  readonly rewrite?: (cells: readonly string[]) => readonly string[]
  /** Called for each row that lacked cells. */
  readonly short: () => void
}

/** Maximum number of characters stored of an unreadable line. */
const longestShown = 2000

const feed = 10

/**
 * Parses a table whose records the engine cannot read unchanged: backslash escapes, blanks around quotes, missing or extra empty cells at
 * the end. A line with an unclosed quote, or with a multi-line record of the wrong width, is unreadable. Parsing continues with the next
 * line, so that one bad quote does not lose the lines after it.
 */
export async function* parseLeniently(
  pieces: AsyncIterable<Buffer>,
  how: LenientRules,
): AsyncGenerator<LenientPiece> {
  let held = Buffer.alloc(0)
  let line = how.firstLine
  /** Whether the bytes continue a line that is too long. */
  let isWithin = false
  const asTheyAre = isPlain(how)
  const ending = Buffer.from(how.ending)

  function* through(bytes: Buffer, isLast: boolean): Generator<LenientPiece, number> {
    let index = 0
    const records = new Records(bytes, ending)
    while (index < bytes.length) {
      const found = bestRecord(bytes, index, how, isLast)
      const isTooLong = (found.kind === 'record' ? found.last : bytes.length) - index > longestRecord
      if (found.kind === 'cut' && !isTooLong && !isLast) break
      const lines = found.kind === 'record' ? linesIn(bytes, index, found.next) : 1
      if (found.kind === 'record' && !isTooLong && (found.cells === how.columns || lines === 1)) {
        const hasEnding = bytes[found.last] === ending[0] && found.next - found.last === ending.length
        const isWhole = found.cells === how.columns && found.last > index && hasEnding
        if (isWhole && asTheyAre && found.rules === how.rules) records.asTheyCame(index, found.next)
        else {
          const record = bytes.subarray(index, found.last)
          const read = readRecord(record, found, how, isLast && found.last === bytes.length)
          if (Buffer.isBuffer(read)) records.add(read)
          else if (read !== null) {
            yield* records.drained()
            yield { kind: 'unreadable', line, why: read, text: excerptOf(record) }
          }
        }
        line += lines
        index = found.next
        continue
      }
      const next = nextLine(bytes, index, isLast) ?? (isTooLong ? bytes.length : -1)
      if (next < 0) break
      isWithin = isTooLong && nextLine(bytes, index, isLast) === undefined
      yield* records.drained()
      const why = isTooLong ? 'The line is longer than 4 MB.' : quoteWords
      yield { kind: 'unreadable', line, why, text: excerptOf(bytes.subarray(index, next)) }
      line += 1
      index = next
    }
    yield* records.drained()
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
    const record = held.length > 0 ? completed(held, piece, how) : undefined
    if (record) {
      yield* through(record, false)
      piece = piece.subarray(record.length - held.length)
    }
    const bytes = held.length > 0 && !record ? Buffer.concat([held, piece]) : piece
    const done = yield* through(bytes, false)
    held = Buffer.from(bytes.subarray(done))
  }
  yield* through(held, true)
}

/** Completes a record with the next line, which saves copying the whole piece. Undefined if the result is not a regular record. */
function completed(begun: Buffer, piece: Buffer, { rules, columns }: LenientRules): Buffer | undefined {
  const bytes = Buffer.concat([begun, piece.subarray(0, nextLine(piece, 0, false) ?? 0)])
  if (bytes.length > longestRecord) return undefined
  const found = findRecord(bytes, 0, rules, false)
  const isRegular = found.kind === 'record' && found.cells === columns && found.next === bytes.length
  return isRegular ? bytes : undefined
}

/** Records of a piece, in order. Unchanged runs are not copied one by one: copying takes as long as parsing. */
class Records {
  readonly #bytes: Buffer
  readonly #ending: Buffer
  #parts: Buffer[] = []
  #from = 0
  #to = 0

  constructor(bytes: Buffer, ending: Buffer) {
    this.#bytes = bytes
    this.#ending = ending
  }

  asTheyCame(from: number, to: number): void {
    if (from !== this.#to) {
      this.#endRun()
      this.#from = from
    }
    this.#to = to
  }

  add(record: Buffer): void {
    this.#endRun()
    this.#parts.push(record, this.#ending)
  }

  *drained(): Generator<LenientPiece> {
    this.#endRun()
    const [first, ...others] = this.#parts
    if (first) yield { kind: 'records', bytes: others.length === 0 ? first : Buffer.concat(this.#parts) }
    this.#parts = []
  }

  #endRun(): void {
    if (this.#to > this.#from) this.#parts.push(this.#bytes.subarray(this.#from, this.#to))
    this.#from = this.#to
  }
}

/** Finds a record by the table's rules. If its number of cells is wrong, tries looser rules that give the right number. */
function bestRecord(
  bytes: Buffer,
  index: number,
  { rules, columns }: LenientRules,
  isLast: boolean,
): FoundRecord | { readonly kind: 'cut' | 'broken' } {
  const found = findRecord(bytes, index, rules, isLast)
  if (found.kind === 'record' && found.cells === columns) return { ...found, rules }
  if (found.kind === 'cut' && !isLast) return found
  for (const other of kinOf(rules)) {
    // Without escapes, an open quote is only searched in its own line: it could end in the next one.
    const end = other.escape === 'none' ? nextLine(bytes, index, isLast) : undefined
    const otherwise = findRecord(bytes.subarray(0, end), index, other, isLast || end !== undefined)
    if (otherwise.kind === 'record' && otherwise.cells === columns) return { ...otherwise, rules: other }
  }
  return found.kind === 'record' ? { ...found, rules } : found
}

const kinOf = (rules: CellRules): readonly CellRules[] => [
  ...(rules.loose ? [] : [{ ...rules, loose: true }]),
  ...(rules.escape === 'backslash' ? [] : [{ ...rules, loose: true, escape: 'backslash' as const }]),
  ...(rules.delimiter === ' ' ? [] : [{ ...rules, escape: 'none' as const }]),
]

/** Converts a record for the engine. Returns null for an empty line, and the reason in words for an unreadable one. */
function readRecord(
  record: Buffer,
  { cells, rules }: FoundRecord,
  how: LenientRules,
  isCut: boolean,
): Buffer | string | null {
  const { columns, rewrite } = how
  if (cells === columns && record.length === 0 && columns > 1) return null
  if (cells === columns && isPlain({ rules, rewrite, isRepeated: how.isRepeated })) return record
  if (record.length === 0) return null
  const read = cellsOf(record.toString('utf8'), rules)
  if (how.isRepeated?.(read)) return 'It repeats the column names.'
  if (cells === 1 && columns > 1 && /^[\s\0\x1a]*$/.test(read[0] ?? '')) return null
  const rest = read.slice(columns)
  if (rest.some((cell) => cell.trim() !== '')) return cellWords(cells, columns)
  if (cells < columns) {
    if (isCut) return 'The file ends within this line.'
    if (cells < 2 || !how.isRow(read)) return cellWords(cells, columns)
    how.short()
  }
  const whole = Array.from({ length: columns }, (_, nth) => read[nth] ?? '')
  return recordOf(rewrite ? rewrite(whole) : whole, rules.delimiter)
}

/** Whether records with the right number of cells can be passed on unchanged. */
const isPlain = ({
  rules,
  rewrite,
  isRepeated,
}: Pick<LenientRules, 'rules'> & {
  [K in 'rewrite' | 'isRepeated']?: LenientRules[K] | undefined
}): boolean =>
  !rules.loose &&
  !rules.isPadded &&
  rules.escape === 'doubled' &&
  rules.delimiter !== ' ' &&
  !rewrite &&
  !isRepeated

const quoteWords = 'A quote is not closed, or text follows it.'

const cellWords = (cells: number, columns: number): string =>
  `It has ${cells} ${cells === 1 ? 'cell' : 'cells'}, not ${columns}.`

const excerptOf = (bytes: Buffer): string =>
  bytes
    .subarray(0, longestShown * 4)
    .toString('utf8')
    .replace(/[\r\n]+$/, '')
    .slice(0, longestShown)

function linesIn(bytes: Buffer, from: number, to: number): number {
  if (bytes[to - 1] === feed && bytes.indexOf(feed, from) === to - 1) return 1
  let lines = 0
  for (let index = from; index < to; lines += 1) index = nextLine(bytes, index, true) ?? to
  return Math.max(1, lines)
}

/** Bytes read first of each piece. The rest is read only if no line ends within them. */
const glance = 4096

/**
 * Whether a file may have a line of `length` bytes: true if it has one, false if no line has half as many. Reads little of the file.
 * @param ending the last byte of a line break
 * @throws disk errors
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
    // A line of this length covers a whole piece, wherever the line begins.
    for (let index = 0; index + step <= size; index += step)
      if ((await endsNone(index, Math.min(glance, step))) && (await endsNone(index, step))) return true
    return false
  } finally {
    await file.close()
  }
}
