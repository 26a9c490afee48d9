import type { Cell, Label, Table, TableRow, Unknown } from '../../../src-shared/service/answers.ts'
import { instanceId } from '../../../src-shared/values/ids.ts'
import { malformed } from '../service-failure.ts'
import { decodeObjectText, decodeText, decodeTexts } from '../text.ts'
import { decodeMembers, list, members, numberOf, text } from './members.ts'

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

/** An instance from its cell: an encoded object as text, or the object itself; undefined where it is neither. */
function instanceLabel(cell: unknown): Label | undefined {
  const found = typeof cell === 'string' ? decodeObjectText(cell) : cell
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined
  const { id, name } = found as Readonly<Record<string, unknown>>
  const known = instanceId(id)
  if (known === undefined || (typeof name !== 'string' && typeof name !== 'number')) return undefined
  return { kind: 'instance', id: known, name: String(name) }
}

function labelOf(cell: unknown, kind: TableKind): Label {
  const instance = kind.label === 'instance' ? instanceLabel(cell) : undefined
  return instance ?? { kind: 'text', text: text(cell, 'the label of a row') }
}

const isText = (cell: unknown): cell is string => typeof cell === 'string'

/** The labels of all rows, from their first cells. */
function labelsOf(cells: readonly unknown[], kind: TableKind): readonly Label[] {
  if (kind.label === 'text' && cells.every(isText)) {
    return decodeTexts(cells).map((text) => ({ kind: 'text', text }))
  }
  return cells.map((cell) => labelOf(cell, kind))
}

/** The aggregate row: its first cell is `false`, or for sessions an encoded object that names all instances. */
function aggregateLabel(cell: unknown): Label {
  if (typeof cell !== 'string') return { kind: 'all', name: null }
  const name = decodeObjectText(cell)?.['name']
  return { kind: 'all', name: typeof name === 'string' ? name : decodeText(cell) }
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
  const rows = list(found['rows'], 'table.rows').map((row) => list(row, 'a row of the table'))
  const labels = labelsOf(
    rows.map((row) => row[0]),
    kind,
  )
  const all = found['all']
  const aggregate = Array.isArray(all) && all.length > 0 ? (all as readonly unknown[]) : null
  return {
    table: {
      headers,
      all: aggregate && { label: aggregateLabel(aggregate[0]), cells: cellsOf(aggregate, headers, kind) },
      rows: rows.map((row, index): TableRow => {
        const cells = cellsOf(row, headers, kind)
        return { label: labels[index] ?? { kind: 'text', text: '' }, cells }
      }),
    },
    others: decodeMembers(found, new Set(['headers', 'all', 'rows'])),
  }
}
