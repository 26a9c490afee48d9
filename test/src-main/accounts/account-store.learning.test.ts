import { expect, it } from 'vitest'
import type { CreateClient } from '../../../src-main/accounts/client.ts'
import type { Instant } from '../../../src-shared/values/ids.ts'
import { eventually } from '../../helpers/eventually.ts'
import { bookWith, FakeService, form } from './helpers.ts'

it('keeps what was learnt of a service, tells the windows, and knows it at the next start', async () => {
  const { book, store, keychain, events } = bookWith()
  const { id } = await book.connect(form)
  const before = events.length
  await book.learn(id, { windows: { tables: 7 } })
  await book.learn(id, { firstColumn: 1 })
  expect(book.account(id)).toMatchObject({
    windows: { tables: 7, overview: null, lookups: null },
    firstColumn: 1,
  })
  expect(events).toHaveLength(before + 2)
  expect(events.at(-1)?.accounts).toMatchObject([{ id, firstColumn: 1 }])
  const learnt = {
    rateBases: { script: { Good: 'Responses' }, direct: 'unexplained' },
    ratesLookedAt: { script: 1_764_000_000_000 },
    searchedAll: { script: 'everything', direct: 'found' },
  } as const
  await book.learn(id, learnt)
  const again = bookWith({ store, keychain })
  await again.book.open()
  expect(again.book.account(id)).toMatchObject({ windows: { tables: 7 }, firstColumn: 1, ...learnt })
})

it('remembers when this machine’s clock ran ahead of a service’s, by hours, and by how much at most', async () => {
  const service = new FakeService()
  const aheads: ((by: number, at: Instant) => void)[] = []
  const createClient: CreateClient = (options) => {
    if (options.ahead) aheads.push(options.ahead)
    return service.create(options)
  }
  const { book, store, keychain, events } = bookWith({ createClient })
  const { id } = await book.connect(form)
  await book.clientFor(id)
  const [ahead] = aheads
  const day = 86_400_000
  const noon = Date.parse('2026-11-30T12:00Z') as Instant
  const before = events.length
  ahead?.(4 * day, noon)
  ahead?.(4 * day + 1000, (noon + 60_000) as Instant)
  await eventually(() => expect(events).toHaveLength(before + 1))
  ahead?.(2 * day, (noon + day) as Instant)
  await book.learn(id, {})
  const known = { from: noon - 4 * day, until: noon + day + 3_600_000, by: 4 * day + 60_000 }
  expect(book.account(id).clockAhead).toEqual(known)
  const again = bookWith({ store, keychain })
  await again.book.open()
  expect(again.book.account(id).clockAhead).toEqual(known)
})

it('counts what was learnt also where it cannot be kept', async () => {
  const { store, keychain, book } = bookWith()
  const { id } = await book.connect(form)
  const refusing: typeof store.run = (name, argument) =>
    name === 'accounts/put' ? Promise.reject(new Error('full')) : store.run(name, argument)
  const again = bookWith({ store: { ...store, run: refusing }, keychain })
  await again.book.open()
  await again.book.learn(id, { windows: { overview: 31 } })
  expect(again.book.account(id).windows.overview).toBe(31)
})

it('does not bring an account back that is being removed', async () => {
  const { book, store } = bookWith()
  const { id } = await book.connect(form)
  const removing = book.remove(id)
  await book.learn(id, { windows: { tables: 7 } })
  await removing
  await book.learn(id, { windows: { tables: 7 } })
  expect(book.list()).toEqual([])
  expect(await store.run('accounts/list', undefined)).toEqual([])
})
