import { beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import type { EventOracle, Wanted } from '../oracle/figures.ts'
import { expectedDays, expectedScreen } from './expected.ts'
import { Hands } from './hands.ts'
import { screenOf } from './screen.ts'
import { searchText } from './search-texts.ts'
import { expectShown, tableOf } from './shown.ts'
import type { Shown } from './shown.ts'
import { lastDays, oracleOfToday, startTour } from './start.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const range = lastDays(28)
let oracle: EventOracle

beforeAll(() => {
  oracle = oracleOfToday()
})

/** The rows that are drawn, by their place in the list, and which place is the last. */
async function drawnRows(page: Page, name: string) {
  const grid = page.getByRole('grid', { name, exact: true })
  const rows = await grid.locator('tbody [role=row]:not([hidden]):not(.pending)').evaluateAll((found) =>
    found.map((row) => ({
      place: Number(row.getAttribute('aria-rowindex')) - 3,
      cells: [...row.children].map((cell) => cell.firstElementChild?.textContent ?? cell.textContent ?? ''),
    })),
  )
  return { rows, last: Number(await grid.getAttribute('aria-rowcount')) - 3 }
}

describe.each([
  { name: 'Direct by network', address: '#/reports/direct/networks?', rules: false },
  { name: 'Script by referrer', address: '#/reports/script/referrers?rules=1&', rules: true },
])('$name, kept offline', ({ name, address, rules }) => {
  it('answers any order, search, page and run of its days with the service gone', async () => {
    const { page, hands, loseService, restart } = await startTour()
    const table = tableOf(name)
    const { family, by, counts, header } = table
    const [first = ''] = counts
    const watched = family === 'script' ? 'Bad' : 'Suspect'
    const search = searchText(
      oracle.table({ ...range, family, by, limit: 1_000_000 }).rows.map(({ label }) => label),
    )
    await hands.follow(`${address}period=last-28-days`)
    await page.getByRole('button', { name: 'Keep offline', exact: true }).click()
    await page.getByText(/^28 of 28 days saved/).waitFor(pollOptions)
    await loseService()

    const check = async (at: Page, each: Hands) => {
      const shown = (...asked: Shown) => expectShown(at, oracle, ...asked)
      const ADDED = /^Combined from 28 saved days/
      await each.follow(`${address}period=last-28-days`)
      await each.sortBy(watched, 'alone')
      await each.sortBy(first, 'too')
      await each.sortBy(header, 'too')
      const sort = [
        [watched, 'desc'],
        [first, 'desc'],
        ['label', 'asc'],
      ] as const
      expect.soft(await shown(name, { ...range, sort }, { rules })).toMatch(ADDED)
      await each.search(search)
      await shown(name, { ...range, sort, search }, { rules })
      await each.check('Starts with', true)
      await shown(name, { ...range, sort, search, startsWith: true }, { rules })
      await each.check('Starts with', false)
      await each.check('Rates', true)
      await shown(name, { ...range, sort, search }, { rates: true, rules })

      // Days that were never asked for by themselves.
      const some = { start: lastDays(20).start, end: lastDays(9).start }
      await each.follow(`${address}start=${some.start}&end=${some.end}&limit=5&page=3`)
      expect
        .soft(await shown(name, { ...some, limit: 5, page: 3 }, { rules }))
        .toMatch(/^Combined from 12 saved days/)
      const one = { start: some.end, end: some.end }
      await each.follow(`${address}start=${one.start}&end=${one.end}`)
      await shown(name, one, { rules })

      await each.follow(`${address}period=last-28-days&chart=lines`)
      expect.soft(await each.chartTable(name)).toEqual(expectedDays(oracle, { ...range, family, by }, range))
    }
    await check(page, hands)

    // All rows are one list, whose end is a key away.
    const wanted: Wanted = { ...range, family, by, limit: 1_000_000 }
    const expected = expectedScreen(oracle, table, wanted, { rules }).rows.slice(1)
    await hands.follow(`${address}period=last-28-days`)
    await hands.rowsPerPage('All rows')
    // Until they are there, the rows of other days stay, and may be as many.
    await screenOf(page, name)
    for (const [key, place] of [
      ['Control+Home', 0],
      ['Control+End', expected.length - 1],
    ] as const) {
      await page.getByRole('grid', { name, exact: true }).press(key)
      await expect
        .poll(async () => (await drawnRows(page, name)).rows.map((row) => row.place), pollOptions)
        .toContain(place)
      // The rows of the page before stay until all are there, and begin with the same place.
      await expect.poll(async () => (await drawnRows(page, name)).last, pollOptions).toBe(expected.length - 1)
      const { rows } = await drawnRows(page, name)
      for (const row of rows) expect.soft(row.cells, `row ${row.place}`).toEqual(expected[row.place])
    }

    const again = await restart()
    await check(again, new Hands(again))
  })
})
