import { describe, expect, it } from 'vitest'
import { fetchGeneration } from '../../../../src-main/figures/sync/snapshot.ts'
import type { Page, PagesDone } from '../../../../src-main/figures/sync/snapshot.ts'
import { plainTable } from '../../../../src-shared/reports/query.ts'
import type { TableQuery } from '../../../../src-shared/reports/query.ts'
import type { Cell } from '../../../../src-shared/service/answers.ts'
import { day } from '../../../../src-shared/values/day.ts'
import type { Instant } from '../../../../src-shared/values/ids.ts'
import { firstId } from '../../store/helpers.ts'
import { desk } from '../helpers.ts'

const counts = ['Requests', 'Ad Blocker']

type Row = readonly [label: string, requests: Cell, adBlocker: Cell]

function pageOf(rows: readonly Row[], all: readonly Cell[], results: number, pages: number): Page {
  return {
    fetchedAt: 1 as Instant,
    answer: {
      total: { good: 1 },
      table: {
        headers: ['Browser', 'Requests', 'Ad Blocker'],
        all: { label: { kind: 'all', name: null }, cells: all },
        rows: rows.map(([text, ...cells]) => ({ label: { kind: 'text', text }, cells })),
      },
      chart: null,
      query: { results, pages, echo: {} },
      unknown: {},
    },
  }
}

const first = (all: readonly Cell[] = [10, 3]) =>
  pageOf(
    [
      ['a', 4, 3],
      ['b', 3, null],
    ],
    all,
    3,
    2,
  )
const second = (all: readonly Cell[] = [10, 3]) => pageOf([['c', 3, null]], all, 3, 2)

/** Answers each request with the next of these pages. */
function fetching(pages: readonly (Page | Error)[]) {
  const asked: number[] = []
  const told: PagesDone[] = []
  const left = [...pages]
  const generation = fetchGeneration({
    ask: async (page) => {
      asked.push(page)
      const answer = left.shift()
      if (answer === undefined) throw new Error('Asked too often')
      if (answer instanceof Error) throw answer
      return answer
    },
    counts,
    signal: new AbortController().signal,
    tell: (pages) => told.push(pages),
  })
  return { generation, asked, told }
}

describe('a generation', () => {
  it('is every page of a table, told of as they come', async () => {
    const { generation, asked, told } = fetching([first(), second()])
    expect(await generation).toMatchObject({ whole: true, rows: 3, fetchedAt: 1 })
    expect((await generation).pages).toHaveLength(2)
    expect(asked).toEqual([1, 2])
    expect(told).toEqual([
      { done: 1, of: 2 },
      { done: 2, of: 2 },
    ])
  })

  it.each([
    ['says another number of rows on a later page', pageOf([['c', 3, null]], [10, 3], 4, 2)],
    ['has a row twice', pageOf([['a', 3, null]], [10, 3], 3, 2)],
    ['does not add up', pageOf([['c', 2, null]], [10, 3], 3, 2)],
    ['has another row of all on a later page', pageOf([['c', 3, null]], [11, 3], 3, 2)],
    ['ends early', pageOf([], [10, 3], 3, 2)],
    ['counts what was not known', pageOf([['c', 3, 1]], [10, 3], 3, 2)],
  ])('is begun again where it %s', async (_, changed) => {
    const { generation, asked } = fetching([first(), changed, first(), second()])
    expect(await generation).toMatchObject({ whole: true, rows: 3 })
    expect(asked).toEqual([1, 2, 1, 2])
  })

  it('is given up in words where it changes three times', async () => {
    const changed = pageOf([['a', 3, null]], [10, 3], 3, 2)
    const { generation, asked } = fetching([first(), changed, first(), changed, first(), changed])
    await expect(generation).rejects.toMatchObject({ failure: { kind: 'server-trouble' } })
    expect(asked).toHaveLength(6)
  })

  it('may be empty, whatever a service says of a sum of nothing', async () => {
    const { generation } = fetching([pageOf([], [0, null], 0, 0)])
    expect(await generation).toMatchObject({ whole: true, rows: 0 })
  })

  it('follows a service whose pages have fewer rows than were asked for', async () => {
    const { generation, asked } = fetching([first(), second()])
    await generation
    expect(asked).toEqual([1, 2])
  })

  it('does not ask for pages without end', async () => {
    const { generation } = fetching([pageOf([['a', 4, 3]], [10, 3], 1e9, 1e9)])
    await expect(generation).rejects.toMatchObject({ failure: { kind: 'malformed' } })
  })
})

describe('a page that is lost', () => {
  const whole: TableQuery = {
    ...plainTable,
    family: 'script',
    dimension: 'browsers',
    range: { start: day('2026-11-01'), end: day('2026-11-01') },
    whole: true,
  }
  const rows = Array.from({ length: 1500 }, (_, index) => [`browser ${index}`, 2, 2, 2, 0, 0, 0, null])
  const headers = ['Browser', 'Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad+Blocker']

  it('leaves the older generation as it was', async () => {
    const { reports, service } = await desk()
    let factor = 1
    let lost = false
    service.answering = (_, given) => {
      const page = 'page' in given ? Number(given.page) : 1
      if (page === 2 && lost) throw new Error('The line was cut')
      const times = (cells: readonly unknown[]) =>
        cells.map((cell) => (typeof cell === 'number' ? cell * factor : cell))
      return {
        total: { good: 3000 * factor },
        table: {
          headers,
          all: times([false, 3000, 3000, 3000, 0, 0, 0, null]),
          rows: rows.slice((page - 1) * 1000, page * 1000).map(times),
        },
        query: { results: 1500, pages: 2 },
      }
    }
    const ask = (byHand: boolean) => reports.ask({ account: firstId, query: whole, byHand })
    const before = await ask(false)
    expect(before).toMatchObject({ figures: { total: { good: 3000 }, query: { results: 1500 } } })
    factor = 2
    lost = true
    await ask(true)
    await expect.poll(async () => (await ask(false)).provenance.failure).toMatchObject({ kind: 'internal' })
    const after = await ask(false)
    expect(after.figures).toEqual(before.figures)
    expect(after.provenance).toMatchObject({ fetchedAt: before.provenance.fetchedAt, missing: [] })
    expect(service.asked).toHaveLength(4)
  })
})
