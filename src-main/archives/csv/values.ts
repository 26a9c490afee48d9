import type { SheetCell } from '#main/exports/workbook.ts'
import type { StoredColumn } from '#main/analytics/rows-layout.ts'
import { isEpoch, isNumberForm, isTimeForm } from '#shared/archives/rows-file.ts'
import type {
  ColumnForm,
  ImportChoice,
  ImportDoubt,
  NumberForm,
  TimeForm,
} from '#shared/archives/rows-file.ts'
import { nameColumns } from './columns.ts'
import type { NamedColumn } from './columns.ts'
import { lookOf, placeholder } from './sample-records.ts'
import { plainMoment, plainMomentSql } from './moment-text.ts'

/** Type of a column, detected from its cells. `month-first` may also be day-first: `orderOf` decides. */
export type ColumnLook =
  | { readonly kind: 'time'; readonly form: TimeForm }
  | { readonly kind: 'number'; readonly form: NumberForm }
  | { readonly kind: 'text' }

/** Converts a look to its form. `lookOfForm` is the inverse. */
export const formOf = (look: ColumnLook): ColumnForm => (look.kind === 'text' ? 'text' : look.form)
export function lookOfForm(form: ColumnForm): ColumnLook {
  if (isTimeForm(form)) return { kind: 'time', form }
  return isNumberForm(form) ? { kind: 'number', form } : { kind: 'text' }
}

const clock = String.raw`(?:(?:,? +|T|:)\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AP]\.?M\.?)?(?: ?(?:Z|UTC|GMT|[-+]\d{2}:?(?:\d{2})?))?)?`
const monthName = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)'

const datePatterns = {
  'year-first': new RegExp(String.raw`^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}${clock}$`, 'i'),
  ordered: new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(?:\d{4}|\d{2})${clock}$`, 'i'),
  named: new RegExp(
    String.raw`^(?:\d{1,2}[- /]${monthName}[- ,/]+\d{4}|${monthName} \d{1,2},? \d{4})${clock}$`,
    'i',
  ),
} as const

/** Time since 1970, from 2001 to 2096, and the fraction of a millisecond. */
const epoch = {
  'epoch-s': /^[1-3]\d{9}(?:\.\d+)?$/,
  'epoch-ms': /^[1-3]\d{12}(?:\.\d+)?$/,
  'epoch-us': /^[1-3]\d{15}$/,
  'epoch-ns': /^[1-3]\d{18}$/,
} as const
const millisecondsIn = { 'epoch-s': 1000, 'epoch-ms': 1, 'epoch-us': 1e-3, 'epoch-ns': 1e-6 } as const

/** Headers of columns that may hold Unix times. Any number of ten digits looks like a Unix time. */
const timeHeader =
  /(?:^|[^a-z])(?:time|timestamp|date|datetime|day|ts|epoch|created|clicked|when|at|hour|zeit|datum|heure|fecha)(?:[^a-z]|$)/i
/** Headers of ids, numbers and names, such as `clicked_ad_id` and `created_by`. */
const otherHeader = /(?:^|[^a-z])(?:ids?|no|nr|number|by|key|code)[^a-z]*$/i

// Plain strings, as the placeholders: the engine reads these patterns too.
const grouped = (separator: string) => `[1-9]\\d{0,2}(?:${separator}\\d{3})+`
/** Groups of two digits before the last three, as in India. */
const lakhs = '[1-9]\\d?(?:,\\d{2})+,\\d{3}'
const blank = "[ '\u2019\u00a0\u2007\u2009\u202f]"
const digits = {
  point: `(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d{1,3})?|(?:${grouped(',')}|${lakhs}|${grouped(blank)})(?:\\.\\d+)?`,
  comma: `\\d+(?:,\\d+)?|,\\d+|(?:${grouped('\\.')}|${grouped(blank)})(?:,\\d+)?`,
} as const
const sign = '[-+\u2012\u2013\u2212]'
const currency = '(?:[A-Z]{0,3}\\p{Sc}|[A-Z]{3}|Euro?|zł|Kč|kr\\.?|Ft|lei|Rs\\.?|TL|руб\\.?|円|元|원)'
const space = '[ \\t\\r\\n\u00a0\u2007\u2009\u202f]'
const unit = `${space}?(?:%|${currency})?`
/** Patterns of a number between currency, sign and percent sign. Accountants write negative numbers in brackets. */
const numberPattern = (decimal: keyof typeof digits) =>
  `^${space}*(${sign}?${currency}?${space}?|${currency}${space}?${sign}|[(]${currency}?${space}?)(${digits[decimal]})(${unit}[)]?)${space}*$`
const numberPatterns = { point: numberPattern('point'), comma: numberPattern('comma') } as const
const numbers = {
  point: new RegExp(numberPatterns.point, 'u'),
  comma: new RegExp(numberPatterns.comma, 'u'),
} as const
const decimalOf = (form: NumberForm): keyof typeof digits => (form === 'decimal-comma' ? 'comma' : 'point')

type NumberParts = readonly [before: string, digits: string, after: string]

/** Splits a number into its digits, as written, and the text around them. Undefined for other text. `numberSql` accepts the same numbers. */
function numberParts(cell: string, decimal: keyof typeof digits): NumberParts | undefined {
  const [, before = '', bare = '', after = ''] = numbers[decimal].exec(cell) ?? []
  return bare !== '' && before.includes('(') === after.includes(')') ? [before, bare, after] : undefined
}

const isNegative = (before: string): boolean => /[-\u2012\u2013\u2212(]/.test(before)
const plainDigits = (bare: string, decimal: keyof typeof digits): string =>
  decimal === 'comma' ? bare.replaceAll(/[^\d,]/g, '').replace(',', '.') : bare.replaceAll(/[^\d.e+-]/gi, '')

/** Parses a number. `decimals`: decimal places as written. Undefined for other text. */
export function numberOf(
  cell: string,
  form: NumberForm,
): { readonly value: number; readonly decimals: number } | undefined {
  const decimal = decimalOf(form)
  const [before, bare] = numberParts(cell, decimal) ?? []
  if (before === undefined || bare === undefined) return undefined
  const plain = plainDigits(bare, decimal).toLowerCase()
  const [digits = '', exponent = '0'] = plain.split('e')
  const decimals = Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent))
  return { value: Number(plain) * (isNegative(before) ? -1 : 1), decimals }
}

/** Maximum share of cells that do not fit the type of their column. */
export const oddOnes = 0.05

/**
 * Detects the type of a column from a sample.
 * @param cells without empty cells
 * @param header decides whether numbers may be Unix times
 * @param isTimestamp whether the column is the service's timestamp: half of its cells must be times
 */
export function lookOfColumn(cells: readonly string[], header: string, isTimestamp: boolean): ColumnLook {
  const values = cells.filter((cell) => !placeholder.test(cell.trim()))
  if (values.length === 0) return { kind: 'text' }
  const needed = values.length * (isTimestamp ? 0.5 : 1 - oddOnes)
  const count = (test: (cell: string) => boolean) => values.filter((cell) => test(cell.trim())).length
  const words = header.replaceAll(/([a-z])([A-Z])/g, '$1 $2')
  const isSaid = isTimestamp || (timeHeader.test(words) && !otherHeader.test(words))
  const moments = values.map((cell) => plainMoment(cell, isSaid))
  const form =
    dateFormOf(moments, needed) ??
    (isSaid ? epochForms.find((one) => count((cell) => epoch[one].test(cell)) >= needed) : undefined)
  if (form) return { kind: 'time', form }
  const found = { point: 0, comma: 0 }
  for (const value of values)
    for (const decimal of ['point', 'comma'] as const) {
      const bare = numberParts(value, decimal)?.[1]
      if (bare === undefined) continue
      // A number with a leading zero is an id.
      if (/^0\d/.test(bare)) return { kind: 'text' }
      found[decimal] += 1
    }
  const { point, comma } = found
  if (Math.max(point, comma) < values.length * (1 - oddOnes)) return { kind: 'text' }
  return { kind: 'number', form: comma > point ? 'decimal-comma' : 'decimal-point' }
}

const epochForms = ['epoch-s', 'epoch-ms', 'epoch-us', 'epoch-ns'] as const

function dateFormOf(moments: readonly string[], needed: number): TimeForm | undefined {
  const isMost = (pattern: RegExp) => moments.filter((cell) => pattern.test(cell)).length >= needed
  if (isMost(datePatterns['year-first'])) return 'year-first'
  if (isMost(datePatterns.named)) return 'named-month'
  return isMost(datePatterns.ordered) ? 'month-first' : undefined
}

/** The user's settings for a column. */
export type ColumnChoice = NonNullable<ImportChoice['columns']>[number]

/** Names a table's columns and applies the user's roles. A chosen role is removed from other columns. */
export function columnsOf({
  headers,
  choice,
}: {
  readonly headers: readonly string[]
  readonly choice: ImportChoice | null
}): readonly NamedColumn[] {
  const chosen = new Map(choice?.columns?.map(({ name, role }) => [name, role]))
  const taken = new Set(chosen.values())
  return nameColumns(headers).map((column) => {
    const role = chosen.get(column.name)
    if (role !== undefined) return { ...column, standard: role }
    return taken.has(column.standard) ? { ...column, standard: null } : column
  })
}

/** A column with cells of a sample, without empty cells. */
type SampledColumn = { readonly column: NamedColumn; readonly cells: readonly string[] }

/**
 * Detects types and roles of a table's columns from their cells and the user's choices.
 * @returns `isOrdered`: whether the order of day and month is known. `guess`: the decimal sign, if it had to be guessed
 */
export function detectColumns(
  columns: readonly SampledColumn[],
  choiceOf: (name: string) => ColumnChoice | undefined,
) {
  // Cells cannot assign a role that another column has by its header.
  const taken: ReadonlySet<string | null> = new Set(columns.map(({ column }) => column.standard))
  const looks = columns.map(({ column, cells }) => {
    const chosen = choiceOf(column.name)
    const look = chosen?.form
      ? lookOfForm(chosen.form)
      : lookOfColumn(cells, column.name, column.standard === 'timestamp')
    const byCells = roleByCells(cells)
    const standard = chosen?.role === null ? null : (column.standard ?? (taken.has(byCells) ? null : byCells))
    const isOrdered = chosen?.form !== undefined || formOf(look) !== 'month-first'
    const signs = look.kind === 'number' ? decimalSignsOf(cells) : undefined
    return { column, cells, look, standard, isOrdered, signs: chosen?.form ? undefined : signs }
  })
  const count = (form: NumberForm) =>
    looks.filter(({ look, signs }) => signs === 'some' && formOf(look) === form).length
  const [points, commas] = [count('decimal-point'), count('decimal-comma')]
  const form = commas > points ? ('decimal-comma' as const) : ('decimal-point' as const)
  const guess: FormGuess = { form, isSure: points + commas > 0 && Math.min(points, commas) === 0 }
  return looks.map(({ signs, ...found }) => ({ ...found, guess: signs === 'unclear' ? guess : null }))
}

/**
 * Whether some cells are numbers with only one decimal sign. `unclear`: all that contain a sign are another number with each, as
 * `1.234` and `1,234`. Undefined if no cell depends on the sign.
 */
function decimalSignsOf(cells: readonly string[]): 'some' | 'unclear' | undefined {
  let isUnclear = false
  for (const cell of cells) {
    if (!/[.,]/.test(cell)) continue
    const [point, comma] = [numberOf(cell, 'decimal-point'), numberOf(cell, 'decimal-comma')]
    if ((point === undefined) !== (comma === undefined)) return 'some'
    if (point?.value !== comma?.value) isUnclear = true
  }
  return isUnclear ? 'unclear' : undefined
}

/** Role of a column by its cells: addresses, or results in the service's words. Null for others. */
function roleByCells(cells: readonly string[]): string | null {
  const filled = cells.filter((cell) => cell.trim() !== '')
  if (filled.length === 0) return null
  const count = (test: (cell: string) => boolean) => filled.filter(test).length
  if (count((cell) => lookOf(cell) === 'address') >= filled.length * (1 - oddOnes)) return 'remote_address'
  return filled.every((cell) => results.has(cell)) ? 'result' : null
}

const results: ReadonlySet<string> = new Set(['good', 'warning', 'bad', 'suspect', 'non-suspect'])

/** Number of unambiguous dates: `days` have a number above twelve first, `months` have it second. */
export type DateOrder = { readonly days: number; readonly months: number }

const orderedParts = (cell: string) => datePatterns.ordered.exec(plainMoment(cell, true))

/** Counts the unambiguous dates of a sample. */
export function dateOrderOf(cells: readonly string[]): DateOrder {
  const above = (place: 1 | 3) => cells.filter((cell) => Number(orderedParts(cell)?.[place] ?? 0) > 12).length
  return { days: above(1), months: above(3) }
}

/** SQL expressions that count the unambiguous dates of a column. */
export const dateOrderSql = (cell: string): readonly [days: string, months: string] => {
  const above = (place: number) =>
    `count(*) FILTER (TRY_CAST(regexp_extract(${plainMomentSql(cell)}, '^(\\d{1,2})[-/.](\\d{1,2})[-/.]', ${place}) AS INTEGER) > 12)`
  return [above(1), above(2)]
}

/** A form that cells may not decide, and whether they do. */
type FormGuess<F = Extract<ImportDoubt, ColumnForm>> = { readonly form: F; readonly isSure: boolean }

/** Whether dates are month-first: by numbers above twelve, else by the place with fewer distinct numbers. Dates with points are day-first. */
export function orderOf(
  sample: readonly string[],
  { days, months }: DateOrder,
): FormGuess<'month-first' | 'day-first'> {
  if (days !== months) {
    const form = days > months ? 'day-first' : 'month-first'
    return { form, isSure: Math.min(days, months) === 0 }
  }
  const pointed = sample.filter((value) => orderedParts(value)?.[2] === '.')
  if (pointed.length * 2 > sample.length) return { form: 'day-first', isSure: true }
  const distinct = (place: 1 | 3) => new Set(sample.map((value) => orderedParts(value)?.[place])).size
  return { form: distinct(3) >= distinct(1) ? 'month-first' : 'day-first', isSure: false }
}

/** Properties of a column that may raise doubts. `guess`: its form, if cells may not decide it. */
export type ColumnDoubts = {
  readonly standard: string | null
  readonly kind: ColumnLook['kind']
  readonly isEmpty: boolean
  readonly guess: FormGuess | null
}

/** Returns the doubts about a table's columns. */
export function doubtsOf(columns: readonly ColumnDoubts[]): readonly ImportDoubt[] {
  const isDue = columns.some(({ standard, isEmpty }) => standard === 'timestamp' && !isEmpty)
  const unsure = columns.flatMap(({ guess }) => (guess?.isSure === false ? [guess.form] : []))
  return [
    ...new Set(unsure),
    ...(isDue && columns.every(({ kind }) => kind !== 'time') ? (['times'] as const) : []),
  ]
}

/** SQL of a cell as a number with nine decimals; NULL if it is not a number (`numberParts`) or too large. */
export function numberSql(cell: string, form: NumberForm): string {
  const decimal = decimalOf(form)
  const bare = `regexp_extract(${cell}, '${numberPatterns[decimal].replaceAll("'", "''")}', 2)`
  const plain =
    decimal === 'comma'
      ? `replace(regexp_replace(${bare}, '[^0-9,]', '', 'g'), ',', '.')`
      : `regexp_replace(${bare}, '[^0-9.eE+-]', '', 'g')`
  const number = `TRY_CAST(${plain} AS DECIMAL(38, 9))`
  const read = `CASE WHEN contains(${cell}, '(') = contains(${cell}, ')')
    THEN CASE WHEN regexp_matches(${cell}, '^[^0-9]*[-\u2012\u2013\u2212(]') THEN -${number} ELSE ${number} END END`
  if (decimal === 'comma') return read
  // Most numbers are plain: their cast takes a tenth of the time. The engine would also read `1_000`, and `+ ` as zero.
  const isPlain = `right(${cell}, 1) BETWEEN '0' AND '9' AND NOT contains(${cell}, '_')`
  return `coalesce(CASE WHEN ${isPlain} THEN TRY_CAST(${cell} AS DECIMAL(38, 9)) END, ${read})`
}

/** Maximum number of digits in a spreadsheet number. */
const maxDigits = 15

/**
 * Converts a cell for a workbook: typed numbers and times, formatted as they were written. A cell that would lose information stays text:
 * too many digits, leading zeros, exponents, another form.
 */
export function sheetCell(
  text: string | null,
  { kind, form }: Pick<StoredColumn, 'kind' | 'form'>,
): SheetCell {
  if (text === null || kind === 'text') return text
  return (
    (kind === 'number'
      ? sheetNumber(text, form === 'decimal-comma' ? form : 'decimal-point')
      : sheetMoment(text, isTimeForm(form) ? form : 'year-first')) ?? text
  )
}

function sheetNumber(text: string, form: NumberForm): SheetCell | undefined {
  const decimal = decimalOf(form)
  const [before, bare, after] = numberParts(text.trim(), decimal) ?? []
  if (before === undefined || bare === undefined || after === undefined) return undefined
  if (/^0\d|e|\.$/i.test(bare)) return undefined
  const [whole = '', decimals = ''] = plainDigits(bare, decimal).split('.')
  const significant = `${whole}${decimals}`.replace(/^0+/, '')
  if (Math.max(significant.length, decimals.length) > maxDigits) return undefined
  const size = Number(`${whole}.${decimals}${after.includes('%') ? 'e-2' : ''}`)
  const shown = `${bare.startsWith(whole) ? '0' : '#,##0'}${decimals && `.${'0'.repeat(decimals.length)}`}`
  const format = `${literal(before)}${shown}${literal(after)}`
  return {
    value: isNegative(before) && size !== 0 ? -size : size,
    format: before.includes('(') ? `${format};(${format})` : format,
  }
}

/** Text beside a number, in its number format: quoted and without signs. A percent sign stays a percent sign. */
const literal = (text: string): string =>
  text.replace(/[-+\u2012\u2013−()]/g, '').replace(/[^%]+/g, (words) => `"${words}"`)

const clockOf =
  /^(?:,? +|T)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?: ?([AP])\.?M\.?)?(?: ?(?:(Z|UTC|GMT)|([-+])(\d{2}):?(\d{2})?))?$/i
const yearFirst = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/
const ordered = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)/
const dayNamed = /^(\d{1,2})[- /]([a-z]{3})[- ,/]+(\d{4})/i
const monthNamed = /^([a-z]{3}) (\d{1,2}),? (\d{4})/i
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const monthOf = (name: string): number => months.indexOf(name.toLowerCase()) + 1

type CalendarDate = readonly [date: string, year: number, month: number, day: number]

function partsOf(cell: string, form: TimeForm): CalendarDate | undefined {
  const first = yearFirst.exec(cell)
  if (first) return [first[0], Number(first[1]), Number(first[2]), Number(first[3])]
  const [all, one = '', two = '', year = ''] =
    (form === 'named-month' ? (dayNamed.exec(cell) ?? monthNamed.exec(cell)) : ordered.exec(cell)) ?? []
  if (all === undefined) return undefined
  const full = Number(year.length === 2 ? `20${year}` : year)
  if (form === 'named-month')
    return /^\d/.test(one) ? [all, full, monthOf(two), Number(one)] : [all, full, monthOf(one), Number(two)]
  return form === 'day-first' ? [all, full, Number(two), Number(one)] : [all, full, Number(one), Number(two)]
}

/** In UTC if the cell names a zone, which the format then shows; else in wall time. */
function sheetMoment(text: string, form: TimeForm): SheetCell | undefined {
  if (isEpoch(form)) {
    if (!epoch[form].test(text.trim())) return undefined
    const value = new Date(Number(text) * millisecondsIn[form])
    return { value, format: momentFormat(value.getUTCMilliseconds() > 0 ? 'fraction' : 'seconds', true) }
  }
  const cell = plainMoment(text, true)
  const [date, year, month, day] = partsOf(cell, form) ?? []
  if (date === undefined || year === undefined || month === undefined) return undefined
  const midnight = Date.UTC(year, month - 1, day)
  const isDay = new Date(midnight).getUTCMonth() === month - 1 && year > 1900
  if (!isDay) return undefined
  if (date === cell) return { value: new Date(midnight), format: 'yyyy-mm-dd' }
  const clock = clockOf.exec(cell.slice(date.length))
  if (!clock) return undefined
  const [, hours, minutes, seconds, fraction, half, utc, sign, offsetHours, offsetMinutes = '0'] = clock
  const hour = hourOf(Number(hours), half)
  if (hour === undefined || Number(minutes) > 59 || Number(seconds ?? 0) > 59) return undefined
  const east = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1)
  const shown = hour * 3_600_000 + (Number(minutes) - east) * 60_000 + Number(seconds ?? 0) * 1000
  const value = new Date(midnight + shown + Math.round(Number(`0.${fraction ?? 0}`) * 1000))
  const precision = fraction !== undefined ? 'fraction' : seconds !== undefined ? 'seconds' : 'minutes'
  return { value, format: momentFormat(precision, utc !== undefined || sign !== undefined) }
}

/** Hour of the day, 0 to 23; undefined if invalid. */
function hourOf(hours: number, half: string | undefined): number | undefined {
  if (half === undefined) return hours < 24 ? hours : undefined
  return hours >= 1 && hours <= 12 ? (hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : undefined
}

const clockFormats = { minutes: 'hh:mm', seconds: 'hh:mm:ss', fraction: 'hh:mm:ss.000' } as const
const momentFormat = (precision: keyof typeof clockFormats, isInUtc: boolean): string =>
  `yyyy-mm-dd ${clockFormats[precision]}${isInUtc ? ' "UTC"' : ''}`
