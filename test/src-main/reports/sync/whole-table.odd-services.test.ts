import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ServiceFailure } from '#main/api/network-failure.ts'
import { wholePage } from '#main/reports/sync/table-catalogue.ts'
import { doubtOfPage } from '#main/reports/sync/one-table.ts'
import type { TablePage } from '#main/reports/sync/whole-table.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { desk } from '../helpers.ts'
import {
  counts,
  pageOf,
  firstRows,
  first,
  second,
  refused,
  fetching,
  having,
  labelsOf,
} from './answered-pages.ts'
import type { Row } from './answered-pages.ts'

describe('a service whose numbers of pages and rows are wrong', () => {
  const third = pageOf([['d', 2, null]], [12, 3], 4, 2)
  const of = (pages: number, page: TablePage): TablePage => ({
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
    const said = (page: TablePage): TablePage => ({
      ...page,
      answer: { ...page.answer, query: { ...page.answer.query, results: 3000, pages: 3 } },
    })
    const { snapshot, asked } = having(said(first()), said(second()), refused(kind))
    expect(labelsOf(await snapshot)).toEqual([['a', 'b'], ['c']])
    expect((await snapshot).doubt).toBe('fewer-rows')
    expect(asked).toHaveLength(6)
  })

  it('that sends rows which cannot be read is marked, whether it counts them or not', async () => {
    const odd = (page: TablePage, rows: number, headers: readonly string[]): TablePage => ({
      ...page,
      answer: { ...page.answer, unreadable: { rows, headers } },
    })
    const { snapshot } = having(first(), odd(second(), 1, []))
    expect(labelsOf(await snapshot)).toEqual([['a', 'b'], ['c']])
    expect((await snapshot).doubt).toBe('rows-unreadable')
    // A count that is not known is left out of sums, so that its column need not add up.
    const unknown = having(odd(first([99, 3]), 0, ['Requests']), second([99, 3]))
    expect((await unknown.snapshot).doubt).toBe('no-counts')
  })

  it('whose page has rows that cannot be read is in doubt on that page alone', () => {
    const query: TableQuery = {
      ...{ ...plainTable, family: 'script', dimension: 'browsers', page: 1, limit: 20 },
      range: { start: day('2026-11-20'), end: day('2026-11-20') },
    }
    const { answer } = first()
    expect(doubtOfPage(query, answer)).toBeNull()
    expect(doubtOfPage(query, { ...answer, unreadable: { rows: 1, headers: [] } })).toBe('rows-unreadable')
    const part = { ...answer, unreadable: { rows: 0, headers: ['Requests'] } }
    expect(doubtOfPage(query, part)).toBe('no-counts')
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
    const answer = (page: number): TablePage | Error => {
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
  const wide = (page: number): TablePage =>
    pageOf(
      Array.from({ length: 1000 }, (_, row): Row => [`${page} ${row} `.padEnd(2000, 'ü'), 1, null]),
      // Never adds up, so that it is compared with a second fetch as well.
      [1, null],
      50_000,
      50,
    )

  it('are compared with a second fetch', async () => {
    const { snapshot, asked } = fetching(wide)
    expect((await snapshot).doubt).toBe('rows-do-not-add-up')
    expect(asked).toHaveLength(100)
  }, 60_000)

  it('are told apart by their last letter', async () => {
    const long = (letter: string): Row => [`${'ü'.repeat(2000)}${letter}`, 1, null]
    expect((await having(pageOf([long('a'), long('b')], [2, null], 2, 1)).snapshot).doubt).toBeNull()
    const twice = pageOf([long('a'), long('a')], [2, null], 2, 1)
    expect((await having(twice).snapshot).doubt).toBe('labels-repeat')
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
    const ask = (force: boolean) => reports.ask({ account: firstId, query: whole, force })
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
