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

/** Returns the parameters echoed in a response; empty if this kind has no echo. */
function echoOf(answer: Answers[AnswerKind]): Echo {
  if (!('query' in answer)) return {}
  const { query } = answer
  return 'echo' in query && typeof query.echo === 'object' && query.echo !== null ? { ...query.echo } : query
}

/** Removes leading zeros, which a service drops if it treats ids as numbers. */
const plainNumber = (id: string) => id.replace(/^0+(?=\d)/, '')

/** Returns the echoed instance if it differs from the requested one. Zero or non-numeric text means no instance. */
function otherInstance(given: unknown, echoed: unknown): string | undefined {
  if (typeof echoed !== 'string') return undefined
  const isNone = typeof given !== 'string' || given === ''
  const isOther = isNone ? /^0*[1-9]\d*$/.test(echoed) : plainNumber(echoed) !== plainNumber(given)
  return isOther ? echoed : undefined
}

const letters = (text: string) => text.normalize('NFC').trim()

/** Returns the echoed text if it differs from the requested one. Services echo texts encoded or decoded; both match. */
function otherText(given: unknown, echoed: unknown): string | undefined {
  if (typeof echoed !== 'string' || typeof given !== 'string' || given === '') return undefined
  return [given, decodeText(given)].some((value) => letters(value) === letters(echoed)) ? undefined : echoed
}

function otherDay(given: unknown, echoed: unknown): string | undefined {
  const day = dayFromWire(echoed)
  return day === undefined || given === undefined || day === given ? undefined : day
}

/** Parameters that determine the figures, each with a function that returns a differing echo. */
const echoChecks = {
  start: otherDay,
  end: otherDay,
  instance: otherInstance,
  source: otherText,
  campaign: otherText,
} as const

/**
 * Checks that a response matches the request (specification: query echo). Parameters without an echo are not checked.
 * @throws ServiceFailure of kind `malformed` if the echo differs: the figures belong to another request
 */
export function checkEcho(given: Given, answer: Answers[AnswerKind]): void {
  const echo = echoOf(answer)
  for (const [name, otherThan] of Object.entries(echoChecks)) {
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

/** Properties of a table that are known in advance. */
export type TableKind = {
  /** Whether a row's label is text or an encoded object with id and name (specification: sessions). */
  readonly label: 'text' | 'instance'
  /** Specified header of the label column; null if unknown. */
  readonly header: string | null
  /** Specified headers of count columns. */
  readonly counts: ReadonlySet<string>
}

/** State of decoding a table. */
type Reading = TableKind & {
  readonly headers: readonly string[]
  /** Headers of count columns with invalid cells. */
  readonly unknown: Set<string>
  readonly note: Note
}

/**
 * Decodes a cell that is not a plain number: null, a number as text, or a value under a header outside the specification. Text
 * that is not clearly a count (`--`, `< 10`) remains text, because it is not zero. Other invalid counts become null.
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

/** Returns why a row does not fit its headers; undefined if it does. */
function faultOf(row: readonly unknown[], headers: readonly string[]): string | undefined {
  if (row.length === 0) return 'is empty'
  return row.length > headers.length ? `has ${row.length} cells for ${headers.length} headers` : undefined
}

/** Decodes the cells after the label. Short rows are filled with null. */
function cellsOf(row: readonly unknown[], reading: Reading): Cell[] {
  const { headers } = reading
  // Copies the row and converts only odd cells: nearly all of thousands of cells are numbers.
  const cells = row.slice(1) as Cell[]
  for (let index = 0; index < headers.length - 1; index += 1) {
    const value = row[index + 1]
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      cells[index] = oddCell(value, headers[index + 1] ?? '', reading)
    }
  }
  return cells
}

/** Returns the object in a cell, encoded or plain, with decoded texts. */
function objectOf(cell: unknown): Unknown | undefined {
  if (typeof cell === 'string') return decodeObjectText(cell)
  return isObject(cell) ? decodeMembers(cell) : undefined
}

/**
 * Decodes an instance label from an encoded or plain object. Text with only an id remains text. An instance without a valid
 * name is named by its id.
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

/** Decodes a row's label; undefined if the row has none. */
function labelOf(cell: unknown, { label }: TableKind): Label | undefined {
  const instance = label === 'instance' ? instanceLabel(cell) : undefined
  const found = instance ? undefined : textOf(cell)
  return instance ?? (found === undefined ? undefined : { kind: 'text', text: found })
}

/**
 * Decodes up to 1,000 rows in one pass; escaped labels are decoded together afterwards. Rows that do not fit the headers or
 * have no label are omitted.
 * @returns the rows, and the fault of the first omitted row
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

/**
 * Decodes the label of the aggregate row. Its first cell is `false`, or for sessions an encoded object that names all
 * instances.
 */
function aggregateLabel(cell: unknown): Label {
  const name = objectOf(cell)?.['name']
  if (typeof name === 'string') return { kind: 'all', name }
  return { kind: 'all', name: typeof cell === 'string' ? decodeText(cell) : null }
}

/** Shortens a name for a failure message. */
const shortened = (name: string): string => (name.length <= 60 ? name : `${name.slice(0, 60)}…`)

type Columns = {
  /** The header of the label column comes first. */
  readonly headers: readonly string[]
  /** Moves the label to the front of a row. */
  readonly inOrder: (row: readonly unknown[]) => readonly unknown[]
}

/**
 * Decodes the headers, which must be unambiguous. The label column is found by its specified header; otherwise it is the first
 * column.
 */
function columnsOf(named: readonly string[], kind: TableKind): Columns {
  if (named.length === 0) throw malformed('table.headers is empty')
  const own = kind.header === null ? -1 : named.indexOf(kind.header)
  const first = named[0] ?? ''
  if (own < 0 && kind.counts.has(first))
    throw malformed(`its table has no column ${kind.header}, which names its rows`)
  // The position identifies the first column, so its name may be empty.
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

/** Decodes the aggregate row; null if it is missing or unreadable. */
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

/** A decoded table, its unknown members, and the number of unreadable parts. `fault` describes the first unreadable row. */
type DecodedTable = {
  readonly table: Table
  readonly others: Unknown
  readonly unreadable?: Unreadable
  readonly fault: string | undefined
}

/** Decodes `table` (specification: table), each column by its header. */
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
