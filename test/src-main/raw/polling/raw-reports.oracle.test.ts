import { rawContext } from '../raw-context.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RawReports } from '#main/raw/polling/raw-reports.ts'
import { openSession } from '#main/database/store-session.ts'
import type { StoreSession } from '#main/database/store-session.ts'
import { rawListColumns } from '#shared/raw/list.ts'
import type { RawListQuery } from '#shared/raw/list.ts'
import { addDays, day } from '#shared/values/day.ts'
import { runsOf, seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { HandClock } from '#test/src-main/reports/clock.ts'
import { account, firstId, folderForAll } from '#test/src-main/database/helpers.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { fake } from '#test/helpers/fake.ts'

const folder = folderForAll()
let service: RunningSandbox
let client: ReturnType<RunningSandbox['client']>
let session: StoreSession
let room: RawReports

/** Names that are hard to order and to search: cases, beyond the basic plane, escapes, and the same ones again. */
const names = [
  'Weekly',
  'weekly',
  'WEEKLY 2',
  'Ärger',
  'ärger',
  '\uffee',
  '😀',
  '😁 a',
  '50% + "x"',
  'a%41',
  'ẞ',
]
const types = ['request', 'response', 'direct'] as const

/** Requests so many reports, some at the same second, some cancelled, failed and timed out, the last ones running. */
async function requestMany(count: number): Promise<void> {
  const random = randomFrom(seed)
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  const { instances } = (await client.call('interface/instances', { all: false, limit: 5 })).answer
  await service.behave({ raw: { concurrency: 1000, minutes: 100_000 } })
  for (let made = 0; made < count; made += 1) {
    if (random() < 0.2) await service.control('POST', '/raw', { next: one(['fail', 'time-out']) })
    const { answer } = await client.call('raw/request', {
      type: one(types),
      instance: one(instances).id,
      start: addDays(day('2026-11-20'), -2),
      end: day('2026-11-20'),
      standard: ['source'],
      name: one(names),
      send_email: false,
    })
    if (answer.id === null) throw new Error(JSON.stringify(answer))
    if (random() < 0.2) await client.call('raw/cancel', { raw: answer.id })
    if (random() < 0.5) await service.control('POST', '/clock', { advance: one([1_000, 60_000, 86_400_000]) })
  }
}

beforeAll(async () => {
  service = await runningSandbox()
  client = service.client()
  await requestMany(60)
  session = openSession(folder)
  session.run('accounts/put', account())
  room = new RawReports(
    rawContext({
      store: {
        opened: Promise.resolve(session.opening),
        run: async (name, argument) => session.run(name, argument),
        close: () => Promise.resolve(),
      },
      accounts: fake<Accounts>('accounts', {
        account: () => account(),
        list: () => [account()],
        clientFor: async () => client,
      }),
      folder,
      clock: new HandClock('2026-11-20T12:00:00Z'),
    }),
  )
}, 60_000)
afterAll(async () => {
  await room.stop()
  session.close()
  await service.close()
})

const query: fc.Arbitrary<RawListQuery> = fc.record({
  search: fc.oneof(
    fc.constantFrom('', 'w', 'EEK', 'weekly', 'ä', '😀', '%', '+', 'a%41', ' ', 'ß', 'nothing like it'),
    fc.string({ maxLength: 2, unit: 'grapheme' }),
  ),
  startsWith: fc.boolean(),
  sort: fc.array(
    fc.record({
      column: fc.constantFrom(...rawListColumns),
      direction: fc.constantFrom('asc' as const, 'desc' as const),
    }),
    { maxLength: 3 },
  ),
  page: fc.integer({ min: 1, max: 5 }),
  limit: fc.integer({ min: 20, max: 40 }),
})

describe('the kept list', () => {
  it('answers as the service does, row for row', async () => {
    // What runs goes on: the list and the service's answers are of one moment only once all of it has ended.
    await service.control('POST', '/clock', { advance: 3_600_000 })
    await room.fresh(firstId)
    console.log(`the list of raw reports: PROPERTY_SEED=${seed}, ${runsOf(400)} runs`)
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const { search, startsWith, sort, page, limit } = asked
        const { answer } = await client.call('raw/table', {
          ...(search !== '' && { search }),
          ...(startsWith && { startswith: true }),
          ...(sort.length > 0 && {
            sort: sort.map(({ column, direction }) => ({
              column: rawListColumns.indexOf(column),
              direction,
            })),
          }),
          page,
          limit,
        })
        const stored = await room.list({ account: firstId, query: asked, force: false })
        expect(stored.reports.map(({ row }) => row)).toEqual(answer.rows)
        expect([stored.results, stored.pages]).toEqual([answer.query.results, answer.query.pages])
      }),
      { seed, numRuns: runsOf(400) },
    )
  }, 60_000)

  it('has limits, and the breakdown of usage for those who may see it', async () => {
    const answer = await room.list({
      account: firstId,
      query: { search: '', startsWith: false, sort: [], page: 1, limit: 20 },
      force: false,
    })
    expect(answer.limits).toMatchObject({ minutes_total: 100_000, api_concurrent: 1000 })
    expect(answer.usage).toHaveProperty('usage')
    expect(answer.reports.every(({ usual }) => usual === null || usual.shortest <= usual.longest)).toBe(true)
    expect(answer.reports.some(({ usual }) => usual !== null)).toBe(true)
  })
})
