import type { TableRow } from '#shared/api/answers.ts'

export const ROWS = 100_000

export const headers = ['Host', 'Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad Blocker']

/** The row for all, which each table shows above the others. */
export const all: TableRow = {
  label: { kind: 'all', name: null },
  cells: headers.slice(1).map(() => 90_000_000),
}

export const labelAt = (index: number): string => `publisher-${String(index).padStart(6, '0')}.example.com`

/** Rows that look like referrers, the same in each run; the count under the first header falls from row to row. */
export function madeRows(): TableRow[] {
  let seed = 7
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }
  return Array.from({ length: ROWS }, (_, index) => {
    const requests = Math.round(9_000_000 / (index / 10 + 1)) + ROWS - index
    const parts = headers.slice(2).map(() => Math.floor(random() * requests))
    return { label: { kind: 'text', text: labelAt(index) }, cells: [requests, ...parts] }
  })
}
