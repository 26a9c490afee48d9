import { expect } from 'vitest'
import { fetchSnapshot } from '#main/reports/sync/whole-table.ts'
import type { TablePage, WholeTable } from '#main/reports/sync/whole-table.ts'
import type { PagesDone } from '#main/reports/coverage/plan.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import type { FailureKind } from '#shared/api/failure.ts'
import type { Instant } from '#shared/values/ids.ts'

export const counts = ['Requests', 'Ad Blocker']
export const plainHeaders = ['Browser', 'Requests', 'Ad Blocker']

export type Row = readonly [label: string, ...cells: Cell[]]

export function pageOf(
  rows: readonly Row[],
  all: readonly Cell[] | null,
  results: number,
  pages: number,
  headers = plainHeaders,
): TablePage {
  return {
    fetchedAt: 1 as Instant,
    answer: {
      total: { good: 1 },
      table: {
        headers,
        all: all && { label: { kind: 'all', name: null }, cells: all },
        rows: rows.map(([text, ...cells]) => ({ label: { kind: 'text', text }, cells })),
      },
      chart: null,
      query: { results, pages, echo: {} },
      unknown: {},
    },
  }
}

export const firstRows: readonly Row[] = [
  ['a', 4, 3],
  ['b', 3, null],
]
export const first = (all: readonly Cell[] = [10, 3], pages = 2) => pageOf(firstRows, all, 3, pages)
export const second = (all: readonly Cell[] = [10, 3], pages = 2) => pageOf([['c', 3, null]], all, 3, pages)

export const refused = (kind: FailureKind) => new ServiceFailure({ kind, message: `It is ${kind}.` })

/** Holds the pages of a table. */
export class HeldRows {
  readonly pages: (readonly TableRow[])[] = []
  isDiscarded = false
  /** How many rows stay where only the last of each label does; null where all do. */
  last: number | null = null
  readonly add = (_: number, rows: readonly TableRow[]) => Promise.resolve(void this.pages.push(rows))
  readonly dropRepeats = (rows: number) => void (this.last = rows)
  readonly discard = () => Promise.resolve(void (this.isDiscarded = true))

  /** The rows that stay, page by page. */
  get staying(): readonly (readonly TableRow[])[] {
    if (this.last === null) return this.pages
    const last = new Map(this.pages.flat().map((row) => [JSON.stringify(row.label), row]))
    expect(last.size).toBe(this.last)
    return this.pages.map((page) => page.filter((row) => last.get(JSON.stringify(row.label)) === row))
  }
}

export function fetching(answer: (page: number, byLabel: boolean) => TablePage | Error, isSettled = true) {
  const asked: number[] = []
  /** Whether each was asked for by label. */
  const orders: boolean[] = []
  const told: PagesDone[] = []
  const asking = fetchSnapshot({
    draft: () => Promise.resolve(new HeldRows()),
    inTurn: (work) => work(),
    isOld: () => false,
    isSettled: () => isSettled,
    ask: async (page, _, byLabel) => {
      asked.push(page)
      orders.push(byLabel)
      const given = answer(page, byLabel)
      if (given instanceof Error) throw given
      return given
    },
    counts,
    signal: new AbortController().signal,
    onProgress: (pages) => told.push(pages),
  })
  const snapshot = asking.then((found) => ({ ...found, rows: found.rows.staying }))
  return { snapshot, asked, orders, told }
}

/** Answers each request with the next of these pages. */
export function inTurn(...pages: readonly (TablePage | Error)[]) {
  const left = [...pages]
  return fetching(() => left.shift() ?? new Error('Asked too often'))
}

/** A service that has these pages, and answers alike each time; what it has not it refuses. */
export const having = (...pages: readonly (TablePage | Error)[]) =>
  fetching((page) => pages[page - 1] ?? refused('bad-request'))

/** The labels of a table, page by page. */
export const labelsOf = ({ rows }: WholeTable<HeldRows['staying']>) =>
  rows.map((page) => page.map(({ label }) => (label.kind === 'text' ? label.text : label)))
