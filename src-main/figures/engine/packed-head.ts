import * as v from 'valibot'
import { doubts } from '../../../src-shared/reports/doubt.ts'
import type { Doubt } from '../../../src-shared/reports/doubt.ts'
import type { Cell, TableRow, Totals } from '../../../src-shared/service/answers.ts'

/** What is kept of a table beside its rows. An overview has neither headers nor an aggregate row. */
export type Head = {
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
  /** Why the rows do not add up, as the service gave them; null where they do. */
  readonly doubt: Doubt | null
}

/** The form of what is packed here: heads of another form are not read. */
const form = 2

export function packHead({ headers, all, total, doubt }: Head): string {
  const aggregate = all && { name: all.label.kind === 'all' ? all.label.name : null, cells: all.cells }
  // As pairs: no name of a total, such as "constructor", means anything to whoever reads it.
  return JSON.stringify({ form, headers, all: aggregate, total: Object.entries(total), doubt })
}

const number = v.pipe(v.number(), v.finite())
const cell = v.nullable(v.union([number, v.string()]))
const headSchema = v.object({
  form: v.literal(form),
  headers: v.array(v.string()),
  all: v.nullable(v.object({ name: v.nullable(v.string()), cells: v.array(cell) })),
  total: v.array(v.tuple([v.string(), v.nullable(number)])),
  // Heads that were kept by earlier versions have none: they were kept only where they added up.
  doubt: v.optional(v.nullable(v.picklist(doubts)), null),
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
  const { headers, all, total, doubt } = read.output
  if (all && all.cells.length !== headers.length - 1) return undefined
  const cells: readonly Cell[] = all?.cells ?? []
  return {
    headers,
    all: all && { label: { kind: 'all', name: all.name }, cells },
    total: Object.fromEntries(total),
    doubt,
  }
}
