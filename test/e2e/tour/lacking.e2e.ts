import { beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { status } from '../helpers/window.ts'
import type { EventOracle } from '../oracle/figures.ts'
import { daysText } from './expected.ts'
import { expectShown } from './shown.ts'
import type { Shown } from './shown.ts'
import { lastDays, oracleOfToday, startTour } from './start.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const week = lastDays(7)

let oracle: EventOracle

beforeAll(() => {
  oracle = oracleOfToday()
})

/** What stands where a table would: there is none, and words say what is lacking. */
async function lackingOf(page: Page): Promise<{ grids: number; status: string; words: string }> {
  const heading = page.getByRole('heading', { name: 'Nothing saved for this view yet' })
  await heading.waitFor(pollOptions)
  return {
    grids: await page.getByRole('grid').count(),
    status: await status(page).innerText(),
    words: await heading.locator('xpath=..').innerText(),
  }
}

it('says what a state lacks that was never opened, and answers what follows from kept tables', async () => {
  const { page, hands, loseService } = await startTour()
  const shown = (...asked: Shown) => expectShown(page, oracle, ...asked)
  const lacks = async (name: string) => {
    const lacking = await lackingOf(page)
    expect.soft(lacking, name).toEqual({
      grids: 0,
      status: 'Offline. Nothing saved for this view yet',
      words: expect.stringContaining("You haven't opened this view online"),
    })
  }
  const partial = page.locator('p').filter({ hasText: 'Partial:' })

  await hands.open('Script', 'Browsers')
  await shown('Script by browser', week)
  await hands.open('Script', 'Referrers')
  await shown('Script by referrer', week)
  await hands.period('Yesterday')
  await hands.open('Script', 'Geography')
  await shown('Script by country', lastDays(1))
  await hands.follow('#/reports/script/browsers')
  await shown('Script by browser', week)
  await loseService()

  // Another dimension, another family, another value of each kind of filter.
  await hands.open('Script', 'Operating systems')
  await lacks('Script by operating system')
  await hands.open('Direct', 'Browsers')
  await lacks('Direct by browser')
  await hands.open('Script', 'Browsers')
  // A saved table tells each of its rows.
  await hands.fillOwn('Browser', 'Safari')
  await shown('Script by browser', { ...week, filters: { browser: 'Safari' } })
  await hands.removeFilter('Browser')
  await hands.follow('#/reports/script/browsers?instance=4101')
  await lacks('Script by browser')
  await hands.follow('#/reports/script/browsers?source=newsletter')
  await lacks('Script by browser')
  await hands.follow('#/reports/script/browsers?chart=lines')
  await page.getByRole('alert').getByText('The days of this chart are not saved yet').waitFor()
  await shown('Script by browser', week)

  // All of a short table came with its first page, so it is sorted, searched and divided here.
  await hands.follow('#/reports/script/browsers')
  await hands.sortBy('Bad', 'alone')
  await hands.sortBy('Requests', 'too')
  await hands.sortBy('Browser', 'too')
  const sort = [
    ['Bad', 'desc'],
    ['Requests', 'desc'],
    ['label', 'asc'],
  ] as const
  expect(await shown('Script by browser', { ...week, sort })).toMatch(/^Saved, updated /)
  await hands.search('saf')
  await shown('Script by browser', { ...week, sort, search: 'saf' })
  await hands.check('Rates', true)
  expect(await shown('Script by browser', { ...week, sort, search: 'saf' }, { rates: true })).toMatch(
    /Rates computed by Traffic Desk$/,
  )

  // Of a long table one page came: nothing is made up of it.
  await hands.follow('#/reports/script/referrers?rates=1')
  await shown('Script by referrer', week, { rates: true })
  for (const rest of ['sort=desc%3AMobile', 'search=news', 'page=2', 'limit=50', 'rules=1', 'rows=all']) {
    await hands.follow(`#/reports/script/referrers?${rest}`)
    await lacks('Script by referrer')
  }

  // A wider range has the days that there are, and says which; a day inside of a week cannot be told from it.
  await hands.follow('#/reports/script/browsers')
  await hands.period('Last 28 days')
  await shown('Script by browser', week)
  const before = { start: lastDays(28).start, end: lastDays(8).start }
  expect.soft(await partial.innerText()).toContain(`7 of 28 days; missing: ${daysText(before)}.`)
  await hands.period('Yesterday')
  await lacks('Script by browser')
  await hands.open('Script', 'Geography')
  await shown('Script by country', lastDays(1))
  await hands.period('Last 7 days')
  await shown('Script by country', lastDays(1))
  const others = { start: week.start, end: lastDays(2).start }
  expect.soft(await partial.innerText()).toContain(`1 of 7 days; missing: ${daysText(others)}.`)
})
