import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noWindows } from '#shared/accounts/account.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day, daysOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { sandboxDesk } from '../sandbox-desk.ts'
import type { SandboxDesk } from '../sandbox-desk.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.control('DELETE', '/faults')
  await running.behave({ windows: noWindows, charts: 'none' })
})

const week = { start: day('2026-11-03'), end: day('2026-11-09') }
const begin = { start: week.start, end: day('2026-11-06') }
const end = { start: day('2026-11-07'), end: week.end }
const before = { start: day('2026-10-27'), end: day('2026-11-02') }
const browsers = (range: DayRange): TableQuery => ({
  ...plainTable,
  ...{ family: 'script', dimension: 'browsers', range, whole: true },
})
const goAway = () => running.fault({ path: null, times: null, does: { kind: 'reset' } })
/** Whether each of these ranges can be told without the service. */
const told = async (desk: SandboxDesk, ranges: readonly DayRange[]) =>
  Promise.all(
    ranges.map((range) =>
      desk.ask(browsers(range)).then(
        ({ provenance }) => provenance.missing.length === 0,
        () => false,
      ),
    ),
  )

describe('figures that were saved as one', () => {
  it('are said to be so, and are all that can be told of their days', async () => {
    const desk = await sandboxDesk(running)
    await desk.ask(browsers(begin))
    await desk.ask(browsers(end))
    await goAway()
    const { provenance } = await desk.ask(browsers(week))
    expect(provenance).toMatchObject({ from: 'computed', spans: [begin, end], missing: [] })
    expect(await told(desk, [begin, end, { start: begin.start, end: day('2026-11-04') }])).toEqual([
      true,
      true,
      false,
    ])
  })

  it('are not said of days that were saved one by one, of which any part can be told', async () => {
    const desk = await sandboxDesk(running)
    await desk.reports.storeWhole({
      ...{ account: firstId, query: browsers(week), progress: () => undefined },
      signal: new AbortController().signal,
    })
    await goAway()
    const { provenance } = await desk.ask(browsers(week))
    expect(provenance).toMatchObject({ from: 'computed', missing: [] })
    expect(provenance.spans).toBeUndefined()
    const singles = daysOf(week).map((each) => ({ start: each, end: each }))
    expect(await told(desk, [begin, end, ...singles])).toEqual([true, true, ...singles.map(() => true)])
  })

  it('stay what they are where they are sorted by how they changed', async () => {
    const desk = await sandboxDesk(running)
    const sort = [{ header: 'Bad change', direction: 'desc' }] as const
    const { provenance } = await desk.ask({ ...browsers(week), before, sort })
    expect(provenance.from).toBe('stored')
    expect(provenance.spans).toBeUndefined()
  })

  it('are what is told of one of their rows', async () => {
    const desk = await sandboxDesk(running)
    await desk.ask(browsers(week))
    await goAway()
    const { provenance } = await desk.ask({ ...browsers(week), filters: { browser: 'Chrome' } })
    expect(provenance).toMatchObject({ from: 'computed', spans: [week] })
  })

  it('make no chart, which says that they are not saved day by day', async () => {
    const desk = await sandboxDesk(running)
    await desk.ask(browsers(week))
    await goAway()
    const trend = desk.reports.trend({ account: firstId, query: browsers(week), force: false })
    await expect(trend).rejects.toMatchObject({
      failure: {
        kind: 'offline',
        message: expect.stringContaining('These 7 days are not saved day by day.') as string,
      },
    })
  })
})
