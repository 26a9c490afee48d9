import type { Answers, Echo, Cell, Label, Table, TableRow, Unknown } from '#shared/api/answers.ts'
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
  list,
  members,
  numberOf,
  text,
} from './json.ts'
import type { Members } from './json.ts'

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

/**
 * A cell that is no plain number: null, a number in text, or what a service adds under headers of its own. Text that is no count
 * for certain (`--`, `< 10`) stays as it came: it is not zero.
 */
function oddCell(value: unknown, header: string, kind: TableKind): Cell {
  if (value === null || value === undefined) return null
  const number = kind.counts.has(header) ? countOf(value) : numberOf(value)
  if (number !== undefined) return number
  if (typeof value === 'string') return decodeText(value)
  if (kind.counts.has(header) || typeof value === 'number')
    throw malformed(`a cell under ${shortened(header)} is not a count`)
  return JSON.stringify(decodeMembers({ value })['value'])
}

/**
 * The cells after the label: as many as there are headers. A row that ends early is filled with "not known".
 * @param name which row it is, for the failure where it cannot be read
 */
function cellsOf(
  row: readonly unknown[],
  headers: readonly string[],
  kind: TableKind,
  name: () => string,
): Cell[] {
  if (row.length === 0) throw malformed(`${name()} is empty`)
  if (row.length > headers.length)
    throw malformed(`${name()} has ${row.length} cells for ${headers.length} headers`)
  // Copied whole and mended where needed: nearly every cell is a number, and there are thousands.
  const cells = row.slice(1) as Cell[]
  for (let index = 0; index < headers.length - 1; index += 1) {
    const value = row[index + 1]
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      cells[index] = oddCell(value, headers[index + 1] ?? '', kind)
    }
  }
  return cells
}

/** The object that a cell holds, its texts decoded: as encoded text, or as it is. */
function objectOf(cell: unknown): Unknown | undefined {
  if (typeof cell === 'string') return decodeObjectText(cell)
  return typeof cell === 'object' && cell !== null && !Array.isArray(cell)
    ? decodeMembers(cell as Members)
    : undefined
}

/** An instance from its cell: an encoded object as text, or the object itself; undefined where it is neither. */
function instanceLabel(cell: unknown): Label | undefined {
  const found = objectOf(cell)
  if (!found) return undefined
  const { id, name } = found
  const known = instanceId(id)
  if (known === undefined || (typeof name !== 'string' && typeof name !== 'number')) return undefined
  return { kind: 'instance', id: known, name: String(name) }
}

function labelOf(cell: unknown, kind: TableKind): Label {
  const instance = kind.label === 'instance' ? instanceLabel(cell) : undefined
  return instance ?? { kind: 'text', text: text(cell, 'the label of a row') }
}

/** The rows, in one pass: there are up to 1,000 of them, and labels that are escaped are decoded together after it. */
function rowsOf(rows: readonly unknown[], headers: readonly string[], kind: TableKind): TableRow[] {
  const escaped: { readonly kind: 'text'; text: string }[] = []
  const read = rows.map((value, index): TableRow => {
    const row = list(value, `row ${index + 1} of the table`)
    const cells = cellsOf(row, headers, kind, () => `row ${index + 1} of the table`)
    const first = row[0]
    if (kind.label === 'instance' || typeof first !== 'string') return { label: labelOf(first, kind), cells }
    const label = { kind: 'text' as const, text: first }
    if (isEscaped(first)) escaped.push(label)
    return { label, cells }
  })
  const decoded = decodeTexts(escaped.map(({ text }) => text))
  for (const [index, label] of escaped.entries()) label.text = decoded[index] ?? label.text
  return read
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
  readonly inOrder: <R>(row: R) => R | readonly unknown[]
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
  const labelFirst = (row: readonly unknown[]) => [row[own], ...row.slice(0, own), ...row.slice(own + 1)]
  return {
    headers: [known[own] ?? '', ...known.filter((_, place) => place !== own)],
    inOrder: (row) => (Array.isArray(row) ? labelFirst(row as readonly unknown[]) : row),
  }
}

/** Reads `table` (specification: table), every column by its header. */
export function decodeTable(
  value: unknown,
  kind: TableKind,
): { readonly table: Table; readonly others: Unknown } {
  const found = members(value, 'table')
  const named = list(found['headers'], 'table.headers').map((header) => text(header, 'a header of the table'))
  const { headers, inOrder } = columnsOf(named, kind)
  const all = found['all']
  const aggregate = Array.isArray(all) && all.length > 0 ? inOrder(all as readonly unknown[]) : null
  return {
    table: {
      headers,
      all: aggregate && {
        label: aggregateLabel(aggregate[0]),
        cells: cellsOf(aggregate, headers, kind, () => 'the row of all'),
      },
      rows: rowsOf(list(found['rows'], 'table.rows').map(inOrder), headers, kind),
    },
    others: decodeMembers(found, new Set(['headers', 'all', 'rows'])),
  }
}
