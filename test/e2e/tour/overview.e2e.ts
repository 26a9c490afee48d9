import * as v from 'valibot'
import { beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { addDays, daysBetween } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { openView, status } from '../helpers/window.ts'
import type { EventOracle, Limited } from '../oracle/figures.ts'
import { countText, daysText } from './expected.ts'
import { Hands } from './hands.ts'
import { expectedDaysWords, expectedFamily, expectedMovers } from './overview-expected.ts'
import type { OverviewState } from './overview-expected.ts'
import { overviewOf } from './overview-screen.ts'
import { untilChecked } from '../helpers/sandbox.ts'
import { lastDays, oracleOfToday, startTour, today } from './start.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const week = lastDays(7)
const fourWeeks = lastDays(28)
const month = { start: `${today().slice(0, 8)}01` as Day, end: today() }

/** As many days, so many days earlier. */
const earlier = ({ start, end }: DayRange, days: number): DayRange => ({
  start: addDays(start, -days),
  end: addDays(end, -days),
})
const periodBefore = (range: DayRange) => earlier(range, daysBetween(range.start, range.end) + 1)
const withPeriodBefore = (range: DayRange) => ({ range, before: periodBefore(range) })

let oracle: EventOracle

beforeAll(() => {
  oracle = oracleOfToday()
})

/** What is expected, by the state: the same is held against three visits. */
const worked = new Map<string, ReturnType<typeof workOut>>()

const workOut = (state: OverviewState) => ({
  ...expectedDaysWords(state),
  families: {
    Script: expectedFamily(oracle, 'script', state),
    Direct: expectedFamily(oracle, 'direct', state),
  },
  movers: expectedMovers(oracle, state),
})

function expected(state: OverviewState) {
  const key = JSON.stringify(state)
  const found = worked.get(key) ?? workOut(state)
  worked.set(key, found)
  return found
}

/** Holds all of the overview against the oracle. @returns its address, and what the status says */
async function expectOverview(page: Page, name: string, state: OverviewState) {
  const { address, status, ...screen } = await overviewOf(page)
  expect.soft(screen, name).toEqual(expected(state))
  return { address, status }
}

/** A state that was opened. */
type Station = {
  readonly name: string
  readonly state: OverviewState
  readonly address: string
  readonly status: string
}

/** Goes through the overview as a person does. */
async function visitAll(hands: Hands): Promise<Station[]> {
  const { page } = hands
  const stations: Station[] = []
  const stop = async (name: string, state: OverviewState) => {
    stations.push({ name, state, ...(await expectOverview(page, name, state)) })
  }
  await openView(page, 'Overview')
  await hands.follow('#/overview')
  await stop('opened', { range: week })
  await page.getByRole('button', { name: 'Compare with the previous period' }).click()
  const compared = withPeriodBefore(week)
  await stop('compared', compared)
  await hands.choose('Dimension', 'Referrers')
  await stop('referrers', { ...compared, movers: 'referrers' })
  await hands.choose('Dimension', 'Networks')
  await stop('networks', { ...compared, movers: 'networks' })

  let filters: Limited['filters'] = {}
  for (const [field, column] of [
    ['Instance', 'instance'],
    ['Source', 'source'],
    ['Campaign', 'campaign'],
  ] as const) {
    const value = oracle.common({ ...week, family: 'script', by: 'instance', filters }, column)
    filters = { ...filters, [column]: value }
    await hands.lookUp(field, column === 'instance' ? oracle.instanceName(value) : value)
    await stop(field, { ...compared, movers: 'networks', filters })
  }
  await hands.follow('#/overview?compare=period-before&movers=browsers')
  for (const [words, range] of [
    ['Today', { start: today(), end: today() }],
    ['This month', month],
    ['Last 28 days', fourWeeks],
  ] as const) {
    await hands.period(words)
    await stop(words, { ...withPeriodBefore(range), movers: 'browsers' })
  }
  await hands.choose('Compare with', 'The same days a week before')
  await stop('a week before', { range: fourWeeks, before: earlier(fourWeeks, 7), movers: 'browsers' })
  await hands.period('Last 7 days')
  await hands.choose('Compare with', 'Nothing')
  await stop('compared no more', { range: week })
  return stations
}

const OFFLINE = /^Offline\. Showing what was kept at /

it('shows what SQL over the events says, and the same with the service gone', async () => {
  const { hands, loseService, restart } = await startTour()
  const opened = await visitAll(hands)
  for (const { name, status } of opened) expect.soft(status, name).toMatch(/^As of /)
  await loseService()

  const again = await visitAll(hands)
  expect(again.map(({ address }) => address)).toEqual(opened.map(({ address }) => address))
  for (const { name, status } of again) expect.soft(status, name).toMatch(OFFLINE)

  const restarted = new Hands(await restart())
  for (const { name, state, address } of opened) {
    await restarted.follow(address)
    const shown = await expectOverview(restarted.page, `${name}, after a restart`, state)
    expect.soft(shown, name).toEqual({ address, status: expect.stringMatching(OFFLINE) })
  }
})

const requests = v.object({ requests: v.array(v.object({ path: v.string() })) })

it('adds up what the service does not answer in one: 90 days, and days of which it draws no chart', async () => {
  const { page, hands, sandbox, loseService } = await startTour()
  await sandbox.control('POST', '/behaviour', { charts: 'direct-overview', windows: { overview: 31 } })
  await hands.follow('#/overview?compare=period-before')
  await expectOverview(page, 'without a chart of Script', withPeriodBefore(week))

  const wide = { range: lastDays(90), before: earlier(lastDays(90), 7) }
  const address = `#/overview?start=${wide.range.start}&end=${wide.range.end}&compare=week-before`
  await hands.follow(address)
  await expectOverview(page, '90 days', wide)
  await untilChecked(sandbox)
  await sandbox.control('DELETE', '/requests')
  const within = { start: lastDays(60).start, end: lastDays(20).start }
  await hands.follow(`#/overview?start=${within.start}&end=${within.end}`)
  await expectOverview(page, 'days within', { range: within })
  await hands.follow(address)
  await expectOverview(page, '90 days again', wide)
  const asked = v.parse(requests, await sandbox.control('GET', '/requests')).requests
  expect.soft(asked.filter(({ path }) => !path.startsWith('interface/'))).toEqual([])
  await loseService()
  await hands.follow(address)
  await expectOverview(page, '90 days with the service gone', wide)
})

it('says what a state lacks that was never opened', async () => {
  const { page, hands, loseService } = await startTour()
  await hands.follow('#/overview?compare=period-before&movers=networks')
  await expectOverview(page, 'opened', { ...withPeriodBefore(week), movers: 'networks' })
  await loseService()

  const lacks = async () => {
    const headings = page.getByRole('heading', { name: 'Nothing saved for this view yet' })
    await headings.nth(1).waitFor(pollOptions)
    const words = await headings.locator('xpath=..').allInnerTexts()
    expect
      .soft(words)
      .toEqual(
        ['Script', 'Direct'].map(() =>
          expect.stringContaining("You haven't opened this view online, so nothing is saved for it."),
        ),
      )
    expect.soft(await page.locator('main dl').count()).toBe(0)
    expect.soft(await status(page).innerText()).toBe('Offline. Nothing saved for this view yet')
  }
  await hands.follow('#/overview?source=newsletter')
  await lacks()
  await hands.follow('#/overview?period=today')
  await lacks()

  // Figures stay where only what is beside them is lacking.
  await hands.follow('#/overview?compare=period-before&movers=browsers')
  const groups = page.getByRole('alert').filter({ hasText: 'The rows of these days are not saved yet' })
  await groups.nth(1).waitFor(pollOptions)
  await hands.follow('#/overview?compare=year-before')
  await page.getByText("Can't compare with").nth(1).waitFor(pollOptions)
  const cards = page.getByRole('region', { name: 'Direct' }).locator('dl > div')
  const { Requests = null } = oracle.totals({ ...week, family: 'direct' })
  expect.soft(await cards.nth(1).locator('.value').innerText()).toBe(countText(Requests))
  expect.soft(await cards.locator('.change').allTextContents()).toEqual(['–', '–', '–', '–'])

  // Rows of days that are partly kept say of which days.
  await hands.follow('#/overview?period=last-28-days&compare=week-before&movers=networks')
  const missing = daysText({ start: lastDays(35).start, end: lastDays(15).start })
  const partial = page.getByText(`14 of 35 days; missing: ${missing}.`)
  await partial.nth(1).waitFor(pollOptions)

  // What is kept of both periods are the last week and the one before it: the rows of those are compared.
  await page.getByText('Compares 7 of 28 days: those saved for both periods.').nth(1).waitFor(pollOptions)
  const compared = { ...withPeriodBefore(week), movers: 'networks' } as const
  for (const [name, tables] of Object.entries(expected(compared).movers)) {
    const shown = page.getByRole('group', { name }).getByRole('table').locator('tbody')
    expect.soft(await shown.evaluateAll(readRows), name).toEqual(tables.map(({ rows }) => rows.slice(1)))
  }
})

/** Runs in the page, so it stands for itself. Rates stand small below the counts, and are left out. */
const readRows = (bodies: Element[]) =>
  bodies.map((body) =>
    [...body.children].map((row) =>
      [...row.children].map((cell) => {
        const words = [...cell.childNodes].filter(({ nodeName }) => nodeName !== 'SMALL')
        return words
          .map(({ textContent }) => textContent ?? '')
          .join('')
          .trim()
      }),
    ),
  )
