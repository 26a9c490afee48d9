import { afterAll, beforeAll, expect, it } from 'vitest'
import { normalise, plainTable } from '#shared/reports/query.ts'
import { accountDayOf } from '#shared/reports/answer.ts'
import { addDays } from '#shared/values/day.ts'
import { weekdays } from '#shared/watch/alerts.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { account, firstId } from '#test/src-main/database/helpers.ts'
import { now } from '../helpers.ts'
import { sandboxDesk } from '../sandbox-desk.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())

it('of a key are judged until that is cancelled', async () => {
  const desk = await sandboxDesk(running)
  const today = accountDayOf(Date.parse(now), account())
  const range = { start: addDays(today, -4), end: addDays(today, -1) }
  const query = normalise({ ...plainTable, family: 'script', dimension: 'browsers', range })
  for (const day of [range.start, range.end])
    await desk.ask({ ...query, range: { start: day, end: day }, whole: true })
  const rule = { measure: 'requests', condition: { kind: 'above', value: 1 } } as const
  const preview = (key: string) =>
    desk.reports.judge({ account: firstId, query, key }, [
      {
        kind: 'preview',
        rule: { ...rule, leastRequests: 0, leastChange: 0, weekdays },
        today,
        row: null,
        leftOut: { every: [], rows: [] },
      },
    ])
  const [given, other] = [preview('one'), preview('other')]
  desk.reports.cancel(firstId, 'one')
  await expect(given).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  expect(await other).toMatchObject({ storedDays: 2, judged: [{ kind: 'preview' }] })
})
