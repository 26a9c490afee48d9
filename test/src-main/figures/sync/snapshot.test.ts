import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wholePage } from '../../../../src-main/figures/sync/table-catalogue.ts'

import { fetchSnapshot } from '../../../../src-main/figures/sync/snapshot.ts'
import type { Page, PagesDone } from '../../../../src-main/figures/sync/snapshot.ts'
import { ServiceFailure } from '../../../../src-main/service/service-failure.ts'
import { plainTable } from '../../../../src-shared/reports/query.ts'
import type { TableQuery } from '../../../../src-shared/reports/query.ts'
import type { Cell } from '../../../../src-shared/service/answers.ts'
import type { FailureKind } from '../../../../src-shared/service/failure.ts'
import { day } from '../../../../src-shared/values/day.ts'
import type { Instant } from '../../../../src-shared/values/ids.ts'
import { checkAsyncProperty } from '../../../helpers/properties.ts'
import { firstId } from '../../store/helpers.ts'
import { desk } from '../helpers.ts'

const counts = ['Requests', 'Ad Blocker']
const plainHeaders = ['Browser', 'Requests', 'Ad Blocker']

type Row = readonly [label: string, ...cells: Cell[]]

function pageOf(
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

const firstRows: readonly Row[] = [
  ['a', 4, 3],
  ['b', 3, null],
]
const first = (all: readonly Cell[] = [10, 3], pages = 2) => pageOf(firstRows, all, 3, pages)
const second = (all: readonly Cell[] = [10, 3], pages = 2) => pageOf([['c', 3, null]], all, 3, pages)

const refused = (kind: FailureKind) => new ServiceFailure({ kind, message: `It is ${kind}.` })

function fetching(answer: (page: number) => Page | Error) {
  const asked: number[] = []
  const told: PagesDone[] = []
  const snapshot = fetchSnapshot({
    ask: async (page) => {
      asked.push(page)
      const given = answer(page)
      if (given instanceof Error) throw given
      return given
    },
    counts,
    signal: new AbortController().signal,
    tell: (pages) => told.push(pages),
  })
  return { snapshot, asked, told }
}

/** Answers each request with the next of these pages. */
function inTurn(...pages: readonly (Page | Error)[]) {
  const left = [...pages]
  return fetching(() => left.shift() ?? new Error('Asked too often'))
}

/** A service that has these pages, and answers alike each time; what it has not it refuses. */
const having = (...pages: readonly (Page | Error)[]) =>
  fetching((page) => pages[page - 1] ?? refused('bad-request'))

/** The labels of a table, page by page. */
const labelsOf = ({ rows }: Awaited<ReturnType<typeof fetchSnapshot>>) =>
  rows.map((page) => page.map(({ label }) => (label.kind === 'text' ? label.text : label)))

describe('a snapshot', () => {
  it('is every page of a table, told of as they come', async () => {
    const { snapshot, asked, told } = inTurn(first(), second())
    expect(await snapshot).toEqual({
      headers: plainHeaders,
      all: { label: { kind: 'all', name: null }, cells: [10, 3] },
      total: { good: 1 },
      rows: [
        [
          { label: { kind: 'text', text: 'a' }, cells: [4, 3] },
          { label: { kind: 'text', text: 'b' }, cells: [3, null] },
        ],
        [{ label: { kind: 'text', text: 'c' }, cells: [3, null] }],
      ],
      fetchedAt: 1,
      doubt: null,
    })
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
    ['has another column', pageOf([['c', 3, null]], [10, 3], 3, 2, ['Browser', 'Requests', 'Blocker'])],
  ])('is begun again where it %s', async (_, changed) => {
    const { snapshot, asked } = inTurn(first(), changed, first(), second())
    expect(await snapshot).toMatchObject({ doubt: null })
    expect(labelsOf(await snapshot)).toEqual([['a', 'b'], ['c']])
    expect(asked).toEqual([1, 2, 1, 2])
  })

  it('is given up in words where its figures move three times', async () => {
    const moved = (requests: number) => [first([requests, 3]), second([requests + 1, 3])]
    const { snapshot, asked } = inTurn(...moved(20), ...moved(22), ...moved(24))
    await expect(snapshot).rejects.toMatchObject({
      failure: { kind: 'server-trouble', message: expect.stringContaining('in a few minutes') },
    })
    expect(asked).toHaveLength(6)
  })

  it('may be empty, whatever a service says of a sum of nothing', async () => {
    expect(await having(pageOf([], [0, null], 0, 0)).snapshot).toMatchObject({ rows: [[]], doubt: null })
    expect(await having(pageOf([], null, 0, 0)).snapshot).toMatchObject({
      rows: [[]],
      all: null,
      doubt: null,
    })
  })

  it('may have no row of all', async () => {
    const { snapshot } = having(pageOf(firstRows, null, 3, 2), pageOf([['c', 3, null]], null, 3, 2))
    expect(await snapshot).toMatchObject({ all: null, doubt: null })
  })

  it('does not ask for pages without end', async () => {
    const { snapshot } = having(pageOf([['a', 4, 3]], [10, 3], 1e9, 1e9))
    await expect(snapshot).rejects.toMatchObject({ failure: { kind: 'malformed' } })
  })
})

describe('pages with columns of their own', () => {
  it('in another order are read by their headers', async () => {
    const turned = pageOf([['c', null, 3]], [3, 10], 3, 2, ['Browser', 'Ad Blocker', 'Requests'])
    const { snapshot, asked } = having(first(), turned)
    expect(await snapshot).toMatchObject({ headers: plainHeaders, doubt: null })
    expect((await snapshot).rows[1]).toMatchObject([{ cells: [3, null] }])
    expect(asked).toEqual([1, 2])
  })

  it('with rates of the service are read without them', async () => {
    const headers = ['Browser', 'Requests', 'Requests Rate', 'Ad Blocker']
    const rated = pageOf([['c', 3, '30.0', null]], [10, 100, 3], 3, 2, headers)
    const { snapshot } = having(first(), rated)
    expect(await snapshot).toMatchObject({ headers: plainHeaders, doubt: null })
    expect((await snapshot).rows[1]).toMatchObject([{ cells: [3, null] }])
  })

  it.each([
    ['renamed', ['Browser', 'Requests', 'Blocker'], 'Missing: “Ad Blocker”. New: “Blocker”.'],
    ['dropped', ['Browser', 'Requests'], 'Missing: “Ad Blocker”.'],
    ['added', [...plainHeaders, 'UE'], 'New: “UE”.'],
    ['with another label', ['Name', 'Requests', 'Ad Blocker'], 'Missing: “Browser”. New: “Name”.'],
    ['of endless names', ['Browser', 'x'.repeat(2000), 'y'], `New: “${'x'.repeat(40)}…”, “y”.`],
  ])('are refused, and said which: %s', async (_, headers, words) => {
    const cells = headers.slice(1).map(() => 3)
    const { snapshot } = having(first(), pageOf([['c', ...cells]], [10, 3], 3, 2, headers))
    const failure = await snapshot.then(
      () => undefined,
      (error: unknown) => (error as ServiceFailure).failure,
    )
    expect(failure).toMatchObject({
      kind: 'malformed',
      message: expect.stringContaining('The service answered page 2 with other columns.'),
    })
    expect(failure?.message).toContain(words)
    expect(failure?.message).not.toContain('minutes')
    expect(failure?.message.length).toBeLessThan(300)
  })
})

describe('a page that comes twice', () => {
  it('is refused, and said which', async () => {
    const full = [first([14, 6], 3), second([14, 6], 3)] as const
    const four = (page: Page): Page => ({
      ...page,
      answer: { ...page.answer, query: { ...page.answer.query, results: 5, pages: 3 } },
    })
    const { snapshot } = having(four(full[0]), four(full[1]), four(full[0]))
    await expect(snapshot).rejects.toMatchObject({
      failure: {
        kind: 'malformed',
        message: expect.stringContaining('The service answered page 3 with rows of page 1.'),
      },
    })
  })

  it('is refused where the service knows of no other page', async () => {
    const page = pageOf(firstRows, [14, 6], 4, 2)
    const { snapshot } = having(page, page)
    await expect(snapshot).rejects.toMatchObject({
      failure: { message: expect.stringContaining('The service answered page 2 with rows of page 1.') },
    })
  })
})

describe('what does not add up twice alike is kept, with its doubt:', () => {
  const three = [...firstRows, ['c', 3, null]] as const
  it.each([
    ['fewer rows than announced', 'fewer-rows', [pageOf(three, [10, 3], 5, 1)], [1, 2, 1, 2]],
    ['fewer rows over pages', 'fewer-rows', [first([20, 3], 2), pageOf([], [20, 3], 3, 2)], [1, 2, 1, 2]],
    ['more rows than announced', 'more-rows', [pageOf(three, [10, 3], 2, 1)], [1, 1]],
    [
      'more rows over pages',
      'more-rows',
      [
        first(),
        pageOf(
          [
            ['c', 2, null],
            ['d', 1, null],
          ],
          [10, 3],
          3,
          2,
        ),
      ],
      [1, 2, 1, 2],
    ],
    [
      'labels that repeat on a page',
      'labels-repeat',
      [
        pageOf(
          [
            ['a', 4, 3],
            ['a', 6, null],
          ],
          [10, 3],
          2,
          1,
        ),
      ],
      [1, 1],
    ],
    [
      'labels that repeat over pages',
      'labels-repeat',
      [first(), pageOf([['a', 3, null]], [10, 3], 3, 2)],
      [1, 2, 1, 2],
    ],
    ['rows that do not sum up to all', 'rows-do-not-add-up', [pageOf(three, [11, 3], 3, 1)], [1, 1]],
    [
      'pages that do not sum up to all',
      'rows-do-not-add-up',
      [first([11, 3]), second([11, 3])],
      [1, 2, 1, 2],
    ],
    [
      'rows of all that are of a page each',
      'rows-do-not-add-up',
      [first([7, 3]), second([3, 0])],
      [1, 2, 1, 2],
    ],
    [
      'pages that announce differently',
      'pages-disagree',
      [first(), pageOf([['c', 3, null]], [10, 3], 1, 2)],
      [1, 2, 1, 2],
    ],
    ['a row that ends early', 'rows-do-not-add-up', [pageOf([['a', 10, null]], [10, 3], 1, 1)], [1, 1]],
  ] as const)('%s', async (_, doubt, pages, requests) => {
    const { snapshot, asked } = having(...pages)
    expect((await snapshot).doubt).toBe(doubt)
    expect(labelsOf(await snapshot).flat()).toEqual(
      pages.flatMap(({ answer }) =>
        answer.table.rows.map(({ label }) => label.kind === 'text' && label.text),
      ),
    )
    expect(asked).toEqual(requests)
  })

  it('a single page, also where its figures moved since', async () => {
    const { snapshot, asked } = inTurn(pageOf(three, [11, 3], 3, 1), pageOf(three, [12, 3], 3, 1))
    expect(await snapshot).toMatchObject({ all: { cells: [12, 3] }, doubt: 'rows-do-not-add-up' })
    expect(asked).toEqual([1, 1])
  })

  it('not where the second time adds up', async () => {
    const { snapshot } = inTurn(pageOf(three, [11, 3], 3, 1), pageOf(three, [10, 3], 3, 1))
    expect(await snapshot).toMatchObject({ doubt: null })
  })
})

describe('a service whose numbers of pages and rows are wrong', () => {
  const third = pageOf([['d', 2, null]], [12, 3], 4, 2)
  const of = (pages: number, page: Page): Page => ({
    ...page,
    answer: { ...page.answer, query: { ...page.answer.query, pages } },
  })

  it.each([0, 1, 2, 5, 1e12])('is read to its end where it says %i pages', async (pages) => {
    const { snapshot } = having(of(pages, first()), of(pages, second()))
    expect(labelsOf(await snapshot)).toEqual([['a', 'b'], ['c']])
    expect((await snapshot).doubt).toBeNull()
  })

  it.each([0, 1, 2, 3, 9])('is read to its end over three pages where it says %i', async (pages) => {
    const rows = (label: string): readonly Row[] => [
      [`${label} 1`, 1, null],
      [`${label} 2`, 1, null],
    ]
    const has = ['a', 'b', 'c'].map((label) => pageOf(rows(label), [6, null], 6, pages))
    expect(labelsOf(await having(...has).snapshot)).toHaveLength(3)
    expect((await having(...has).snapshot).doubt).toBeNull()
  })

  it('that announces the rows of a page for those of the table is followed while pages are full', async () => {
    const rows = (label: string, results: number) =>
      pageOf(
        [
          [`${label} 1`, 1, null],
          [`${label} 2`, 1, null],
        ],
        [6, null],
        results,
        3,
      )
    const { snapshot } = having(rows('a', 2), rows('b', 2), rows('c', 2))
    expect(labelsOf(await snapshot)).toHaveLength(3)
    expect((await snapshot).doubt).toBe('more-rows')
  })

  it.each(['bad-request', 'not-found'] as const)('that refuses pages it announced: %s', async (kind) => {
    const said = (page: Page): Page => ({
      ...page,
      answer: { ...page.answer, query: { ...page.answer.query, results: 3000, pages: 3 } },
    })
    const { snapshot, asked } = having(said(first()), said(second()), refused(kind))
    expect(labelsOf(await snapshot)).toEqual([['a', 'b'], ['c']])
    expect((await snapshot).doubt).toBe('fewer-rows')
    expect(asked).toHaveLength(6)
  })

  it('that refuses a page after a full one is believed what it says', async () => {
    const { snapshot } = having(first(), refused('bad-request'))
    await expect(snapshot).rejects.toMatchObject({ failure: { kind: 'bad-request' } })
  })

  it.each(['offline', 'cancelled', 'refused-token'] as const)('that is lost on the way: %s', async (kind) => {
    const { snapshot } = having(first(), refused(kind))
    await expect(snapshot).rejects.toMatchObject({ failure: { kind } })
  })

  it('that cannot be read on a page is said to be so on that page', async () => {
    const { snapshot, asked } = having(first(), refused('malformed'))
    await expect(snapshot).rejects.toMatchObject({
      failure: { kind: 'malformed', message: expect.stringMatching(/^Page 2 of the table: /) },
    })
    expect(asked).toEqual([1, 2])
  })

  it('is asked for no more where all rows are there', async () => {
    const { asked, snapshot } = having(pageOf([['d', 2, null]], [2, null], 1, 9), third)
    await snapshot
    expect(asked).toEqual([1])
  })
})

it('is never without a doubt where it does not add up, whatever a service does', async () => {
  const lie = fc.option(fc.nat({ max: 12 }), { nil: null, freq: 2 })
  const service = fc.record({
    size: fc.integer({ min: 1, max: 4 }),
    rows: fc.array(fc.tuple(fc.constantFrom(...'abcdefgh'), fc.option(fc.nat({ max: 9 }))), { maxLength: 9 }),
    results: lie,
    pages: lie,
    all: lie,
    after: fc.constantFrom('refused' as const, 'empty' as const, 'last' as const),
  })
  type Service = typeof service extends fc.Arbitrary<infer S> ? S : never
  const run = async ({ size, rows, results, pages, all, after }: Service) => {
    const last = Math.max(1, Math.ceil(rows.length / size))
    const sum = rows.reduce((whole, [, count]) => whole + (count ?? 0), 0)
    const answer = (page: number): Page | Error => {
      if (page > last && after === 'refused') return refused('bad-request')
      const at = page > last && after === 'last' ? last : page
      const here = rows.slice((at - 1) * size, at * size).map(([label, count]): Row => [label, count, null])
      return pageOf(here, [all ?? sum, null], results ?? rows.length, pages ?? last)
    }
    const { snapshot, asked } = fetching(answer)
    const found = await snapshot.catch((error: unknown) => error)
    expect(asked.length).toBeLessThanOrEqual(3 * 13)
    if (found instanceof ServiceFailure) return
    const { rows: read, all: told, doubt } = found as Awaited<typeof snapshot>
    const flat = read.flat()
    // Never a row that was not sent, nor one of them twice.
    expect(flat.length).toBeLessThanOrEqual(rows.length)
    if (doubt !== null) return
    expect(new Set(flat.map(({ label }) => JSON.stringify(label))).size).toBe(flat.length)
    expect(flat.reduce((whole, { cells }) => whole + Number(cells[0] ?? 0), 0)).toBe(told?.cells[0])
  }
  await checkAsyncProperty('snapshots', fc.asyncProperty(service, run), 500)
})

describe('a page that is all of its table', () => {
  it('is the same as the table fetched in pages', async () => {
    const page = pageOf(firstRows, [7, 3], 2, 1)
    expect(wholePage(page, counts)).toEqual(await having(page).snapshot)
    expect(wholePage(pageOf(firstRows, [8, 3], 2, 1), counts)).toMatchObject({ doubt: 'rows-do-not-add-up' })
    expect(wholePage(first(), counts)).toBeNull()
  })
})

describe('50,000 labels of 2,000 characters', () => {
  const wide = (page: number): Page =>
    pageOf(
      Array.from({ length: 1000 }, (_, row): Row => [`${page} ${row} `.padEnd(2000, 'ü'), 1, null]),
      // Never adds up, so that it is compared with a second fetch as well.
      [1, null],
      50_000,
      50,
    )

  it('are compared with a second fetch a part at a time, so that nothing else waits long', async () => {
    let turns = 0
    let over = false
    const turn = () => {
      turns += 1
      if (!over) setImmediate(turn)
    }
    setImmediate(turn)
    const { snapshot, asked } = fetching(wide)
    expect((await snapshot).doubt).toBe('rows-do-not-add-up')
    over = true
    expect(asked).toHaveLength(100)
    // Both times, each page in several parts.
    expect(turns).toBeGreaterThan(200)
  }, 60_000)
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

  it('leaves the older table as it was', async () => {
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
