import type { ImportChoice } from '#shared/archives/rows-file.ts'
import { cellsOf, findRecord, nextLine, roleOf } from './columns.ts'
import type { CellRules, Delimiter, QuoteEscape } from './columns.ts'

/** Format of a delimited table. */
export type Dialect = {
  readonly delimiter: Delimiter
  readonly escape: QuoteEscape
  /** Bytes before the header, or before the first row if there is none: titles, comments, empty lines. */
  readonly from: number
  /** Lines before the header. */
  readonly linesBefore: number
  readonly hasHeader: boolean
  /** Column names that are not a line as wide as the rows, and the lines they take. `from` is then the first row. */
  readonly named: Named | null
  /** Totals and remarks at the end, in lines and in bytes. */
  readonly linesAfter: number
  readonly bytesAfter: number
  /** Cells per row. */
  readonly width: number
  /** Whether the last record has as many cells. The end of a file is missing more often than any other part. */
  readonly endsWhole: boolean
  /** Properties that could not be detected with certainty. */
  readonly doubts: readonly DialectDoubt[]
}

type Named = { readonly names: readonly string[]; readonly lines: number }

type DialectDoubt = 'delimiter' | 'header' | 'totals'

/** Pieces of a table in UTF-8. `middle` and `end` start and stop within lines. Both are empty if `start` is the whole table. */
export type TableSample = { readonly start: Buffer; readonly middle: Buffer; readonly end: Buffer }

type SampleRecord = {
  readonly from: number
  readonly lines: number
  readonly cells: readonly string[]
}

const maxRecords = 300

const usual: readonly Delimiter[] = [',', ';', '\t', '|']
const rare: readonly Delimiter[] = ['^', '~', '\x01', ' ']

/**
 * Detects the format of a table from its beginning, middle and end. The best rules give most records one width and cells of a known type
 * (van den Burg, Nazábal, Sutton: Wrangling messy CSV files, 2019).
 * @param choice the user's settings
 * @returns undefined for an empty table
 */
export function sniffDialect(sample: TableSample, choice: ImportChoice = {}): Dialect | undefined {
  const said = /^sep=([^\w"\\\0\r\n\x80-\xff])(?:\r\n|\n|\r)/.exec(sample.start.toString('latin1', 0, 8))
  const skipped = said?.[0].length ?? 0
  const start = sample.start.subarray(skipped)
  if (start.length === 0) return undefined
  const isWhole = sample.end.length === 0
  const separator = choice.delimiter ?? said?.[1]
  const delimiters = separator === undefined ? [...usual, ...rare] : [separator]
  const escapes: QuoteEscape[] = [start, sample.middle, sample.end].some((piece) => piece.includes('\\"'))
    ? ['doubled', 'backslash']
    : ['doubled']
  const candidates = delimiters.flatMap((delimiter) =>
    escapes.map((escape) => {
      const rules: CellRules = { delimiter, escape, loose: true }
      const first = recordsIn(start, rules, isWhole)
      const last = recordsWithin(sample.end, rules)
      const records = [...first, ...recordsWithin(sample.middle, rules), ...last]
      const weight = usual.includes(delimiter) ? 1 : 0.5
      const { score, known } = scoreOf(records, delimiter)
      return { rules, first, last, known, score: score * weight }
    }),
  )
  const ranked = candidates.toSorted((a, b) => b.score - a.score)
  const [best] = ranked
  if (!best) return undefined
  const rival = ranked.find(({ rules }) => rules.delimiter !== best.rules.delimiter)
  const isFar = (rival?.score ?? 0) < best.score * 0.8 && best.known > 0.4
  const isClear = separator !== undefined || best.score === 0 || isFar
  const rules = best.score === 0 ? { ...best.rules, delimiter: separator ?? ',' } : best.rules
  const first = best.score === 0 ? recordsIn(start, rules, isWhole) : best.first
  const ends = isWhole ? first : best.last
  const chosen = choice.start && chosenBeginning(first, choice.start, said ? 1 : 0)
  const { place, width, header, named, rows } = chosen ?? beginningOf(first)
  const body = first.slice(rows)
  const length = (isWhole ? start : sample.end).length
  const totals = totalsIn(ends, body, isWhole ? rows : null, length)
  return {
    delimiter: rules.delimiter,
    escape: rules.escape,
    from: skipped + (first[named ? rows : place]?.from ?? (named ? start.length : 0)),
    linesBefore: (said ? 1 : 0) + linesOf(first.slice(0, place)),
    hasHeader: header !== 'none',
    named,
    linesAfter: totals.lines,
    bytesAfter: totals.bytes,
    width,
    endsWhole: (ends.findLast(({ cells }) => !isBlank(cells))?.cells.length ?? width) === width,
    doubts: [
      ...(isClear ? [] : (['delimiter'] as const)),
      ...((header === 'unsure' && place === 0) || hasOtherHeader(body) ? (['header'] as const) : []),
      ...(totals.isSure ? [] : (['totals'] as const)),
    ],
  }
}

const linesOf = (records: readonly SampleRecord[]) => records.reduce((sum, { lines }) => sum + lines, 0)

/** Start of a table. `place`: records before the header; `rows`: records before the first row. */
type Beginning = {
  readonly place: number
  readonly rows: number
  readonly width: number
  readonly header: 'header' | 'none' | 'unsure'
  readonly named: Named | null
}

/** Start at the line that the user chose; undefined if the sample does not reach it. */
function chosenBeginning(
  records: readonly SampleRecord[],
  { line, hasHeader }: NonNullable<ImportChoice['start']>,
  skipped: number,
): Beginning | undefined {
  let before = skipped
  for (const [place, { cells, lines }] of records.entries()) {
    before += lines
    if (before < line) continue
    const header = hasHeader ? 'header' : 'none'
    return { place, rows: place + (hasHeader ? 1 : 0), width: cells.length, header, named: null }
  }
  return undefined
}

function beginningOf(records: readonly SampleRecord[]): Beginning {
  const logged = loggedBeginning(records)
  if (logged) return logged
  const { place, width } = headerPlace(records)
  const cells = records.map((record) => record.cells)
  const header = headerVote(cells.slice(place))
  const lettered = place === 1 && header !== 'header' ? namesOfRows(cells, width) : null
  if (lettered)
    return { place: 0, rows: 1, width, header: lettered.header, named: { names: lettered.names, lines: 1 } }
  const rows = place + (header === 'none' ? 0 : 1)
  const below = cells[place + 1] ?? []
  if (header === 'none' || !isRuler(below)) return { place, rows, width, header, named: null }
  const names = (cells[place] ?? []).map((name) => name.trim())
  return {
    place,
    rows: rows + 1,
    width,
    header,
    named: { names, lines: linesOf(records.slice(place, rows + 1)) },
  }
}

/** Start of a log whose comments name its fields (W3C extended log format). */
function loggedBeginning(records: readonly SampleRecord[]): Beginning | null {
  const place = records.findIndex(({ cells }) => isFields(cells))
  if (place < 0) return null
  const below = records.findIndex(({ cells }, nth) => nth > place && !isComment(cells))
  const rows = below < 0 ? records.length : below
  const [, ...names] = (records[place]?.cells.join(' ') ?? '').trim().split(/[\s,]+/)
  const widths = records.slice(rows).flatMap(({ cells }) => (isComment(cells) ? [] : cells.length))
  if (widths.length > 0 && mode(widths) !== names.length) return null
  return {
    place,
    rows,
    width: names.length,
    header: 'header',
    named: { names, lines: linesOf(records.slice(place, rows)) },
  }
}

/** Whether another table's header is among the rows: words in columns whose first rows have only times, numbers or addresses. */
function hasOtherHeader(body: readonly SampleRecord[]): boolean {
  const rows = body.map(({ cells }) => cells.map(lookOf))
  const first = rows.slice(0, 3)
  const typed = (first[0] ?? []).flatMap((_, nth) => {
    const look = commonOf(first.map((looks) => looks[nth] ?? 'nothing'))
    return look === 'number' || (look && isNoName(look)) ? [nth] : []
  })
  return typed.length > 1 && rows.some((looks) => typed.every((nth) => looks[nth] === 'words'))
}

const isFields = ([first = '']: readonly string[]) => /^#fields(?::|$|\s)/i.test(first)
const isComment = ([first = '']: readonly string[]) => first.startsWith('#')

/** Whether a row is a ruler below the header, as in `---- | ----`. */
const isRuler = (cells: readonly string[]) =>
  cells.some((cell) => /--|==/.test(cell)) && /^[-=+:\s]{4,}$/.test(cells.join(' '))

/** Column names of a table with an unnamed column of row names, as R writes it. */
function namesOfRows(
  [first = [], ...below]: readonly (readonly string[])[],
  width: number,
): { readonly names: readonly string[]; readonly header: 'header' | 'unsure' } | null {
  const areNames = first.every((name) => ['words', 'id'].includes(lookOf(name)))
  if (first.length !== width - 1 || !areNames || new Set(first).size < first.length) return null
  const own = below.filter(({ length }) => length === width).map(([name = '']) => name)
  const isCounted = own.every((name, nth) => Number(name) === Number(own[0]) + nth)
  if (isCounted && own.length > 1 && width > 2) return { names: ['', ...first], header: 'header' }
  const areIds =
    new Set(own).size === own.length && own.every((name) => ['id', 'words'].includes(lookOf(name)))
  return { names: areIds ? ['', ...first] : [...first, ''], header: 'unsure' }
}

/** Parses the start of a table; a malformed line is one cell. A record that is cut off is omitted. */
function recordsIn(bytes: Buffer, rules: CellRules, isWhole: boolean): SampleRecord[] {
  const records: SampleRecord[] = []
  for (let index = 0; index < bytes.length && (isWhole || records.length < maxRecords);) {
    const found = findRecord(bytes, index, rules, isWhole)
    const isRecord = found.kind === 'record'
    const next = isRecord ? found.next : nextLine(bytes, index, isWhole)
    if (next === undefined || (found.kind === 'cut' && !isWhole && records.length > 0)) break
    const text = bytes.toString('utf8', index, isRecord ? found.last : next)
    const lines = isRecord ? text.split(/\r\n|\n|\r/).length : 1
    records.push({ from: index, lines, cells: isRecord ? cellsOf(text, rules) : [text] })
    index = next
  }
  return records
}

/** Parses a piece that begins and ends within lines. */
function recordsWithin(bytes: Buffer, rules: CellRules): SampleRecord[] {
  const from = nextLine(bytes, 0, false)
  if (from === undefined) return []
  const records: SampleRecord[] = []
  for (let index = from; index < bytes.length;) {
    const found = findRecord(bytes, index, rules, true)
    const next = found.kind === 'record' ? found.next : (nextLine(bytes, index, true) ?? bytes.length)
    const text = bytes.toString('utf8', index, found.kind === 'record' ? found.last : next)
    records.push({ from: index, lines: 1, cells: found.kind === 'record' ? cellsOf(text, rules) : [text] })
    index = next
  }
  return records.slice(-maxRecords)
}

const number = /^[-+(]?\p{Sc}? ?[-+]?\d[\d.,'\u00a0 ]*(?:[eE][-+]?\d+)? ?(?:%|\p{Sc}|[A-Z]{3})?\)?$/u
const moment =
  /^\d{1,4}[-/.](?:\d{1,2}|[a-z]{3})[-/.]\d{1,4}(?:(?:,? ?T?|:)\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AP]\.?M\.?)?(?: ?(?:Z|UTC|[-+]\d{2}:?\d{0,2}))?)?$/i
const address = /^\[?(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f:.]*:[\da-f.]*)\]?(?::\d+|\/\d+)?$/i
const link = /^[a-z][a-z+.-]*:\/\/\S+$|^www\.\S+$/i
// One class after a lookahead: two classes around a digit would backtrack on every long cell.
const id = /^(?=\D*\d)[\w.@+-]+$/
const words = /^[\p{L}\p{M}\p{N} ._\-'’&()/:+#*%!?–—]+$/u
const nothing = /^\s*$|^(?:-{1,2}|–|n\/a|null|none|nan|\\N)$/i

type Look = 'nothing' | 'number' | 'moment' | 'address' | 'link' | 'id' | 'words' | 'other'

/** Classifies the text of a cell. */
export function lookOf(cell: string): Look {
  const text = cell.trim()
  if (nothing.test(text)) return 'nothing'
  if (moment.test(text)) return 'moment'
  if (address.test(text)) return 'address'
  if (number.test(text)) return 'number'
  if (link.test(text)) return 'link'
  if (id.test(text)) return 'id'
  return words.test(text) ? 'words' : 'other'
}

/** Scores records by uniform width and cells of a known type. `known`: share of those cells, 0 to 1. */
function scoreOf(
  records: readonly SampleRecord[],
  delimiter: Delimiter,
): { readonly score: number; readonly known: number } {
  const isLog = records.some(({ cells }) => isFields(cells))
  const filled = records.filter(({ cells }) => !isBlank(cells) && !(isLog && isComment(cells)))
  if (filled.length === 0) return { score: 0, known: 0 }
  const widths = new Map<number, number>()
  for (const { cells } of filled) widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1)
  const all = filled.flatMap(({ cells }) => cells)
  const known = all.filter((cell) => lookOf(cell) !== 'other').length / all.length
  // Texts contain blanks: the blank is a delimiter only if nearly every line has the same number of cells.
  if (delimiter === ' ') {
    const usualWidth = mode(filled.map(({ cells }) => cells.length))
    const odd = filled.slice(1).filter(({ cells }) => cells.length !== usualWidth).length
    const padded = all.filter((cell) => cell === '').length
    if (odd > filled.length * 0.05 || padded > all.length * 0.1 || usualWidth < (isLog ? 2 : 5))
      return { score: 0, known }
  }
  const pattern = [...widths].reduce((sum, [width, times]) => sum + (times * (width - 1)) / width, 0)
  return { score: (pattern / widths.size) * known, known }
}

const mode = (values: readonly number[]): number => {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0])[0]
}

/** Finds the header, or the first row if there is none, and the number of cells per row. */
function headerPlace(records: readonly SampleRecord[]): { readonly place: number; readonly width: number } {
  const usualWidth = mode(records.map(({ cells }) => cells.length).filter((width) => width > 1)) || 1
  const endsEmpty = records
    .filter(({ cells }) => cells.length === usualWidth)
    .every(({ cells }) => (cells.at(-1) ?? '') === '')
  const needed = endsEmpty && usualWidth > 2 ? usualWidth - 1 : usualWidth
  const filled = ({ cells }: SampleRecord) => cells.filter((cell) => cell.trim() !== '').length
  // Spreadsheets pad titles with empty cells.
  const isPadded = usualWidth > 2 && mode(records.map(filled)) > 1
  const found = records.findIndex(
    (record) => record.cells.length >= needed && filled(record) > (isPadded ? 1 : 0),
  )
  const place = Math.max(0, found)
  return { place, width: Math.max(1, records[place]?.cells.length ?? usualWidth) }
}

/** Whether the first record is a header: its cells are names, and cells below are of another type. */
function headerVote(records: readonly (readonly string[])[]): 'header' | 'none' | 'unsure' {
  const [first = [], ...below] = records
  const names = first.map((cell) => cell.trim())
  // A single name may be a value: a campaign may be called Brand.
  const meant = names.filter((name) => roleOf(name) !== null || usualName.test(name))
  if (meant.length >= Math.min(2, names.length)) return 'header'
  let strong = 0
  let numbers = 0
  for (const [nth, name] of names.entries()) {
    const cells = below.flatMap((row) => (lookOf(row[nth] ?? '') === 'nothing' ? [] : [row[nth] ?? '']))
    const look = commonOf(cells.map(lookOf))
    const shape = commonOf(cells.map(shapeOf))
    const own = lookOf(name)
    if (own === 'nothing') continue
    if (cells.length === 0) strong -= isNoName(own) ? 1 : 0
    else if (look === 'number') numbers += own === 'number' ? -1 : 1
    else if (look && isNoName(look)) strong += own === look ? -1 : 1
    else if (look === 'id' && shape === shapeOf(name) && cells.length > 1) strong -= 1
    else if (cells.includes(name)) strong -= 1
  }
  if (strong !== 0) return strong > 0 ? 'header' : 'none'
  return numbers > 0 || below.length === 0 ? 'header' : 'unsure'
}

const isNoName = (look: Look) => look === 'moment' || look === 'address' || look === 'link'

/** First value if at least 90 % of the values equal it. */
function commonOf<T>(values: readonly T[]): T | undefined {
  const [value] = values
  return values.filter((item) => item === value).length >= values.length * 0.9 ? value : undefined
}

const shapeOf = (cell: string): string => cell.replaceAll(/\d/g, '9').replaceAll(/\p{L}/gu, 'a')

/** Headers that are never values. */
const usualName = /^(?:day|clicks|impressions|result|campaign id|verdict|status)$/i

const totalWord =
  /^(?:(?:grand |sub ?)?totals?(?: rows| of \d+.*)?|sum|summe|gesamt|gesamtsumme|insgesamt|totale|total g[ée]n[ée]ral|totaal|suma|razem|summa|合計|总计|總計)(?:\s*[:(–-].*)?$/i

const rowCount = /^\(?\d+ rows?(?: affected| in set.*)?\)?$/i

/**
 * Finds totals and remarks at the end.
 * @param before records before the rows; null if `ends` covers only the end of the table
 * @param length bytes of the piece that contains `ends`
 */
function totalsIn(
  ends: readonly SampleRecord[],
  body: readonly SampleRecord[],
  before: number | null,
  length: number,
): { readonly lines: number; readonly bytes: number; readonly isSure: boolean } {
  const rows = body.map(({ cells }) => cells)
  const anchor = anchorOf(rows)
  const legend = legendPlace(ends, mode(rows.map(({ length: width }) => width)))
  let lines = 0
  let held = 0
  let bytes = 0
  let isSure = true
  // A piece of the end contains no header.
  const skipped = before ?? 0
  for (const [nth, { cells, from, lines: high }] of [...ends.slice(skipped).entries()].toReversed()) {
    held += high
    if (isBlank(cells)) continue
    const first = cells.find((cell) => cell.trim() !== '') ?? ''
    const standsAlone =
      first.startsWith('#') || rowCount.test(first.trim()) || isBlank(ends[skipped + nth - 1]?.cells ?? [])
    const isRemark =
      (standsAlone && cells.length === 1 && rows.some((row) => row.length > 1)) ||
      skipped + nth >= legend ||
      (cells.length > 1 && first === '')
    const isUnnamed =
      anchor !== null &&
      (cells[anchor] ?? '').trim() === '' &&
      cells.some((cell) => lookOf(cell) === 'number')
    if (!totalWord.test(first.trim()) && !isRemark) {
      if (!isUnnamed) break
      isSure = before !== null && isSumOf(cells, rows)
      if (!isSure) break
    }
    lines = held
    bytes = length - from
  }
  return { lines, bytes, isSure }
}

/** Start of a legend: after an empty line, narrower than the rows, most lines with a colon. Infinity if there is none. */
function legendPlace(ends: readonly SampleRecord[], width: number): number {
  const last = ends.findLastIndex(({ cells }) => !isBlank(cells))
  const from = ends.slice(0, last + 1).findLastIndex(({ cells }) => isBlank(cells)) + 1
  const facts = ends.slice(from, last + 1).map(({ cells }) => cells)
  const named = facts.filter(([first = '']) => first.trim().endsWith(':'))
  const isLegend = from > 0 && facts.every(({ length }) => length < width) && named.length * 2 >= facts.length
  return isLegend ? from : Infinity
}

const isBlank = (cells: readonly string[]) => cells.length === 1 && cells[0]?.trim() === ''

/** First column that holds times in all rows but the last three, else the first column if it is always filled. Null if there is neither. */
function anchorOf(rows: readonly (readonly string[])[]): number | null {
  const width = mode(rows.map(({ length }) => length))
  const whole = rows.filter(({ length }) => length === width)
  const named = whole.slice(0, whole.findLastIndex(([first = '']) => first.trim() !== '') + 1)
  const enough = whole.slice(0, -3)
  if (enough.length > 1)
    for (let nth = 0; nth < width; nth += 1)
      if (enough.every((row) => lookOf(row[nth] ?? '') === 'moment')) return nth
  return named.length > 2 && named.every(([first = '']) => first.trim() !== '') ? 0 : null
}

/** Whether a number in a row is the sum of the numbers above it. */
function isSumOf(cells: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const above = rows.filter((row) => row.length === cells.length && row.join() !== cells.join())
  return cells.some((cell, nth) => {
    if (lookOf(cell) !== 'number' || plainNumber(cell) === 0) return false
    const sum = above.reduce((total, row) => total + plainNumber(row[nth] ?? ''), 0)
    return Math.abs(sum - plainNumber(cell)) < 0.005 * Math.max(1, above.length)
  })
}

const plainNumber = (text: string): number => Number(text.replaceAll(/[^\d.-]/g, '')) || 0
