import { expect, it, onTestFinished } from 'vitest'
import { createEvents } from '#main/sandbox/events/events.ts'
import { createSample } from '#main/sandbox/sandbox.ts'
import { day } from '#shared/values/day.ts'
import { ask } from './asking.ts'

const now = Date.parse('2026-11-20T17:42:10Z')

type Listed = { readonly id: string; readonly name: string; readonly requested: string }

/** A start of the sample service, as the app makes it; closed again with the test. */
async function started(at = now) {
  const sample = await createSample({ seed: 7, now: at })
  onTestFinished(() => sample.close())
  const answer = async (path: string, parameters: Record<string, unknown>): Promise<unknown> =>
    JSON.parse((await ask(sample, path, parameters)).text)
  const list = async () => {
    const { table } = (await answer('raw/table', { limit: 100 })) as { table: { rows: Listed[] } }
    return table.rows
  }
  return {
    list,
    request: async (name: string): Promise<Listed> => {
      const order = { type: 'request', instance: '4101', start: 20261115, end: 20261117 }
      await answer('raw/request', { ...order, standard: ['source'], name })
      const found = (await list()).find((each) => each.name === name)
      if (!found) throw new Error('It was not requested')
      return found
    },
  }
}

it('never gives a report the id that another one had before a restart', async () => {
  const [one, other] = [await started(), await started()]
  const seeded = (await one.list()).map(({ id }) => id)
  expect((await other.list()).map(({ id }) => id)).toEqual(seeded)
  const ids = [await one.request('First'), await other.request('First')]
  expect(new Set([...seeded, ...ids.map(({ id }) => id)]).size).toBe(seeded.length + 2)
})

it('lists reports of the next day, which are about other days, under other ids', async () => {
  const today = (await (await started()).list()).map(({ id }) => id)
  const tomorrow = (await (await started(now + 86_400_000)).list()).map(({ id }) => id)
  expect(tomorrow.filter((id) => today.includes(id))).toEqual([])
})

it('says that what is requested now was requested now', async () => {
  const before = Date.now()
  const { requested } = await (await started()).request('First')
  const told = Date.parse(decodeURIComponent(requested.replaceAll('+', ' ')).replace(' ', '+'))
  // Written in whole seconds.
  expect(told).toBeGreaterThanOrEqual(now - 1000)
  expect(told).toBeLessThanOrEqual(now + (Date.now() - before))
})

it.each([
  ['2026-11-20T17:42:10Z', 17],
  ['2026-11-20T00:03:00Z', 1],
])('counts no event of an hour that has not begun at %s', (at, hours) => {
  const { columns, span } = createEvents(7, day('2026-11-20'), hours)
  const range = { start: day('2026-11-20'), end: day('2026-11-20') }
  const { first, end } = span(range)
  const latest = Math.max(...columns.time.subarray(first, end))
  expect(end).toBeGreaterThan(first)
  expect(latest).toBeLessThan(Date.parse('2026-11-20') / 1000 + hours * 3600)
  expect(Math.max(1, new Date(at).getUTCHours())).toBe(hours)
})
