import { fetchSnapshot } from '#main/reports/sync/whole-table.ts'
import type { Page, Snapshot } from '#main/reports/sync/whole-table.ts'
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
): Page {
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
  readonly add = (_: number, rows: readonly TableRow[]) => Promise.resolve(void this.pages.push(rows))
  readonly discard = () => Promise.resolve(void (this.isDiscarded = true))
}

export function fetching(answer: (page: number) => Page | Error) {
  const asked: number[] = []
  const told: PagesDone[] = []
  const asking = fetchSnapshot({
    draft: () => Promise.resolve(new HeldRows()),
    inTurn: (work) => work(),
    isOld: () => false,
    ask: async (page) => {
      asked.push(page)
      const given = answer(page)
      if (given instanceof Error) throw given
      return given
    },
    counts,
    signal: new AbortController().signal,
    onProgress: (pages) => told.push(pages),
  })
  const snapshot = asking.then((found) => ({ ...found, rows: found.rows.pages }))
  return { snapshot, asked, told }
}

/** Answers each request with the next of these pages. */
export function inTurn(...pages: readonly (Page | Error)[]) {
  const left = [...pages]
  return fetching(() => left.shift() ?? new Error('Asked too often'))
}

/** A service that has these pages, and answers alike each time; what it has not it refuses. */
export const having = (...pages: readonly (Page | Error)[]) =>
  fetching((page) => pages[page - 1] ?? refused('bad-request'))

/** The labels of a table, page by page. */
export const labelsOf = ({ rows }: Snapshot<HeldRows['pages']>) =>
  rows.map((page) => page.map(({ label }) => (label.kind === 'text' ? label.text : label)))
