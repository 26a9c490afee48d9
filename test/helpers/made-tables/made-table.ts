import type { ColumnKind } from '#shared/archives/rows-file.ts'
import { randomFrom } from '../random.ts'

/** A table and how it has to be read. */
export type MadeTable = {
  readonly family: string
  readonly name: string
  readonly bytes: Buffer
  readonly answer: Answer
}

/** What is right, by the table's maker. */
export type Answer = {
  readonly encoding: string
  readonly delimiter: string
  /** Null where there is none. */
  readonly header: readonly string[] | null
  readonly rows: readonly (readonly string[])[]
  /** Of some columns, by their places. */
  readonly kinds: ReadonlyMap<number, ColumnKind>
  /** Lines among the rows that are none. */
  readonly others: number
}

/** A row that is being made. */
export type Row = ReturnType<typeof rowFrom>

/** A column: its header, its cells, and its kind where that matters. */
export type MadeColumn = readonly [name: string, cell: (row: Row) => string, kind?: ColumnKind]

export type Make = {
  readonly columns: readonly MadeColumn[]
  readonly rows?: number
  readonly delimiter?: string
  readonly ending?: '\n' | '\r\n' | '\r'
  readonly encoding?: string
  /** `texts` quotes what is no number. */
  readonly quote?: 'needed' | 'all' | 'texts' | 'never' | 'backslash'
  /** Lines before the header and behind the rows, as they are. */
  readonly before?: readonly string[]
  readonly after?: readonly string[]
  /** Lines in the middle that are no rows. */
  readonly amid?: readonly string[]
  /** The header as it is written; null where there is none. */
  readonly head?: string | null
  /** A row as it is written. */
  readonly line?: (cells: readonly string[]) => string
  readonly unended?: boolean
}

const agents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (compatible; ExampleBot/2.1; +https://bot.example/about)',
]
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function rowFrom(random: () => number, n: number) {
  const int = (min: number, max: number) => min + Math.floor(random() * (max - min + 1))
  const pick = (...items: readonly string[]) => items[int(0, items.length - 1)] ?? ''
  const digits = (length: number) =>
    `${int(1, 9)}${Array.from({ length: length - 1 }, () => int(0, 9)).join('')}`
  const letters = (length: number, of: string) =>
    Array.from({ length }, () => of[int(0, of.length - 1)]).join('')
  const hex = (length: number) => letters(length, '0123456789abcdef')
  return {
    n,
    int,
    pick,
    digits,
    hex,
    /** A click's id. */
    token: (length: number) =>
      letters(length, 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789-_'),
    uuid: () => [8, 4, 4, 4, 12].map(hex).join('-'),
    chance: (share: number) => random() < share,
    fixed: (max: number, places: number) => (random() * max).toFixed(places),
    ip: () => `${pick('192.0.2', '198.51.100', '203.0.113')}.${int(1, 254)}`,
    ua: () => pick(...agents),
    country: () => pick('DE', 'US', 'FR', 'GB', 'PL', 'NL', 'BR'),
    campaign: () =>
      pick(
        'Brand | Search',
        'Harbour_Prospecting_DE',
        'Quill - Retargeting',
        'Autumn sale, 20% off',
        'Generic EN',
      ),
    at: new Date(Date.UTC(2026, 10, 1 + (n % 28), int(0, 23), int(0, 59), int(0, 59), int(0, 999))),
    /** The nth day of November. */
    day: new Date(Date.UTC(2026, 10, 1 + (n % 28))),
  }
}

const two = (value: number) => String(value).padStart(2, '0')

/** A moment by a pattern: `Y` `y` `M` `D` `h` `m` `s` `f`, `b` a month's name, `d` and `n` day and month of any length, `I` `p` an hour of twelve. */
export const dated = (at: Date, pattern: string): string => {
  const parts: Readonly<Record<string, string>> = {
    ...{ Y: String(at.getUTCFullYear()), y: String(at.getUTCFullYear() % 100) },
    ...{ M: two(at.getUTCMonth() + 1), n: String(at.getUTCMonth() + 1), b: months[at.getUTCMonth()] ?? '' },
    ...{ D: two(at.getUTCDate()), d: String(at.getUTCDate()) },
    ...{
      h: two(at.getUTCHours()),
      I: String(at.getUTCHours() % 12 || 12),
      p: at.getUTCHours() < 12 ? 'AM' : 'PM',
    },
    ...{ m: two(at.getUTCMinutes()), s: two(at.getUTCSeconds()) },
    f: String(at.getUTCMilliseconds()).padStart(3, '0'),
  }
  return pattern.replaceAll(/%(.)/g, (_, part: string) => parts[part] ?? part)
}

/** A whole number with separators. */
export const grouped = (value: number | string, separator: string): string =>
  String(value).replaceAll(/\B(?=(?:\d{3})+(?!\d))/g, separator)

export const moment = (pattern: string) => (row: Row) => dated(row.at, pattern)
export const day = (pattern: string) => (row: Row) => dated(row.day, pattern)
export const count =
  (max: number, separator = '') =>
  (row: Row) =>
    grouped(row.int(0, max), separator)
export const fixed =
  (max: number, places = 2) =>
  (row: Row) =>
    row.fixed(max, places)
export const oneOf =
  (...items: readonly string[]) =>
  (row: Row) =>
    row.pick(...items)

function quoted(cell: string, { quote = 'needed', delimiter = ',' }: Make): string {
  const isPlain = !/["\r\n]/.test(cell) && !cell.includes(delimiter)
  const isNumber = /^-?\d+(\.\d+)?$/.test(cell)
  const isBare = { all: false, texts: isNumber, needed: isPlain, never: true, backslash: isPlain }[quote]
  if (isBare) return cell
  return `"${cell.replaceAll('"', quote === 'backslash' ? '\\"' : '""')}"`
}

/** A table made by a description; the same at each call. */
export function made(family: string, name: string, make: Make): MadeTable {
  const { columns, delimiter = ',', ending = '\n', encoding = 'utf-8', head } = make
  const random = randomFrom([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7))
  const rows = Array.from({ length: make.rows ?? 30 }, (_, nth) => {
    const row = rowFrom(random, nth)
    return columns.map(([, cell]) => cell(row))
  })
  const line =
    make.line ?? ((cells: readonly string[]) => cells.map((cell) => quoted(cell, make)).join(delimiter))
  const names = columns.map(([header]) => header)
  const written = rows.map(line)
  const middle = Math.floor(written.length / 2)
  const amid = make.amid ?? []
  const lines = [
    ...(make.before ?? []),
    ...(head === null ? [] : [head ?? names.map((cell) => quoted(cell, make)).join(delimiter)]),
    ...[...written.slice(0, middle), ...amid, ...written.slice(middle)],
    ...(make.after ?? []),
  ]
  return {
    family,
    name,
    bytes: encoded(lines.join(ending) + (make.unended ? '' : ending), encoding),
    answer: {
      encoding: encoding.replace(' with a mark', ''),
      delimiter,
      header: head === null ? null : names,
      rows,
      kinds: new Map(columns.flatMap(([, , kind], place) => (kind ? [[place, kind] as const] : []))),
      others: amid.length,
    },
  }
}

/** The bytes of a text. */
export function encoded(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  if (encoding === 'utf-8 with a mark') return Buffer.from(`\uFEFF${text}`)
  if (encoding === 'utf-16le') return Buffer.from(`\uFEFF${text}`, 'utf16le')
  const bytes = bytesOf(encoding)
  return Buffer.concat(
    [...text].map((letter) => bytes.get(letter) ?? raise(`There is no ${letter} in ${encoding}`)),
  )
}

const tables = new Map<string, ReadonlyMap<string, Buffer>>()

/** What each letter of an encoding of one or two bytes is written as. */
function bytesOf(encoding: string): ReadonlyMap<string, Buffer> {
  const known = tables.get(encoding)
  if (known) return known
  const decoder = new TextDecoder(encoding)
  const all = Array.from({ length: 256 }, (_, byte) => byte)
  const pairs =
    encoding === 'shift_jis'
      ? all.slice(0x81).flatMap((lead) => all.slice(0x40).map((next) => [lead, next]))
      : []
  const bytes = new Map<string, Buffer>()
  for (const sequence of [...all.map((byte) => [byte]), ...pairs]) {
    const letter = decoder.decode(Uint8Array.from(sequence))
    if ([...letter].length === 1 && !bytes.has(letter)) bytes.set(letter, Buffer.from(sequence))
  }
  tables.set(encoding, bytes)
  return bytes
}

function raise(words: string): never {
  throw new Error(words)
}
