import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ReportsContext } from '#main/reports/reports-context.ts'
import { Lookups } from '#main/reports/lookups/lookups.ts'
import { AnswerCache } from '#main/reports/requests/answer-cache.ts'
import type { Account } from '#shared/accounts/account.ts'
import type { Failure } from '#shared/api/failure.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { InstanceId, DataScopeId } from '#shared/values/ids.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { account, firstId, localStore } from '#test/src-main/database/helpers.ts'
import { accountsOf } from '../accounts-of.ts'
import { HandClock } from '../clock.ts'
import { now } from '../helpers.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { Connections } from '#main/accounts/connections.ts'
import { fake } from '#test/helpers/fake.ts'

let service: RunningSandbox
beforeAll(async () => {
  service = await runningSandbox()
})
afterAll(() => service.close())
beforeEach(async () => {
  await service.behave({ windows: { lookups: null } })
})

const today = day('2026-11-20')
const days = (count: number) => ({ start: addDays(today, 1 - count), end: today })
const away: Failure = { kind: 'offline', message: 'The service is away.' }

/** The look-ups over the real service, with what they learn and whether they may ask in the test's hands. */
async function opened() {
  const store = localStore()
  await store.run('accounts/put', account())
  let profile: Account = account()
  let obstacle: Failure | null = null
  const clock = new HandClock(now)
  const client = service.client({ clock })
  const connections = fake<Connections>('connections', {
    obstacle: () => obstacle,
    onlineAgainAt: () => null,
    noteSuccess: () => undefined,
    noteFailure: () => undefined,
  })
  const lookups = new Lookups(
    fake<ReportsContext>('context', {
      accounts: fake<Accounts>('accounts', {
        ...accountsOf(account(), client).accounts,
        account: () => profile,
        dataScopeOf: () => profile.id as string as DataScopeId,
        learn: (_, traits) => {
          profile = { ...profile, windows: { ...profile.windows, ...traits.windows } }
          return Promise.resolve()
        },
      }),
      answers: new AnswerCache(store, new AppEvents()),
      connections,
      events: new AppEvents(),
      clock,
    }),
  )
  return { lookups, learnt: () => profile.windows.lookups, leave: () => void (obstacle = away) }
}

const plain = { account: firstId, instance: null, page: 1, limit: 20 }
const sourcesOf = (count: number) => ({ ...plain, range: days(count), source: null })
const campaignsOf = (count: number) => ({ ...plain, range: days(count), source: null, campaign: null })

describe('sources and campaigns', () => {
  it('are those of the days and of what is chosen already, without the entry for all', async () => {
    const { lookups } = await opened()
    const found = await lookups.sources(sourcesOf(7))
    expect(found.answer.sources.length).toBe(Math.min(20, found.answer.query.results))
    expect(found.answer.sources).not.toContain('All Sources')
    const [source = ''] = found.answer.sources
    const campaigns = await lookups.campaigns(campaignsOf(7))
    const some = await lookups.campaigns({ ...campaignsOf(7), source })
    expect(some.answer.query.results).toBeLessThanOrEqual(campaigns.answer.query.results)
    expect(found).toMatchObject({ failure: null, narrowed: null })
  })

  it('are asked for once, and then kept for a day', async () => {
    const { lookups } = await opened()
    await service.control('DELETE', '/requests')
    await lookups.sources(sourcesOf(7))
    await lookups.sources(sourcesOf(7))
    expect(await service.requests()).toHaveLength(1)
  })

  it('are those of the last days where the service answers no longer range, which is learnt', async () => {
    await service.behave({ windows: { lookups: 7 } })
    const { lookups, learnt } = await opened()
    const wide = await lookups.campaigns(campaignsOf(90))
    expect(wide.narrowed).toEqual(days(7))
    expect(wide.answer.campaigns).toEqual((await lookups.campaigns(campaignsOf(7))).answer.campaigns)
    expect(learnt()).toBe(7)
    await service.control('DELETE', '/requests')
    expect((await lookups.sources(sourcesOf(90))).narrowed).toEqual(days(7))
    expect((await service.requests()).map(({ status }) => status)).toEqual([200])
  })

  it('learn nothing from a refusal that has another reason', async () => {
    const { lookups, learnt } = await opened()
    const nobody = { ...sourcesOf(90), instance: '999999' as InstanceId }
    await expect(lookups.sources(nobody)).rejects.toMatchObject({ failure: { kind: 'not-found' } })
    expect(learnt()).toBeNull()
  })

  it('are found by what is typed, online at the service and offline among what is kept, whatever the days', async () => {
    const { lookups, leave } = await opened()
    const all = await lookups.sources({ ...sourcesOf(7), limit: 1000 })
    const typed = (all.answer.sources[0] ?? '').slice(1, 4).toUpperCase()
    const online = await lookups.sources({ ...sourcesOf(7), source: typed })
    expect(online.answer.sources).toContain(all.answer.sources[0])
    leave()
    const offline = await lookups.sources({ ...sourcesOf(28), source: typed })
    expect(offline.failure).toEqual(away)
    expect(new Set(offline.answer.sources)).toEqual(new Set(online.answer.sources))
  })

  it('of one instance are not taken from a list of another', async () => {
    const { lookups, leave } = await opened()
    await lookups.sources({ ...sourcesOf(7), instance: '4101' as InstanceId })
    leave()
    await service.fault({ path: 'interface/sources', does: { kind: 'status', status: 403 }, times: null })
    await expect(lookups.sources(sourcesOf(7))).rejects.toMatchObject({ failure: { kind: 'no-right' } })
    await service.control('DELETE', '/faults')
  })
})
