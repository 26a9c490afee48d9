import { expect, it } from 'vitest'
import type { CreateClient } from '#main/accounts/clients.ts'
import type { Instant } from '#shared/values/ids.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { accountsWith, FakeService, form } from './helpers.ts'

it('keeps what was learnt of a service, tells the windows, and knows it at the next start', async () => {
  const { accounts, store, keychain, events } = accountsWith()
  const { id } = await accounts.connect(form)
  const before = events.length
  await accounts.learn(id, { windows: { tables: 7 } })
  await accounts.learn(id, { firstColumn: 1 })
  expect(accounts.account(id)).toMatchObject({
    windows: { tables: 7, overview: null, lookups: null },
    firstColumn: 1,
  })
  expect(events).toHaveLength(before + 2)
  expect(events.at(-1)?.accounts).toMatchObject([{ id, firstColumn: 1 }])
  const learnt = {
    rateBases: { script: { Good: 'Responses' }, direct: 'unexplained' },
    ratesCheckedAt: { script: 1_764_000_000_000 },
    searchedAll: { script: 'everything', direct: 'found' },
  } as const
  await accounts.learn(id, learnt)
  const again = accountsWith({ store, keychain })
  await again.accounts.open()
  expect(again.accounts.account(id)).toMatchObject({ windows: { tables: 7 }, firstColumn: 1, ...learnt })
})

it('remembers when this machine’s clock ran ahead of a service’s, by hours, and by how much at most', async () => {
  const service = new FakeService()
  const aheads: ((by: number, at: Instant) => void)[] = []
  const createClient: CreateClient = (options) => {
    if (options.ahead) aheads.push(options.ahead)
    return service.create(options)
  }
  const { accounts, store, keychain, events } = accountsWith({ createClient })
  const { id } = await accounts.connect(form)
  await accounts.clientFor(id)
  const [ahead] = aheads
  const day = 86_400_000
  const noon = Date.parse('2026-11-30T12:00Z') as Instant
  const before = events.length
  ahead?.(4 * day, noon)
  ahead?.(4 * day + 1000, (noon + 60_000) as Instant)
  await eventually(() => expect(events).toHaveLength(before + 1))
  ahead?.(2 * day, (noon + day) as Instant)
  await accounts.learn(id, {})
  const known = { from: noon - 4 * day, until: noon + day + 3_600_000, by: 4 * day + 60_000 }
  expect(accounts.account(id).clockAhead).toEqual(known)
  const again = accountsWith({ store, keychain })
  await again.accounts.open()
  expect(again.accounts.account(id).clockAhead).toEqual(known)
})

it('tells the other modules when the service of an account asks for rest, and lets no form wait for its end', async () => {
  const service = new FakeService()
  const made: Parameters<CreateClient>[0][] = []
  const createClient: CreateClient = (options) => {
    made.push(options)
    return service.create(options)
  }
  const { accounts, bus } = accountsWith({ createClient })
  const heard: object[] = []
  bus.on('service/rests', (event) => heard.push(event))
  const { id } = await accounts.connect(form)
  expect(made.map(({ waitsForRest }) => waitsForRest)).toEqual([false])
  await accounts.clientFor(id)
  expect(made.map(({ waitsForRest }) => waitsForRest)).toEqual([false, undefined])
  const until = Date.parse('2026-11-30T12:00Z') as Instant
  made[1]?.resting?.(until)
  made[1]?.resting?.(null)
  expect(heard).toEqual([
    { kind: 'service/rests', account: id, until },
    { kind: 'service/rests', account: id, until: null },
  ])
})

it('counts what was learnt also where it cannot be kept', async () => {
  const { store, keychain, accounts } = accountsWith()
  const { id } = await accounts.connect(form)
  const refusing: typeof store.run = (name, argument) =>
    name === 'accounts/put' ? Promise.reject(new Error('full')) : store.run(name, argument)
  const again = accountsWith({ store: { ...store, run: refusing }, keychain })
  await again.accounts.open()
  await again.accounts.learn(id, { windows: { overview: 31 } })
  expect(again.accounts.account(id).windows.overview).toBe(31)
})

it('does not bring an account back that is being removed', async () => {
  const { accounts, store } = accountsWith()
  const { id } = await accounts.connect(form)
  const removing = accounts.remove(id)
  await accounts.learn(id, { windows: { tables: 7 } })
  await removing
  await accounts.learn(id, { windows: { tables: 7 } })
  expect(accounts.list()).toEqual([])
  expect(await store.run('accounts/list', undefined)).toEqual([])
})
