import type { ReadBlock } from '../../../../src-main/figures/engine/merge.ts'
import { packHead, readHead } from '../../../../src-main/figures/engine/packed-head.ts'
import { packRows, unpackRows } from '../../../../src-main/figures/engine/packed-rows.ts'
import { plainTable } from '../../../../src-shared/reports/query.ts'
import type { TableQuery } from '../../../../src-shared/reports/query.ts'
import type { Cell, Label, Totals } from '../../../../src-shared/service/answers.ts'
import { day } from '../../../../src-shared/values/day.ts'
import type { InstanceId } from '../../../../src-shared/values/ids.ts'

/** The file that the reckoner's thread runs. */
export const reckonFile = new URL('../../../../src-main/figures/engine/worker.ts', import.meta.url)

export const directHeaders = ['Browser', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile']
export const scriptHeaders = [
  'Browser',
  'Requests',
  'Responses',
  'Good',
  'Warning',
  'Bad',
  'Mobile',
  'Ad Blocker',
]

export type Row = readonly [label: string | Label, ...cells: Cell[]]

export const instance = (id: string, name: string): Label => ({
  kind: 'instance',
  id: id as InstanceId,
  name,
})

type Laid = {
  readonly headers?: readonly string[]
  readonly all?: readonly Cell[] | null
  readonly total?: Totals
  readonly rows?: readonly Row[]
  /** How many rows a page has. */
  readonly perPage?: number
}

/** A kept table of one day, or of a few, as it is read back from the disk. */
export function block(
  days: string,
  { headers = directHeaders, all, total = {}, rows = [], perPage = 3 }: Laid,
): ReadBlock {
  const [start = '', end = start] = days.split(' ')
  const cells = all === null ? null : (all ?? headers.slice(1).map(() => 0))
  const head = packHead({
    headers,
    all: cells && { label: { kind: 'all', name: null }, cells },
    total,
    doubt: null,
  })
  const laid = rows.map(([label, ...each]) => ({
    label: typeof label === 'string' ? ({ kind: 'text', text: label } as const) : label,
    cells: each,
  }))
  const pages = []
  for (let at = 0; at < laid.length; at += perPage)
    pages.push(packRows(laid.slice(at, at + perPage), headers.length - 1))
  return {
    range: { start: day(start), end: day(end) },
    head: readHead(head) as ReadBlock['head'],
    pages: pages.map((page) => unpackRows(page) as NonNullable<ReturnType<typeof unpackRows>>),
  }
}

/** A query of the direct browsers unless told otherwise. */
export function asked(changes: Partial<TableQuery> = {}): TableQuery {
  return {
    ...plainTable,
    family: 'direct',
    dimension: 'browsers',
    range: { start: day('2026-11-01'), end: day('2026-11-07') },
    ...changes,
  }
}
