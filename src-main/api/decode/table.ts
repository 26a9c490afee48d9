import type { Answers, Echo, Cell, Label, Table, TableRow, Unknown, Unreadable } from '#shared/api/answers.ts'
import type { AnswerKind } from '#shared/api/endpoints.ts'
import { dayFromWire } from '#shared/values/day.ts'
import { instanceId } from '#shared/values/ids.ts'
import { ServiceFailure, malformed } from '../network-failure.ts'
import {
  decodeText,
  decodeObjectText,
  decodeTexts,
  isEscaped,
  countOf,
  decodeMembers,
  isObject,
  list,
  listInOrder,
  members,
  numberOf,
  text,
  textOf,
} from './json.ts'
import type { Note } from './json.ts'

type Given = Readonly<Record<string, unknown>>

/** What an answer echoes of what it was asked; nothing where its kind has no echo. */
function echoOf(answer: Answers[AnswerKind]): Echo {
  if (!('query' in answer)) return {}
  const { query } = answer
  return 'echo' in query && typeof query.echo === 'object' && query.echo !== null ? { ...query.echo } : query
}

/** An id without the zeros before it, which a service may drop that takes it for a number. */
const plainNumber = (id: string) => id.replace(/^0+(?=\d)/, '')

/** The instance that is echoed, where that is another one; an entry for all, or zero, says that none was given. */
function otherInstance(given: unknown, echoed: unknown): string | undefined {
  if (typeof echoed !== 'string') return undefined
  const isNone = typeof given !== 'string' || given === ''
  const isOther = isNone ? /^0*[1-9]\d*$/.test(echoed) : plainNumber(echoed) !== plainNumber(given)
  return isOther ? echoed : undefined
}

const letters = (text: string) => text.normalize('NFC').trim()

/** The text that is echoed, where that is another one. Services echo it encoded or not, so that either will do. */
function otherText(given: unknown, echoed: unknown): string | undefined {
  if (typeof echoed !== 'string' || typeof given !== 'string' || given === '') return undefined
  return [given, decodeText(given)].some((value) => letters(value) === letters(echoed)) ? undefined : echoed
}

function otherDay(given: unknown, echoed: unknown): string | undefined {
  const day = dayFromWire(echoed)
  return day === undefined || given === undefined || day === given ? undefined : day
}

/** Parameters that decide what figures are about, and what an echo says of them that was not asked. */
const compared = {
  start: otherDay,
  end: otherDay,
  instance: otherInstance,
  source: otherText,
  campaign: otherText,
} as const

/**
 * Checks that an answer is about what was asked (specification: query echo). What is not echoed is not checked.
 * @throws ServiceFailure of kind `malformed` where it says that it is about something else: its figures are other figures
 */
export function checkEcho(given: Given, answer: Answers[AnswerKind]): void {
  const echo = echoOf(answer)
  for (const [name, otherThan] of Object.entries(compared)) {
    const other = otherThan(given[name], echo[name])
    if (other === undefined) continue
    const requested = given[name] === undefined ? `no ${name}` : `${name} ${shortened(String(given[name]))}`
    throw new ServiceFailure({
      kind: 'malformed',
      message:
        `The service answered for ${name} ${shortened(other)} instead of ${requested}. ` +
        'Nothing was saved. Try again. If it happens again, contact whoever runs the service.',
    })
  }
}

/** What is known of a table before it is read. */
export type TableKind = {
  /** Whether a row is named by text or by an encoded object with id and name (specification: sessions). */
  readonly label: 'text' | 'instance'
  /** The header that the specification gives to the column of labels; null where it is not known. */
  readonly header: string | null
  /** The headers that the specification lists after it: under them stand counts and nothing else. */
  readonly counts: ReadonlySet<string>
}

/** Reads a table's rows, and remembers what of them cannot be read. */
type Reading = TableKind & {
  readonly headers: readonly string[]
  /** Headers under which stand cells that are no counts. */
  readonly unknown: Set<string>
  readonly note: Note
}

/**
 * A cell that is no plain number: null, a number in text, or what a service adds under headers of its own. Text that is no count
 * for certain (`--`, `< 10`) stays as it came: it is not zero. Whatever else stands in place of a count is not known.
 */
function oddCell(value: unknown, header: string, reading: Reading): Cell {
  if (value === null || value === undefined) return null
  const isCount = reading.counts.has(header)
  const number = isCount ? countOf(value) : numberOf(value)
  if (number !== undefined) return number
  if (typeof value === 'string') return decodeText(value)
  if (!isCount && typeof value !== 'number') return JSON.stringify(decodeMembers({ value })['value'])
  reading.note('odd-member')
  reading.unknown.add(header)
  return null
}

/** What keeps a row from being read under its headers; undefined where nothing does. */
function faultOf(row: readonly unknown[], headers: readonly string[]): string | undefined {
  if (row.length === 0) return 'is empty'
  return row.length > headers.length ? `has ${row.length} cells for ${headers.length} headers` : undefined
}

/** The cells after the label: as many as there are headers. A row that ends early is filled with "not known". */
function cellsOf(row: readonly unknown[], reading: Reading): Cell[] {
  const { headers } = reading
  // Copied whole and mended where needed: nearly every cell is a number, and there are thousands.
  const cells = row.slice(1) as Cell[]
  for (let index = 0; index < headers.length - 1; index += 1) {
    const value = row[index + 1]
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      cells[index] = oddCell(value, headers[index + 1] ?? '', reading)
    }
  }
  return cells
}

/** The object that a cell holds, its texts decoded: as encoded text, or as it is. */
function objectOf(cell: unknown): Unknown | undefined {
  if (typeof cell === 'string') return decodeObjectText(cell)
  return isObject(cell) ? decodeMembers(cell) : undefined
}

/**
 * An instance from its cell, an encoded object as text or the object itself. Text with an id alone stays text; an instance with
 * an odd name is called by its id.
 */
function instanceLabel(cell: unknown): Label | undefined {
  const found = objectOf(cell)
  if (!found) return undefined
  const { id, name } = found
  const known = instanceId(id)
  if (known === undefined || (name === undefined && typeof cell === 'string')) return undefined
  return { kind: 'instance', id: known, name: textIn(name) ?? known }
}

const textIn = (name: unknown) =>
  typeof name === 'string' || typeof name === 'number' ? String(name) : undefined

/** What names a row; undefined where nothing does. */
function labelOf(cell: unknown, { label }: TableKind): Label | undefined {
  const instance = label === 'instance' ? instanceLabel(cell) : undefined
  const found = instance ? undefined : textOf(cell)
  return instance ?? (found === undefined ? undefined : { kind: 'text', text: found })
}

/**
 * The rows, in one pass: there are up to 1,000 of them, and labels that are escaped are decoded together after it. Rows whose
 * cells stand under no certain header, or that nothing names, are left out.
 * @returns the others, and what is wrong with the first that was left out
 */
function rowsOf(rows: readonly unknown[], inOrder: Columns['inOrder'], reading: Reading) {
  const escaped: { readonly kind: 'text'; text: string }[] = []
  const read: TableRow[] = []
  let firstFault: string | undefined
  const leaveOut = (index: number, fault: string) => {
    firstFault ??= `row ${index + 1} of the table ${fault}`
    reading.note('odd-entry')
  }
  for (let index = 0; index < rows.length; index += 1) {
    const value = rows[index]
    const listed = Array.isArray(value) ? (value as readonly unknown[]) : listInOrder(value, reading.note)
    const row = listed && inOrder(listed)
    const fault = row ? faultOf(row, reading.headers) : 'is not a list'
    if (!row || fault !== undefined) {
      leaveOut(index, fault ?? '')
      continue
    }
    const first = row[0]
    if (reading.label === 'instance' || typeof first !== 'string') {
      const label = labelOf(first, reading)
      if (label) read.push({ label, cells: cellsOf(row, reading) })
      else leaveOut(index, 'has no name')
      continue
    }
    const label = { kind: 'text' as const, text: first }
    if (isEscaped(first)) escaped.push(label)
    read.push({ label, cells: cellsOf(row, reading) })
  }
  const decoded = decodeTexts(escaped.map(({ text }) => text))
  for (const [index, label] of escaped.entries()) label.text = decoded[index] ?? label.text
  return { rows: read, fault: firstFault }
}

/** The aggregate row: its first cell is `false`, or for sessions an encoded object that names all instances. */
function aggregateLabel(cell: unknown): Label {
  const name = objectOf(cell)?.['name']
  if (typeof name === 'string') return { kind: 'all', name }
  return { kind: 'all', name: typeof cell === 'string' ? decodeText(cell) : null }
}

/** A name as it stands in a failure: whatever a service sends, the words stay readable. */
const shortened = (name: string): string => (name.length <= 60 ? name : `${name.slice(0, 60)}…`)

type Columns = {
  /** That of the labels first. */
  readonly headers: readonly string[]
  /** A row whose label stands elsewhere, with its label first. */
  readonly inOrder: (row: readonly unknown[]) => readonly unknown[]
}

/**
 * Reads headers so that every cell is under one that means one thing. The label's column is found by its own header, or is
 * the first, whatever that is called.
 */
function columnsOf(named: readonly string[], kind: TableKind): Columns {
  if (named.length === 0) throw malformed('table.headers is empty')
  const own = kind.header === null ? -1 : named.indexOf(kind.header)
  const first = named[0] ?? ''
  if (own < 0 && kind.counts.has(first))
    throw malformed(`its table has no column ${kind.header}, which names its rows`)
  // Which column is the first is certain, so that it needs no name.
  const known = first === '' && own < 0 && kind.header !== null ? [kind.header, ...named.slice(1)] : named
  const nameless = known.indexOf('')
  if (nameless >= 0) throw malformed(`column ${nameless + 1} of its table has no name`)
  const twice = known.find((header, place) => known.indexOf(header) !== place)
  if (twice !== undefined) throw malformed(`its table has several columns called ${shortened(twice)}`)
  if (own <= 0) return { headers: known, inOrder: (row) => row }
  return {
    headers: [known[own] ?? '', ...known.filter((_, place) => place !== own)],
    inOrder: (row) => (row.length === 0 ? row : [row[own], ...row.slice(0, own), ...row.slice(own + 1)]),
  }
}

/** The row of all; null where there is none, or none that can be read. */
function aggregateOf(value: unknown, inOrder: Columns['inOrder'], reading: Reading): TableRow | null {
  if (value === undefined || value === null || value === false) return null
  const listed = listInOrder(value, reading.note)
  const row = listed && inOrder(listed)
  if (row?.length === 0) return null
  if (row && faultOf(row, reading.headers) === undefined)
    return { label: aggregateLabel(row[0]), cells: cellsOf(row, reading) }
  reading.note('odd-member')
  return null
}

/** A table, the members that nobody knows, and what could not be read; `fault` says what is wrong with the first row of it. */
type DecodedTable = {
  readonly table: Table
  readonly others: Unknown
  readonly unreadable?: Unreadable
  readonly fault: string | undefined
}

/** Reads `table` (specification: table), every column by its header. */
export function decodeTable(value: unknown, kind: TableKind, note: Note): DecodedTable {
  const found = members(value, 'table', note)
  const titles = listInOrder(found['headers'], note)
  if (!titles) throw malformed('table.headers is not a list')
  const named = titles.map((header) => text(header, 'a header of the table'))
  const { headers, inOrder } = columnsOf(named, kind)
  const reading: Reading = { ...kind, headers, unknown: new Set(), note }
  const items = list(found['rows'], 'table.rows', note)
  const { rows, fault } = rowsOf(items, inOrder, reading)
  const all = aggregateOf(found['all'], inOrder, reading)
  const leftOut = items.length - rows.length
  return {
    table: { headers, all, rows },
    fault,
    others: decodeMembers(found, new Set(['headers', 'all', 'rows'])),
    ...((leftOut > 0 || reading.unknown.size > 0) && {
      unreadable: { rows: leftOut, headers: [...reading.unknown] },
    }),
  }
}
