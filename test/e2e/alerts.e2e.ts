import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { weekdays } from '#shared/watch/alerts.ts'
import type { AlertEntry } from '#shared/watch/alerts.ts'
import { pollOptions } from './helpers/poll-options.ts'
import { startSandbox } from './helpers/sandbox.ts'
import { startDaemon } from './raw/daemon.ts'
import { connectTo, ownDesk } from './raw/desk.ts'

const yesterday = addDays(dayAt(Date.now(), 'UTC'), -1)

type Rates = ReadonlyMap<string, number>

/** Bad rates of the browsers on a day. */
async function ratesOn(page: Page, day: Day): Promise<Rates> {
  const answer = await page.evaluate(async (on) => {
    const state = await window.desk.call('desk/state')
    const account = state.ok ? state.value.active : null
    if (account === null) return null
    return await window.desk.call('reports/ask', {
      ...{ account, force: false },
      query: {
        ...{ kind: 'table', family: 'script', dimension: 'browsers', range: { start: on, end: on } },
        ...{ instance: null, source: null, campaign: null, filters: {}, rates: false, rules: false },
        ...{ search: null, startsWith: false, sort: [], page: 1, limit: 100, whole: false, chart: false },
      },
    })
  }, day)
  if (!answer?.ok || answer.value.kind !== 'table') throw new Error('No table')
  const { headers, rows } = answer.value.figures.table
  return new Map(
    rows.map(({ label, cells }) => {
      const countOf = (header: string) => Number(cells[headers.indexOf(header) - 1])
      const text = label.kind === 'text' ? label.text : ''
      return [text, (100 * countOf('Bad')) / countOf('Requests')]
    }),
  )
}

/** An alert that the worst browser alone is beyond, of the two days that are judged at first: yesterday and the last settled. */
async function worstAlone(page: Page): Promise<{ readonly entry: AlertEntry; readonly browser: string }> {
  const days = [await ratesOn(page, yesterday), await ratesOn(page, addDays(yesterday, -2))]
  const browsers = [...new Set(days.flatMap((rates) => [...rates.keys()]))]
  const rates = browsers.map((text) => ({
    text,
    rate: Math.max(...days.map((each) => each.get(text) ?? 0)),
  }))
  const [worst, next] = rates.toSorted((one, other) => other.rate - one.rate)
  if (!worst || !next) throw new Error('Too few browsers')
  return {
    browser: worst.text,
    entry: {
      ...{ view: '#/reports/script/browsers', family: 'script', row: null, measure: 'bad-rate' },
      condition: { kind: 'above', value: (worst.rate + next.rate) / 2 },
      ...{ leastRequests: 0, leastChange: 0, weekdays, telling: 'at-once' },
    },
  }
}

/** Newest day that the first alert has judged. */
const judgedUpTo = (page: Page) =>
  page.evaluate(async () => {
    const state = await window.desk.call('desk/state')
    const account = state.ok ? state.value.active : null
    const alerts = account === null ? null : await window.desk.call('alerts/list', { account })
    return alerts?.ok ? (alerts.value[0]?.judgedUpTo ?? null) : null
  })

it('tells once of the row that got worse, leads to the finding, and tells nothing again after a restart', async () => {
  const [sandbox, daemon] = await Promise.all([startSandbox(), startDaemon()])
  const desk = ownDesk()
  const first = desk.start()
  const page = await first.window()
  await connectTo(page, 'Northwind', sandbox)
  // A raw report that expires is told of at the first look.
  await expect.poll(daemon.displayed, pollOptions).toBeGreaterThan(0)
  const before = (await daemon.all()).length
  const { entry, browser } = await worstAlone(page)
  await page.evaluate(async (given) => {
    const state = await window.desk.call('desk/state')
    const account = state.ok ? state.value.active : null
    if (account !== null) await window.desk.call('alerts/add', { account, entry: given })
  }, entry)
  await expect.poll(daemon.displayed, { ...pollOptions, timeout: 120_000 }).toBe(1)
  await daemon.click()
  await expect.poll(() => page.url(), pollOptions).toMatch(/#\/findings\/[0-9a-f-]{36}$/)
  const found = await page.evaluate(() => window.desk.call('findings/list', { others: 10, ids: [] }))
  const [finding, ...others] = found.ok ? found.value.findings : []
  expect(finding).toMatchObject({ row: { text: browser }, isShared: false, condition: 'above' })
  expect(others).toEqual([])
  expect(page.url()).toContain(finding?.id)
  await first.quit()

  const second = desk.start()
  const again = await second.window()
  await expect.poll(() => judgedUpTo(again), pollOptions).toBe(yesterday)
  // Longer than figures are waited for, and findings are gathered.
  await new Promise((resolve) => setTimeout(resolve, 20_000))
  await second.quit()
  expect((await daemon.all()).slice(before).map(({ title }) => title)).toHaveLength(1)
})
