import { expect, it } from 'vitest'
import { bookWith, form } from './helpers.ts'

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
