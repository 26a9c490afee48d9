import type { Cell, Label, Table, TableRow, Unknown } from '../../../src-shared/service/answers.ts'
import { instanceId } from '../../../src-shared/values/ids.ts'
import { malformed } from '../service-failure.ts'
import { decodeObjectText, decodeText, decodeTexts, isEscaped } from '../text.ts'
import { decodeMembers, list, members, numberOf, text } from './members.ts'
import type { Members } from './members.ts'

/** What is known of a table before it is read. */
export type TableKind = {
  /** Whether a row is named by text or by an encoded object with id and name (specification: sessions). */
  readonly label: 'text' | 'instance'
  /** The headers that the specification lists: under them stand counts and nothing else. */
  readonly headers: ReadonlySet<string>
}

/** A cell that is no plain number: null, a number in text, or what a service adds under headers of its own. */
function oddCell(value: unknown, header: string, kind: TableKind): Cell {
  if (value === null || value === undefined) return null
  const number = numberOf(value)
  if (number !== undefined) return number
  if (typeof value === 'string') return decodeText(value)
  if (kind.headers.has(header) || typeof value === 'number')
    throw malformed(`a cell under ${header} is no count`)
  return JSON.stringify(decodeMembers({ value })['value'])
}

/** The cells after the label: as many as there are headers. A row that ends early is filled with "not known". */
function cellsOf(row: readonly unknown[], headers: readonly string[], kind: TableKind): Cell[] {
  if (row.length === 0) throw malformed('a row of the table is empty')
  if (row.length > headers.length) throw malformed('a row of the table is longer than its headers')
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
  const read = rows.map((each): TableRow => {
    const row = list(each, 'a row of the table')
    const cells = cellsOf(row, headers, kind)
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

/** Reads `table` (specification: table), every column by its header. */
export function decodeTable(
  value: unknown,
  kind: TableKind,
): { readonly table: Table; readonly others: Unknown } {
  const found = members(value, 'table')
  const headers = list(found['headers'], 'table.headers').map((header) =>
    text(header, 'a header of the table'),
  )
  if (headers.length === 0) throw malformed('table.headers is empty')
  const all = found['all']
  const aggregate = Array.isArray(all) && all.length > 0 ? (all as readonly unknown[]) : null
  return {
    table: {
      headers,
      all: aggregate && { label: aggregateLabel(aggregate[0]), cells: cellsOf(aggregate, headers, kind) },
      rows: rowsOf(list(found['rows'], 'table.rows'), headers, kind),
    },
    others: decodeMembers(found, new Set(['headers', 'all', 'rows'])),
  }
}
