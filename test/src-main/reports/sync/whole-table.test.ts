import { describe, expect, it } from 'vitest'
import type { ServiceFailure } from '#main/api/network-failure.ts'
import type { TablePage } from '#main/reports/sync/whole-table.ts'
import type { Label } from '#shared/api/answers.ts'
import {
  plainHeaders,
  pageOf,
  firstRows,
  first,
  second,
  fetching,
  inTurn,
  having,
  labelsOf,
} from './answered-pages.ts'
import type { Row } from './answered-pages.ts'

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
      { done: 1, total: 2 },
      { done: 2, total: 2 },
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
    const four = (page: TablePage): TablePage => ({
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

describe('rows that change places between pages', () => {
  const twoOf = (rows: readonly Row[], all: number, results = 4) => pageOf(rows, [all, null], results, 2)
  const one = (label: string, count: number): Row => [label, count, null]

  it('because others are equal are asked for by their labels, and come once each', async () => {
    const { snapshot, asked, orders } = fetching((page, byLabel) =>
      page === 1
        ? twoOf([one('a', 2), one('b', 2)], 8)
        : twoOf([byLabel ? one('c', 2) : one('b', 2), one('d', 2)], 8),
    )
    expect(await snapshot).toMatchObject({ doubt: null })
    expect(labelsOf(await snapshot).flat()).toEqual(['a', 'b', 'c', 'd'])
    expect(asked).toEqual([1, 2, 1, 2])
    expect(orders).toEqual([false, false, true, true])
  })

  it('each time are taken once, and those that did not come are said to be missing', async () => {
    const again = ['b', 'a', 'b']
    const { snapshot, asked } = fetching((page) =>
      page === 1
        ? twoOf([one('a', 2), one('b', 2)], 8)
        : twoOf([one(again[Math.floor((asked.length - 1) / 2)] ?? '', 2), one('d', 2)], 8),
    )
    expect(await snapshot).toMatchObject({ doubt: 'fewer-rows' })
    expect(
      labelsOf(await snapshot)
        .flat()
        .toSorted(),
    ).toEqual(['a', 'b', 'd'])
    expect(asked).toHaveLength(6)
  })

  /** Of a day that runs: each answer counts two more. */
  const growing = (isSettled: boolean, rowsOf: (page: number, count: number) => readonly Row[]) => {
    let count = 0
    return fetching((page) => twoOf(rowsOf(page, (count += 2)), 100 + count), isSettled)
  }

  it('because they are counted are taken once, as they came last, and others may be missing', async () => {
    const { snapshot, asked } = growing(false, (page, count) =>
      page === 1 ? [one('a', 50 + count), one('b', 20 + count)] : [one('b', 20 + count), one('d', 10)],
    )
    const { doubt, rows, all } = await snapshot
    expect(doubt).toBe('rows-moved')
    expect(rows.flat().map(({ label, cells }) => [nameOf(label), cells[0]])).toEqual([
      ...[
        ['a', 60],
        ['b', 32],
      ],
      ['d', 10],
    ])
    // Totals are those of page 1.
    expect(all?.cells[0]).toBe(110)
    expect(asked).toHaveLength(6)
  })

  it('are of different moments where every row came and its counts did not stand still', async () => {
    const { snapshot } = growing(false, (page, count) =>
      page === 1 ? [one('a', 50 + count), one('b', 20 + count)] : [one('c', 15 + count), one('d', 10)],
    )
    expect(await snapshot).toMatchObject({ doubt: 'moments-differ' })
    expect(labelsOf(await snapshot).flat()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('are no table of days that do not change any more', async () => {
    const { snapshot } = growing(true, (page, count) =>
      page === 1 ? [one('a', 50 + count), one('b', 20)] : [one('b', 20), one('d', 10)],
    )
    await expect(snapshot).rejects.toMatchObject({ failure: { kind: 'server-trouble' } })
  })
})

const nameOf = (label: Label): string => (label.kind === 'text' ? label.text : '')

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
