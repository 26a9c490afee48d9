import * as v from 'valibot'
import type { Composed } from '#shared/reports/composed.ts'
import type { Cell, TableRow, Totals } from '#shared/api/answers.ts'

/** A column of counts in a file. */
export type StoredColumn = {
  /** As the service calls it. */
  readonly header: string
  /** As it is called in the file (history-layout.ts). */
  readonly name: string
  /** Whole numbers that a double holds exactly, or any. */
  readonly type: 'integer' | 'number'
  /** Whether texts stand in it too: they have a column of their own, of this name with `_text` behind it. */
  readonly texts: boolean
}

/** What is kept of a table beside its rows. An overview has neither headers nor an aggregate row. */
export type Head = {
  /** The label's first, then those of the columns; rates are not among them. */
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
  /** Of the rows in the file; none of an overview, or where totals alone are kept. */
  readonly columns: readonly StoredColumn[]
  /** Whether every row is named by a text, as in all tables but those of instances. */
  readonly plain: boolean
  /** How much of what it is composed of was asked; only of a composed table. */
  readonly composed?: Composed
}

/** The form of what is written here: heads of another form are not read. */
const form = 3

/** A head as text. */
export function writeHead({ all, total, ...head }: Head): string {
  const aggregate = all && { name: all.label.kind === 'all' ? all.label.name : null, cells: all.cells }
  // As pairs: no name of a total, such as "constructor", means anything to whoever reads it.
  return JSON.stringify({ form, ...head, all: aggregate, total: Object.entries(total) })
}

const number = v.pipe(v.number(), v.finite())
const cell = v.nullable(v.union([number, v.string()]))
const columnName = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]*$/))
const headSchema = v.object({
  form: v.literal(form),
  headers: v.array(v.string()),
  all: v.nullable(v.object({ name: v.nullable(v.string()), cells: v.array(cell) })),
  total: v.array(v.tuple([v.string(), cell])),
  columns: v.array(
    v.object({
      header: v.string(),
      name: columnName,
      type: v.picklist(['integer', 'number']),
      texts: v.boolean(),
    }),
  ),
  plain: v.boolean(),
  composed: v.exactOptional(v.object({ asked: number, of: number })),
})

/** Reads a head from the disk; undefined where it is none. */
export function readHead(text: string): Head | undefined {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    return undefined
  }
  const read = v.safeParse(headSchema, found)
  if (!read.success) return undefined
  const { headers, all, total, columns, plain, composed } = read.output
  if (all && all.cells.length !== headers.length - 1) return undefined
  const cells: readonly Cell[] = all?.cells ?? []
  return {
    headers,
    all: all && { label: { kind: 'all', name: all.name }, cells },
    total: Object.fromEntries(total),
    columns,
    plain,
    ...(composed && { composed }),
  }
}
