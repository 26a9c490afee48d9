import * as v from 'valibot'
import { beforeAll, expect, it } from 'vitest'
import { addDays } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { untilChecked } from '../helpers/sandbox.ts'
import { gridOf } from '../helpers/reports.ts'
import { status } from '../helpers/window.ts'
import type { EventOracle, WantedRow } from '../oracle/figures.ts'
import { expectedDays, pointsText } from './expected.ts'
import { expectedFamily } from './overview-expected.ts'
import { overviewOf } from './overview-screen.ts'
import { screenOf } from './screen.ts'
import { expectShown } from './shown.ts'
import { lastDays, oracleOfToday, startTour } from './start.ts'
import type { TourDesk } from './start.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const week = lastDays(7)
const few: DayRange = { start: lastDays(6).start, end: lastDays(4).start }
const before = { start: addDays(few.start, -3), end: addDays(few.end, -3) }
const days = `start=${few.start}&end=${few.end}`
const name = 'Direct by network'

let oracle: EventOracle
beforeAll(() => {
  oracle = oracleOfToday()
})

const log = v.object({
  requests: v.array(
    v.object({
      path: v.string(),
      parameters: v.object({ start: v.optional(v.unknown()), end: v.optional(v.unknown()) }),
    }),
  ),
})

/** By how much the suspect rate changed, in points with two decimals. */
function suspectPoints(now: WantedRow | undefined, then: WantedRow | undefined): string {
  const side = (row: WantedRow | undefined) =>
    [Number(row?.figures['Suspect']), Number(row?.figures['Requests'])] as const
  return pointsText(side(now), side(then), 2)
}

/** Waits until so many days of a table were asked for one by one. */
async function untilSaved({ sandbox }: TourDesk, path: string, count: number): Promise<void> {
  const single = async () => {
    const { requests } = v.parse(log, await sandbox.control('GET', '/requests'))
    const asked = requests.filter(
      (each) => each.path === path && each.parameters.start === each.parameters.end,
    )
    return new Set(asked.map(({ parameters }) => String(parameters.start))).size
  }
  await expect.poll(single, pollOptions).toBe(count)
  await untilChecked(sandbox)
}

it('answers any part of a week that was looked at with the service gone', async () => {
  const desk = await startTour({ savesLooks: true })
  const { page, hands, loseService } = desk
  await hands.follow('#/reports/direct/networks?compare=period-before')
  await gridOf(page, name).getByRole('row').nth(2).waitFor()
  await untilSaved(desk, 'direct/networks', 14)
  await hands.follow('#/overview')
  await overviewOf(page)
  await untilSaved(desk, 'script/sessions', 7)
  await untilSaved(desk, 'direct/sessions', 7)
  await loseService()

  // A part of its days, in another order, searched and drawn.
  await hands.follow(`#/reports/direct/networks?${days}&limit=50`)
  expect
    .soft(await expectShown(page, oracle, name, { ...few, limit: 50 }))
    .toMatch(/^Combined from 3 saved days/)
  const wanted = { ...few, family: 'direct', by: 'network' } as const
  await hands.follow(`#/reports/direct/networks?${days}&chart=lines`)
  expect.soft(await hands.chartTable(name)).toEqual(expectedDays(oracle, wanted, few))

  // One of its rows, drawn and compared.
  const [row] = oracle.table({ ...wanted, limit: 1 }).rows
  const network = row?.label ?? ''
  const limited = { ...wanted, filters: { network } }
  const [own] = oracle.table(limited).rows
  const [then] = oracle.table({ ...limited, ...before }).rows
  const filter = `network=${encodeURIComponent(network)}`
  await hands.follow(`#/reports/direct/networks?${days}&${filter}&chart=lines`)
  await expectShown(page, oracle, name, { ...few, filters: { network } })
  expect.soft(await hands.chartTable(name)).toEqual(expectedDays(oracle, limited, few))
  for (const address of [`${days}&${filter}`, days]) {
    await hands.follow(`#/reports/direct/networks?${address}&compare=period-before`)
    const change = suspectPoints(own, then)
    await expect
      .poll(async () => (await screenOf(page, name)).rows.find(([label]) => label === network), {
        timeout: 15_000,
      })
      .toContain(change)
  }
  expect.soft(await status(page).innerText()).toMatch(/^Offline\. Showing what was kept at /)

  await hands.follow(`#/overview?${days}`)
  expect((await overviewOf(page)).families).toEqual({
    Script: expectedFamily(oracle, 'script', { range: few }),
    Direct: expectedFamily(oracle, 'direct', { range: few }),
  })
}, 180_000)

it('says once what of it is not saved, with nothing to press', async () => {
  const { page, hands, loseService } = await startTour()
  await hands.follow('#/reports/direct/networks')
  await expectShown(page, oracle, name, week)
  await loseService()
  await hands.follow('#/reports/direct/networks?chart=lines&compare=period-before')
  const main = page.getByRole('main')
  await main.getByText('The days of this chart are not saved yet').waitFor()
  await main.getByText("Can't compare with", { exact: false }).waitFor()
  expect(await main.getByRole('button', { name: /again|Retry|^Ask/ }).count()).toBe(0)
  expect(await main.getByRole('alert').count()).toBe(1)
}, 120_000)
