import { isBlank, isEmpty, lookOf, mode } from './sample-records.ts'
import type { SampleRecord } from './sample-records.ts'

/** Words for totals in the languages of spreadsheets and ad platforms. */
const totalWord = new RegExp(
  `^(?:${[
    '(?:grand |sub ?|report |filtered |column )?totals?(?: rows| of \\d+.*| g[ée]n[ée]ral| geral| general)?|sum|overall',
    '(?:gesamt|zwischen)?summe|gesamt(?:ergebnis)?|insgesamt|ergebnis|totale(?: complessivo)?|(?:eind|sub)?totaal|totalt|i alt|sammanlagt',
    'suma(?: końcowa)?|razem|summa|celkem|celkový součet|spolu|összesen|végösszeg|yhteensä|toplam|genel toplam|ukupno|skupaj|kokku|iš viso|kopā',
    'sumă totală|jumlah|tổng(?: cộng)?|итого|всего|общий итог|разом|всього|общо|σύνολο|合計|総計|小計|总计|合计|總計|총계|합계|รวม|المجموع|סה"כ',
  ].join('|')})(?:\\s*[:(–-].*)?$`,
  'i',
)

const rowCount = /^\(?\d+ rows?(?: affected| in set.*)?\)?$/i

/**
 * Finds totals and remarks at the end.
 * @param before records before the rows; null if `ends` covers only the end of the table
 * @param length bytes of the piece that contains `ends`
 */
export function totalsIn(
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
  let count = 0
  let isSure = true
  // A piece of the end contains no header.
  const skipped = before ?? 0
  for (const [nth, { cells, from, lines: high }] of [...ends.slice(skipped).entries()].toReversed()) {
    held += high
    count += 1
    if (isBlank(cells)) continue
    const first = cells.find((cell) => cell.trim() !== '') ?? ''
    const standsAlone =
      first.startsWith('#') || rowCount.test(first.trim()) || isEmpty(ends[skipped + nth - 1]?.cells ?? [])
    const isOnly = cells[0] === first && cells.slice(1).every((cell) => cell === '')
    const isRemark =
      (standsAlone && isOnly && rows.some((row) => row.length > 1)) ||
      skipped + nth >= legend ||
      (cells.length > 1 && first === '')
    if (!isRemark) {
      const verdict = isTotal(cells, first, anchor, before === null ? null : rows)
      isSure = verdict !== 'unsure'
      if (verdict !== 'total') {
        count -= 1
        break
      }
    }
    lines = held
    bytes = length - from
  }
  const others = before === null ? rows : rows.slice(0, rows.length - count)
  const isAmid = others.some((cells) =>
    totalWord.test(cells.find((cell) => cell.trim() !== '')?.trim() ?? ''),
  )
  return { lines, bytes, isSure: isSure && !isAmid }
}

/**
 * Whether a line at the end is a total: by its word, by a word in the column of times, or by numbers that are the sums of those above.
 * @param rows null if they are not all known
 */
function isTotal(
  cells: readonly string[],
  first: string,
  anchor: Anchor | null,
  rows: readonly (readonly string[])[] | null,
): 'total' | 'unsure' | 'row' {
  if (totalWord.test(first.trim())) return 'total'
  const name = anchor ? (cells[anchor.column] ?? '').trim() : null
  if (
    name !== null &&
    anchor?.isTime &&
    /\p{L}/u.test(name) &&
    !/\p{N}/u.test(name) &&
    lookOf(name) !== 'nothing'
  )
    return /^(?:unknown|\(not set\)|n\.a\.)$/i.test(name) ? 'unsure' : 'total'
  const isUnnamed = name === '' || (anchor?.isTime && lookOf(name ?? '') === 'nothing')
  const hasNumber = cells.some((cell) => lookOf(cell) === 'number')
  const sums = rows ? sumsIn(cells, rows) : []
  if (isUnnamed && hasNumber) return sums.length > 0 ? 'total' : 'unsure'
  if (/\d/.test(first) || sums.length === 0 || (rows?.length ?? 0) < 5) return 'row'
  // A single small number may be the sum of others by chance.
  return sums.length > 1 || sums.some((sum) => sum >= 1000) ? 'total' : 'unsure'
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

/** Returns the numbers of a row that are the sums of the numbers above, with a decimal point or comma. */
function sumsIn(cells: readonly string[], rows: readonly (readonly string[])[]): readonly number[] {
  const numbers = cells.slice(1).join()
  const above = rows.filter((row) => row.length === cells.length && row.slice(1).join() !== numbers)
  return cells.flatMap((cell, nth) => {
    if (lookOf(cell) !== 'number') return []
    const sums = ([/[^\d.-]/g, /[^\d,-]/g] as const).flatMap((others) => {
      const numberIn = (text = '') => Number(text.replaceAll(others, '').replace(',', '.')) || 0
      const sum = above.reduce((total, row) => total + numberIn(row[nth]), 0)
      const isSum = sum !== 0 && Math.abs(sum - numberIn(cell)) < 0.005 * Math.max(1, above.length)
      return isSum ? [Math.abs(numberIn(cell))] : []
    })
    return sums.length > 0 ? [Math.max(...sums)] : []
  })
}
