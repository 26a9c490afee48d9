import type { ImportChoice } from '#shared/archives/rows-file.ts'
import { cellsOf, findRecord, nextLine, roleOf } from './columns.ts'
import type { CellRules, Delimiter, WrittenEscape } from './columns.ts'
import { isBlank, isEmpty, lookOf, mode } from './sample-records.ts'
import type { CellLook, SampleRecord } from './sample-records.ts'
import { totalsIn } from './table-end.ts'

/** Format of a delimited table. */
export type Dialect = {
  readonly delimiter: Delimiter
  readonly escape: WrittenEscape
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
  /** Whether blanks surround the cells, as in `a, b` or in columns of one width. They are no part of the cells. */
  readonly isPadded: boolean
  /** Cells per row. */
  readonly width: number
  /** Whether column names stand among the rows again, as in files that were joined. */
  readonly repeatsHeader: boolean
  /** Whether all sampled rows have as many cells. */
  readonly isEven: boolean
  /** Properties that could not be detected with certainty. */
  readonly doubts: readonly DialectDoubt[]
}

type Named = { readonly names: readonly string[]; readonly lines: number }

type DialectDoubt = 'delimiter' | 'header' | 'totals'

/** Pieces of a table in UTF-8. `middle` and `end` start and stop within lines. Both are empty if `start` is the whole table. */
export type TableSample = { readonly start: Buffer; readonly middle: Buffer; readonly end: Buffer }

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
  const isWhole = sample.end.length === 0
  if (start.length === 0 || (isWhole && start.toString('utf8').trim() === '')) return undefined
  const separator = choice.delimiter ?? said?.[1]
  const delimiters = separator === undefined ? [...usual, ...rare] : [separator]
  const escapes: WrittenEscape[] = [start, sample.middle, sample.end].some((piece) => piece.includes('\\"'))
    ? ['doubled', 'backslash']
    : ['doubled']
  const candidates = delimiters.flatMap((delimiter) =>
    escapes.map((escape) => {
      const rules = { delimiter, escape, loose: true }
      const first = recordsIn(start, rules, isWhole)
      const middle = recordsWithin(sample.middle, rules)
      const last = recordsWithin(sample.end, rules)
      const records = [...first, ...middle, ...last]
      const weight = usual.includes(delimiter) ? 1 : 0.5
      const { score, known } = scoreOf(records, delimiter)
      return { rules, first, middle, last, known, score: score * weight }
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
  const names = named?.names ?? (header === 'none' ? null : (first[place]?.cells ?? null))
  const isRepeated = names ? repeatedHeader(names) : () => false
  const body = first.slice(rows).filter(({ cells }) => !isRepeated(cells))
  const length = (isWhole ? start : sample.end).length
  const totals = totalsIn(ends, body, isWhole ? rows : null, length, names ?? [])
  return {
    delimiter: rules.delimiter,
    escape: rules.escape,
    from: skipped + (first[named ? rows : place]?.from ?? (named ? start.length : 0)),
    linesBefore: (said ? 1 : 0) + linesOf(first.slice(0, place)),
    hasHeader: header !== 'none',
    named,
    linesAfter: totals.lines,
    bytesAfter: totals.bytes,
    isPadded: arePadded(body),
    width,
    repeatsHeader: [...first.slice(rows), ...best.middle, ...best.last].some(({ cells }) =>
      isRepeated(cells),
    ),
    // The piece of the middle ends within a record.
    isEven: [first.slice(rows), best.middle.slice(0, -1), best.last].every((piece) => areEven(piece, width)),
    doubts: [
      ...(isClear && !areWrapped(body) ? [] : (['delimiter'] as const)),
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

/** Returns a test for the line of column names, also with a byte order mark. */
export function repeatedHeader(names: readonly string[]): (cells: readonly string[]) => boolean {
  const bare = (cells: readonly string[]) =>
    cells
      .map((cell) =>
        cell
          .replace(/^\ufeff/, '')
          .replace(/^"(.*)"$/s, '$1')
          .trim(),
      )
      .join('\n')
  const header = bare(names)
  return (cells) => cells.length === names.length && names.length > 1 && bare(cells) === header
}

/** Whether the rows have this number of cells. Records before the first of them may be parts of a cell in which the piece begins. */
function areEven(records: readonly SampleRecord[], width: number): boolean {
  const from = Math.max(
    0,
    records.findIndex(({ cells }) => cells.length === width),
  )
  return records.slice(from).every(({ cells }) => cells.length === width || isBlank(cells))
}

/** Whether a blank begins each cell but the first. */
function arePadded(body: readonly SampleRecord[]): boolean {
  const rows = body.filter(({ cells }) => cells.length > 1)
  return (
    rows.length > 1 &&
    rows.every(
      ({ cells }) =>
        !isEmpty(cells) &&
        cells.slice(1).every((cell) => /^(?: |$)/.test(cell)) &&
        cells.slice(1).some((cell) => cell !== ''),
    )
  )
}

/** Whether quotes of another kind enclose every cell, and would stay in the cells. */
const areWrapped = (body: readonly SampleRecord[]): boolean =>
  body.length > 0 &&
  body.every(({ cells }) => cells.length > 1 && cells.every((cell) => wrapped.test(cell.trim())))
const wrapped = /^'.*'$|^[‘’“”„«»].*[‘’“”«»]$|^`.*`$/su

/**
 * Share of the first six rows that gives a column its type. Two of them may be lines of names or units, so four of six are enough:
 * `0.6` requires four of six, three of five and two of three.
 */
const typedShare = 0.6

/** Whether another line of names or units is among the rows: words in columns whose first rows have times, numbers or addresses. */
function hasOtherHeader(body: readonly SampleRecord[]): boolean {
  const rows = body.map(({ cells }) => cells.map(lookOf))
  const first = rows.slice(0, 6)
  const typed = (first[1] ?? []).flatMap((_, nth) => {
    const looks = first.map((row) => row[nth] ?? 'nothing')
    const look = looks.find(
      (one) => looks.filter((other) => other === one).length >= first.length * typedShare,
    )
    return look === 'number' || (look && isNoName(look)) ? [nth] : []
  })
  const isOther = (looks: readonly CellLook[]) => {
    const words = typed.filter((nth) => looks[nth] === 'words').length
    // One of the typed columns may have no word: a line of units leaves the column of times empty.
    return (
      words >= Math.max(1, typed.length - 1) &&
      typed.every((nth) => /^(?:words|nothing)$/.test(looks[nth] ?? ''))
    )
  }
  return typed.length > 1 && rows.some(isOther)
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

/** Finds the header, or the first row if there is none, and the number of cells per row. */
function headerPlace(records: readonly SampleRecord[]): { readonly place: number; readonly width: number } {
  const usualWidth = mode(records.map(({ cells }) => cells.length).filter((width) => width > 1)) || 1
  // Separators at the end of each row make columns that the header may lack.
  // A table may have more records than a function can have arguments.
  const named = records
    .filter(({ cells }) => cells.length === usualWidth)
    .reduce((most, { cells }) => Math.max(most, cells.findLastIndex((cell) => cell !== '') + 1), 2)
  const needed = Math.min(usualWidth, named)
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

const isNoName = (look: CellLook) => look === 'moment' || look === 'address' || look === 'link'

/** First value if at least 90 % of the values equal it. */
function commonOf<T>(values: readonly T[]): T | undefined {
  const [value] = values
  return values.filter((item) => item === value).length >= values.length * 0.9 ? value : undefined
}

const shapeOf = (cell: string): string => cell.replaceAll(/\d/g, '9').replaceAll(/\p{L}/gu, 'a')

/** Headers that are never values. */
const usualName = /^(?:day|clicks|impressions|result|campaign id|verdict|status)$/i
