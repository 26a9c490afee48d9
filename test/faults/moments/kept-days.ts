import { mkdirSync, readdirSync } from 'node:fs'
import { expect } from 'vitest'
import { cacheFile } from '#main/database/cache/cache-schema.ts'
import { isSound } from '#main/database/sqlite/open-file.ts'
import { stateFile } from '#main/database/state/schema.ts'
import { totalAt } from '#shared/reports/answer.ts'
import type { Store } from '#main/database/open-store.ts'
import { addDays, daysBetween } from '#shared/values/day.ts'
import { asked, figuresOf } from '#test/src-main/reports/engine/tables.ts'
import { daysKept, firstDay, place, rowsOfTable } from './histories.ts'
import type { Fetched, openHistory } from './histories.ts'

type OpenHistory = Pick<ReturnType<typeof openHistory>, 'engine' | 'history' | 'root'> & {
  readonly store: Pick<Store, 'run'>
}

/** Later than this whatever is left over is deleted. */
const later = 8 * 24 * 60 * 60 * 1000

/** Every kept day, read from its file: whole, of one fetch, and the only one of its day. */
export async function wholeDays({ history, engine }: OpenHistory): Promise<readonly Fetched[]> {
  const stored = await history.list(place)
  const days: Fetched[] = []
  for (const table of stored) {
    const computed = await engine.call('table', { tables: [table], query: asked({ limit: 1000 }) })
    const { rows, all } = figuresOf(computed).table
    const count = Number(all?.cells[0])
    expect(rows).toHaveLength(rowsOfTable)
    expect(new Set(rows.map(({ cells }) => cells[0]))).toEqual(new Set([count]))
    expect(JSON.parse(table.head)).toMatchObject({ total: [['suspect', count]] })
    days.push({ day: daysBetween(firstDay, table.range.start), fetchedAt: table.fetchedAt, count })
  }
  expect(new Set(days.map(({ day }) => day)).size).toBe(days.length)
  return days
}

/** Nothing is lost of what was said to be kept: the day stands there as it was fetched then, or later. */
export function expectNoneLost(days: readonly Fetched[], said: readonly Fetched[]): void {
  for (const each of said) {
    const found = days.find(({ day }) => day === each.day)
    expect(found?.fetchedAt ?? -1).toBeGreaterThanOrEqual(each.fetchedAt)
    if (found?.fetchedAt === each.fetchedAt) expect(found).toEqual(each)
  }
}

/**
 * Whatever the total of a day was said to be at a time can be told from what stands there and from what was restated, and
 * each difference is noted once.
 */
export async function expectRestatementsOf(
  { history }: OpenHistory,
  days: readonly Fetched[],
  said: readonly Fetched[],
): Promise<void> {
  for (const { day, count } of days) {
    const on = addDays(firstDay, day)
    const { items, total } = await history.restatements.list({ ...place, range: { start: on, end: on } })
    expect(total).toBe(items.length)
    const changes = items
      .toSorted((one, other) => one.afterFetchedAt - other.afterFetchedAt)
      .map(({ totals }) => totals[0])
    expect(changes.slice(1).map((change) => change?.before)).toEqual(
      changes.slice(0, -1).map((change) => change?.after),
    )
    if (changes.length > 0) expect(changes.at(-1)?.after).toBe(count)
    for (const each of said.filter((one) => one.day === day))
      expect({ ...each, count: totalAt(items, 'suspect', each.fetchedAt) ?? count }).toEqual(each)
  }
}

/** The app starts again: everything on the disk is in the catalogue, or goes. @returns the days that are kept now */
export async function startAgain(open: OpenHistory, folder: string): Promise<readonly Fetched[]> {
  const { history, store, root } = open
  mkdirSync(root, { recursive: true })
  const files = () =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.includes('.'))
      .sort()
  expect(files()).toEqual(expect.arrayContaining([...(await store.run('tables/files', undefined))]))
  const before = await wholeDays(open)
  await history.rebuild(new AbortController().signal, () => Date.now() + later)
  const after = await wholeDays(open)
  expectNoneLost(after, before)
  expect(files()).toEqual([...(await store.run('tables/files', undefined))].sort())
  expect([stateFile, cacheFile].map((file) => isSound(file(folder)))).toEqual([true, true])
  expect(after.length).toBeLessThanOrEqual(daysKept)
  return after
}
