import { describe, expect, it } from 'vitest'
import { FiguresChanged, pagesOf } from '../../../src-main/exports/export-pages.ts'
import type { ReadPage } from '../../../src-main/exports/export-pages.ts'
import type { TableQuery } from '../../../src-shared/reports/query.ts'
import type { Instant } from '../../../src-shared/values/ids.ts'
import type { Made } from './helpers.ts'
import { pageOf, query, textRow } from './helpers.ts'

const table = (count: number): Made => ({
  rows: Array.from({ length: count }, (_, index) => textRow(`row ${index}`, index)),
  headers: ['Browser', 'Requests'],
})

async function labels(ask: ReadPage, asked: TableQuery, rows: 'seen' | 'all'): Promise<number> {
  let count = 0
  for await (const { figures } of pagesOf(ask, asked, rows)) count += figures.table.rows.length
  return count
}

describe('pages of a table', () => {
  it('are one, as it is seen, where that is asked for', async () => {
    const asked: TableQuery[] = []
    const ask: ReadPage = (each) => {
      asked.push(each)
      return Promise.resolve(pageOf(each, table(86)))
    }
    const seen = { ...query, page: 2, search: 'row' }
    expect(await labels(ask, seen, 'seen')).toBe(20)
    expect(asked).toEqual([seen])
  })

  it('are all of them for a whole table, in order, with search and sort as they are', async () => {
    const asked: TableQuery[] = []
    const ask: ReadPage = (each) => {
      asked.push(each)
      return Promise.resolve(pageOf(each, table(2500)))
    }
    const sort = [{ header: 'Bad', direction: 'asc' }] as const
    expect(await labels(ask, { ...query, page: 4, search: 'row', sort }, 'all')).toBe(2500)
    expect(asked).toEqual(
      [1, 2, 3].map((page) => ({ ...query, search: 'row', sort, whole: true, limit: 1000, page })),
    )
  })

  it('are all of them too where all rows are seen', async () => {
    const ask: ReadPage = (each) => Promise.resolve(pageOf(each, table(2500)))
    expect(await labels(ask, { ...query, whole: true, limit: 1000 }, 'seen')).toBe(2500)
  })

  it('are one without rows where nothing is found', async () => {
    const ask: ReadPage = (each) => Promise.resolve(pageOf(each, table(0)))
    expect(await labels(ask, query, 'all')).toBe(0)
  })

  it.each([
    ['another number of rows', table(2400)],
    ['other headers', { ...table(2500), headers: ['Browser', 'Responses'] }],
    ['newer figures', { ...table(2500), provenance: { fetchedAt: 1 as Instant } }],
  ])('do not make one table with %s', async (_, changed) => {
    const ask: ReadPage = (each) => Promise.resolve(pageOf(each, each.page < 3 ? table(2500) : changed))
    await expect(labels(ask, query, 'all')).rejects.toBeInstanceOf(FiguresChanged)
  })

  it('throw where the next cannot be had, even while the one before is looked at', async () => {
    const ask: ReadPage = (each) =>
      each.page === 1 ? Promise.resolve(pageOf(each, table(2500))) : Promise.reject(new Error('lost'))
    await expect(labels(ask, query, 'all')).rejects.toThrow('lost')
  })
})
