import type { RawType } from '#shared/api/raw-columns.ts'
import { rawStandardColumns, rawTypes } from '#shared/api/raw-columns.ts'

/** A header as the desk knows it. */
export type NamedColumn = { readonly name: string; readonly standard: string | null; readonly stored: string }

const known: ReadonlySet<string> = new Set(Object.values(rawStandardColumns).flat())

/** What a header means: `timestamp`, a standard column, an additional one by its number; null for anything else. */
function standardOf(header: string): string | null {
  const plain = header.trim().toLowerCase().replaceAll(' ', '_')
  if (plain === 'timestamp' || known.has(plain)) return plain
  const [, number] = /^additional_(\d{1,9})$/.exec(plain) ?? []
  return number ?? null
}

/**
 * Names columns: by header, each name once; and for the file by letters, digits and underscores alone, so that any engine can read it
 * and nothing that a header says ever stands in a statement. Each begins with `x_`: no word of SQL, no column of an engine's own
 * and none of ours does. What a time column adds behind its name stays free.
 */
export function nameColumns(headers: readonly string[]): NamedColumn[] {
  const names = new Set<string>()
  const stored = new Set<string>()
  return headers.map((header, place) => {
    const wanted = header.trim() === '' ? `Column ${place + 1}` : header
    const name = free(wanted, names, (number) => `${wanted} (${number})`)
    const plain = storedForm(wanted)
    const standard = name === wanted ? standardOf(header) : null
    return { name, standard, stored: free(plain, stored, (number) => `${plain}_n${number}`) }
  })
}

function free(wanted: string, taken: Set<string>, numbered: (number: number) => string): string {
  let name = wanted
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = numbered(number)
  taken.add(name.toLowerCase())
  return name
}

function storedForm(header: string): string {
  const plain = header
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 50)
  // A number behind a name, or what is added to a time's, must not make it another column's.
  const own = /_(n\d+|utc|offset|text)$/.test(plain) ? `${plain}_` : plain
  return `x_${own}`
}

/**
 * Which type of raw report has these columns; null where it is none, or where several could be.
 * @param results values of the column of results, as far as some were seen
 */
export function typeOf(columns: readonly NamedColumn[], results: ReadonlySet<string>): RawType | null {
  const standard = columns.flatMap((column) => column.standard ?? [])
  if (!standard.includes('timestamp')) return null
  const named = standard.filter((value) => value !== 'timestamp' && !/^\d+$/.test(value))
  const fitting = rawTypes.filter((type) => named.every((value) => rawStandardColumns[type].includes(value)))
  const [only] = fitting
  if (fitting.length === 1 && only) return only
  const judged = results.has('suspect') || results.has('non-suspect') ? 'direct' : 'response'
  return results.size > 0 && fitting.includes(judged) ? judged : null
}

/** Stands between cells that are packed into one; and before what stands for one of these two letters within a cell. */
const unit = '\x1f'
const mark = '\x1e'

/** The cells that were packed into one. */
export const unpacked = (rest: string): string[] =>
  rest.split(unit).map((cell) => cell.replaceAll(`${mark}1`, unit).replaceAll(`${mark}0`, mark))

const quotedCell = (cell: string) => `"${cell.replaceAll('"', '""')}"`

/**
 * A record with the cells behind the first `kept` in one: the engine takes a few hundred columns at a time, and memory for thousands.
 */
export function packed(record: Buffer, delimiter: Delimiter, stored: number): Buffer {
  const cells = cellsOf(record.toString('utf8'), delimiter)
  const rest = cells
    .slice(stored)
    .map((cell) => cell.replaceAll(mark, `${mark}0`).replaceAll(unit, `${mark}1`))
  return Buffer.from([...cells.slice(0, stored), rest.join(unit)].map(quotedCell).join(delimiter))
}

/** The longest record that is read as one, in bytes; what is longer is counted as unreadable. */
export const longestRecord = 4 << 20

/** What separates cells: one byte. */
export type Delimiter = ',' | ';' | '\t'

/** A record found in bytes (RFC 4180): where it ends, behind its line break; and how many cells it has. */
type Found =
  | { readonly kind: 'record'; readonly cells: number; readonly last: number; readonly next: number }
  /** Bytes end before the record does. */
  | { readonly kind: 'cut' }
  /** A quoted cell goes on behind its quote. */
  | { readonly kind: 'broken' }

const quote = 34
const feed = 10
const carriage = 13

/**
 * Finds the end of the record that begins at a place.
 * @param isLast whether nothing follows these bytes
 */
export function findRecord(bytes: Buffer, from: number, delimiter: number, isLast: boolean): Found {
  let cells = 1
  let index = from
  const length = bytes.length
  for (;;) {
    if (bytes[index] === quote) {
      index += 1
      for (;;) {
        index = bytes.indexOf(quote, index)
        if (index < 0) return { kind: 'cut' }
        if (bytes[index + 1] !== quote) break
        index += 2
      }
      index += 1
      if (index < length && bytes[index] !== delimiter && bytes[index] !== feed && bytes[index] !== carriage)
        return { kind: 'broken' }
    }
    while (index < length && bytes[index] !== delimiter && bytes[index] !== feed && bytes[index] !== carriage)
      index += 1
    if (index >= length)
      return isLast ? { kind: 'record', cells, last: length, next: length } : { kind: 'cut' }
    if (bytes[index] === delimiter) {
      cells += 1
      index += 1
      continue
    }
    // Whether a line feed belongs to the carriage return before it is seen with the next byte.
    if (bytes[index] === carriage && index + 1 >= length && !isLast) return { kind: 'cut' }
    const next = index + (bytes[index] === carriage && bytes[index + 1] === feed ? 2 : 1)
    return { kind: 'record', cells, last: index, next }
  }
}

/** Where the line goes on after the one that begins at a place; undefined where its end is not there yet. */
export function nextLine(bytes: Buffer, from: number, isLast: boolean): number | undefined {
  for (let index = from; index < bytes.length; index += 1) {
    if (bytes[index] === feed) return index + 1
    if (bytes[index] !== carriage) continue
    if (index + 1 >= bytes.length && !isLast) return undefined
    return index + (bytes[index + 1] === feed ? 2 : 1)
  }
  return isLast ? bytes.length : undefined
}

/** The cells of a record, without the quotes around them. */
export function cellsOf(record: string, delimiter: Delimiter): string[] {
  const cells: string[] = []
  for (let index = 0; index <= record.length;) {
    if (record[index] === '"') {
      const [quoted = ''] = /^"(?:[^"]|"")*"?/.exec(record.slice(index)) ?? []
      cells.push(
        quoted.slice(1, quoted.endsWith('"') && quoted.length > 1 ? -1 : undefined).replaceAll('""', '"'),
      )
      const end = record.indexOf(delimiter, index + quoted.length)
      index = end < 0 ? record.length + 1 : end + 1
    } else {
      const end = record.indexOf(delimiter, index)
      cells.push(record.slice(index, end < 0 ? undefined : end))
      index = end < 0 ? record.length + 1 : end + 1
    }
  }
  return cells
}
