import { beforeAll, expect, it } from 'vitest'
import { addDays } from '#shared/values/day.ts'
import { openView, status } from '../helpers/window.ts'
import type { EventOracle } from '../oracle/figures.ts'
import { expectedMovers } from './overview-expected.ts'
import { overviewOf } from './overview-screen.ts'
import { Pressing, findWorstSource } from './pressing.ts'
import { lastDays, oracleOfToday, startTour } from './start.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const week = lastDays(7)
const before = { start: addDays(week.start, -7), end: addDays(week.end, -7) }

let oracle: EventOracle
beforeAll(() => {
  oracle = oracleOfToday()
})

it('tells which source got worse this week, and in which campaigns; the same with the service gone', async () => {
  const { page, loseService } = await startTour()
  await openView(page, 'Overview')
  const online = new Pressing(page)
  const names = await findWorstSource(page, online, true)
  const state = { range: week, before, movers: 'sources' } as const
  const expected = expectedMovers(oracle, state)
  const worst = expected['Script: Bad rate by source']?.[0]?.rows[1]?.[0] ?? ''
  const filters = { source: worst }
  const campaigns = oracle.table({ ...week, family: 'script', by: 'campaign', filters, limit: 1000 })
  expect(names.filter((name) => name !== 'All').sort()).toEqual(
    campaigns.rows.map(({ label }) => label).sort(),
  )

  await page.goBack()
  const direct = page.getByRole('group', { name: 'Direct: Suspect rate by source' })
  await direct.getByRole('button', { name: 'Load', exact: true }).click()
  await direct.getByRole('table', { name: 'Suspect rate went up' }).waitFor(pollOptions)
  expect((await overviewOf(page)).movers).toEqual(expected)

  await loseService()
  await page.evaluate(() => (location.hash = '#/overview'))
  const offline = new Pressing(page)
  expect(await findWorstSource(page, offline, false)).toEqual(names)
  expect(await status(page).innerText()).toMatch(/^Offline\. Showing what was kept at /)
  await page.goBack()
  expect((await overviewOf(page)).movers).toEqual(expected)
  console.log(`Which source got worse: ${online.times} online, ${offline.times} offline`)
  expect(online.times).toBeLessThanOrEqual(6)
  expect(offline.times).toBeLessThanOrEqual(6)
}, 180_000)
