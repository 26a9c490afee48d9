import { isBlank, isEmpty, lookOf, mode } from './sample-records.ts'
import type { SampleRecord } from './sample-records.ts'
import { lookOfColumn, numberOf } from './values.ts'
import type { ColumnLook } from './values.ts'

/** Words for totals in the languages of spreadsheets and ad platforms. */
const totalWord = new RegExp(
  `^(?:${[
    '(?:grand |sub ?|report |filtered |column )?totals?(?: rows| of \\d+(?: (?:results?|rows?|records?|items?|entries|campaigns?|ads?))?| g[ée]n[ée]ral| geral| general)?|sum|overall',
    '(?:gesamt|zwischen)?summe|gesamt(?:ergebnis)?|insgesamt|ergebnis|totale(?: complessivo)?|(?:eind|sub)?totaal|totalt|i alt|sammanlagt',
    'suma(?: końcowa)?|razem|summa|celkem|celkový součet|spolu|összesen|végösszeg|yhteensä|toplam|genel toplam|ukupno|skupaj|kokku|iš viso|kopā',
    'sumă totală|jumlah|tổng(?: cộng)?|итого|всего|общий итог|разом|всього|общо|σύνολο|合計|総計|小計|总计|合计|總計|총계|합계|รวม|المجموع|סה"כ',
  ].join('|')})(?:\\s*:.*|\\s+[(–-].*)?$`,
  'i',
)

const rowCount = /^\(?\d+ rows?(?: affected| in set.*)?\)?$/i

/** Rows that show the types of the columns. A longer look at a large table takes time and changes nothing. */
const typeRows = 300

/** Fewest rows above a total with a name of its own. Fewer numbers have a sum by chance too often. */
const fewestRows = 4

/** Fewest numbers above a sum that are not zero. In a sparse column, a row often repeats the only number above. */
const fewestAddends = 5

/** Least sum that is no coincidence. Small counts equal the sum of others by chance. */
const largeSum = 1000

/** Fewest agreeing sums, one of them large, of a total that only its sums tell: a row may have a name and a round number. */
const fewestSums = 2

/**
 * What a line at the end is. `remark`, `word` and `sums` are no rows: notes, totals by their word, totals by their sums.
 * `unsure`: a row that may be a total.
 */
type Verdict = 'remark' | 'word' | 'sums' | 'unsure' | 'row'

/** What the rows tell of a table. */
type Table = {
  readonly names: readonly string[]
  readonly width: number
  readonly looks: readonly ColumnLook[]
  readonly anchor: Anchor | null
  /** Whether rows leave out their last cells, so that a line of one cell may be a row. */
  readonly hasShortRows: boolean
}

/**
 * Finds totals and remarks at the end. A line counts as a row unless it is certainly none.
 * @param before records before the rows; null if `ends` covers only the end of the table
 * @param length bytes of the piece that contains `ends`
 * @param names column names; empty if there are none
 */
export function totalsIn(
  ends: readonly SampleRecord[],
  body: readonly SampleRecord[],
  before: number | null,
  length: number,
  names: readonly string[],
): { readonly lines: number; readonly bytes: number; readonly isSure: boolean } {
  const table = tableOf(body, names)
  const legend = legendPlace(ends, table.width)
  const totals: string[] = []
  let [lines, held, end] = [0, 0, length]
  let isSure = true
  let hasSums = false
  // A piece of the end contains no header.
  for (const [nth, record] of [...ends.entries()].slice(before ?? 0).toReversed()) {
    held += record.lines
    if (isBlank(record.cells)) continue
    const above = () => (before === null ? [] : body.filter(({ from }) => from < record.from))
    const verdict = nth >= legend ? 'remark' : verdictOf(record.cells, ends[nth - 1]?.cells, table, above)
    // A table has one total by its sums. A second is a row that repeats the sum by chance.
    isSure = verdict !== 'unsure' && !(verdict === 'sums' && hasSums)
    if (!isSure || verdict === 'row') break
    hasSums ||= verdict === 'sums'
    if (verdict === 'word') totals.push(firstOf(record.cells))
    lines = held
    end = record.from
  }
  const rest = (before === null ? ends : body).filter(({ from }) => from < end)
  const amid = [...(before === null ? body : []), ...rest]
    .filter(({ cells }) => totalWord.test(firstOf(cells)) && !isRow(cells, table))
    .map(({ cells }) => firstOf(cells))
  // A name that repeats names rows: a source may be called Total.
  if (new Set([...totals, ...amid]).size < totals.length + new Set(amid).size)
    return { lines: 0, bytes: 0, isSure: false }
  return { lines, bytes: length - end, isSure: isSure && amid.length === 0 }
}

/** First cell that is not empty. */
const firstOf = (cells: readonly string[]): string => cells.find((cell) => cell.trim() !== '')?.trim() ?? ''

function tableOf(body: readonly SampleRecord[], names: readonly string[]): Table {
  const rows = body.map(({ cells }) => cells)
  const width = mode(rows.map(({ length }) => length))
  const typical = rows.slice(0, typeRows)
  const last = rows.findLastIndex((cells) => cells.length === width)
  return {
    ...{ names, width, anchor: anchorOf(rows) },
    looks: Array.from({ length: width }, (_, nth) => {
      const cells = typical.flatMap(({ [nth]: cell, length }) =>
        length === width && cell ? [cell.trim()] : [],
      )
      return lookOfColumn(cells, names[nth] ?? '', false)
    }),
    hasShortRows: rows.slice(0, last).some((cells) => cells.length < width && !isBlank(cells)),
  }
}

/** @param above returns the rows above; none if they are not all known */
function verdictOf(
  cells: readonly string[],
  previous: readonly string[] | undefined,
  table: Table,
  above: () => readonly SampleRecord[],
): Verdict {
  if (isRow(cells, table)) return 'row'
  return (
    byPlace(cells, previous, table) ??
    byWord(cells, table) ??
    byTime(cells, table, above) ??
    bySums(cells, table, above)
  )
}

/** Whether a line is certainly a row: it has an address, or a time in a column of times. A total has neither, whatever it is called. */
function isRow(cells: readonly string[], { looks, names }: Table): boolean {
  return cells.some((cell, nth) => {
    if (lookOf(cell) === 'address') return !duration.test(cell.trim())
    return looks[nth]?.kind === 'time' && lookOfColumn([cell.trim()], names[nth] ?? '', false).kind === 'time'
  })
}

/** Duration, which looks like an address of hexadecimal digits. */
const duration = /^\d+:\d{2}:\d{2}(?:\.\d+)?$/

/** Tells padding, and remarks that are alone on their line: a comment, a number of rows, or any text below an empty line. */
function byPlace(
  cells: readonly string[],
  previous: readonly string[] | undefined,
  { width, hasShortRows }: Table,
): Verdict | null {
  if (isEmpty(cells)) return 'remark'
  const first = firstOf(cells)
  const isAlone = cells[0]?.trim() === first && isEmpty(cells.slice(1))
  if (!isAlone || width < 2) return null
  const isApart = rowCount.test(first) || (previous !== undefined && isEmpty(previous))
  // A line as wide as the rows may be a row with a name and nothing else.
  if (cells.length > 1) return isApart ? 'unsure' : null
  if (!isApart && !first.startsWith('#')) return null
  return hasShortRows ? 'unsure' : 'remark'
}

/** Tells a total by its word. A row of words without a number may be a row with that word: a keyword, or a page. */
function byWord(cells: readonly string[], { width }: Table): Verdict | null {
  if (!totalWord.test(firstOf(cells))) return null
  const isLine = cells.length === 1 && width > 1
  return isLine || cells.some((cell) => lookOf(cell) === 'number') ? 'word' : 'unsure'
}

/** Tells a total by a word or nothing in the column of times, or in a column that names all other rows. Its sums have to agree. */
function byTime(
  cells: readonly string[],
  { anchor, looks }: Table,
  above: () => readonly SampleRecord[],
): Verdict | null {
  if (!anchor) return null
  const name = (cells[anchor.column] ?? '').trim()
  const isNothing = name === '' || (anchor.isTime && lookOf(name) === 'nothing')
  const isWord = anchor.isTime && !isNothing && /\p{L}/u.test(name) && !/\p{N}/u.test(name)
  const hasNumber = cells.some((cell) => lookOf(cell) === 'number')
  if (!isWord && !(isNothing && hasNumber)) return null
  return sumsOf(cells, above(), looks).some(isLarge) ? 'sums' : 'unsure'
}

/** Tells a total with a name by its sums: at least two columns have to agree. */
function bySums(cells: readonly string[], { looks }: Table, above: () => readonly SampleRecord[]): Verdict {
  if (/\d/.test(firstOf(cells))) return 'row'
  const rows = above()
  const sums = rows.length < fewestRows ? [] : sumsOf(cells, rows, looks)
  if (sums.length === 0) return 'row'
  return sums.length >= fewestSums && sums.some(isLarge) ? 'sums' : 'unsure'
}

/** Sum of a column, and the number of its numbers that are not zero. */
type Sum = { readonly sum: number; readonly addends: number }

const isLarge = ({ sum, addends }: Sum): boolean => Math.abs(sum) >= largeSum && addends >= fewestAddends

/** Tolerance for whole numbers: decimals above do not always add up to one exactly. */
const roundingError = 1e-6

/**
 * Returns the sums that a line shows of the rows above. Zero is the sum of any empty column, and a number of equal rows counts them:
 * neither is evidence.
 */
function sumsOf(
  cells: readonly string[],
  above: readonly SampleRecord[],
  looks: readonly ColumnLook[],
): readonly Sum[] {
  const rows = above.filter((row) => row.cells.length === cells.length)
  return looks.flatMap((look, nth) => {
    if (look.kind !== 'number') return []
    const own = numberOf((cells[nth] ?? '').trim(), look.form)
    if (!own || own.value === 0) return []
    const numbers = rows.map((row) => numberOf((row.cells[nth] ?? '').trim(), look.form)?.value ?? 0)
    const sum = numbers.reduce((total, value) => total + value, 0)
    // Half a unit of the last decimal as written: a total is rounded.
    const tolerance = own.decimals === 0 ? roundingError : 0.5 * 10 ** -own.decimals
    const isSum = Math.abs(sum - own.value) < tolerance && new Set(numbers).size > 1
    return isSum ? [{ sum, addends: numbers.filter((value) => value !== 0).length }] : []
  })
}

/** Start of a legend: after an empty line, narrower than the rows, most lines with a colon. Infinity if there is none. */
function legendPlace(ends: readonly SampleRecord[], width: number): number {
  const last = ends.findLastIndex(({ cells }) => !isBlank(cells))
  const from = ends.slice(0, last + 1).findLastIndex(({ cells }) => isBlank(cells)) + 1
  const facts = ends.slice(from, last + 1).map(({ cells }) => cells)
  const named = facts.filter(([first = '']) => first.trim().endsWith(':') && lookOf(first) !== 'address')
  const isLegend = from > 0 && facts.every(({ length }) => length < width) && named.length * 2 >= facts.length
  return isLegend ? from : Infinity
}

/** Column that names the rows. `isTime`: by their times. */
type Anchor = { readonly column: number; readonly isTime: boolean }

/** First column that holds times in all rows but the last three, else the first column if it is always filled. Null if there is neither. */
function anchorOf(rows: readonly (readonly string[])[]): Anchor | null {
  const width = mode(rows.map(({ length }) => length))
  const whole = rows.filter(({ length }) => length === width)
  const named = whole.slice(0, whole.findLastIndex(([first = '']) => first.trim() !== '') + 1)
  const enough = whole.slice(0, -3)
  if (enough.length > 1)
    for (let nth = 0; nth < width; nth += 1)
      if (enough.every((row) => lookOf(row[nth] ?? '') === 'moment')) return { column: nth, isTime: true }
  const isNamed = named.length > 2 && named.every(([first = '']) => first.trim() !== '')
  return isNamed ? { column: 0, isTime: false } : null
}
