import { describe, expect, it } from 'vitest'
import type { AccountStore, AccountChange } from '../../../src-main/accounts/account-store.ts'
import type { AccountEdit } from '../../../src-main/accounts/check-edit.ts'
import type { Account } from '../../../src-shared/accounts/account.ts'
import { noWindows } from '../../../src-shared/accounts/account.ts'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import { answer, ownerOf, localStore } from '../store/helpers.ts'
import { bookWith, form } from './helpers.ts'

/** Another service of the same host: the token is for both. */
const elsewhere = `${form.address}/elsewhere`

/** A book with one account, what it told since, and an edit of it that changes nothing. */
async function withAcme(changes: Parameters<typeof bookWith>[0] = {}) {
  const around = bookWith(changes)
  const acme = await around.book.connect(form)
  const told: AccountChange[] = []
  around.book.onChange((change) => told.push(change))
  around.events.splice(0)
  around.service.calls.splice(0)
  return { ...around, acme, told, unchanged: unchanged(acme) }
}

const unchanged = ({ id, name, address, bodyEncoding, dayZone, windows }: Account): AccountEdit => ({
  account: id,
  name,
  address,
  bodyEncoding,
  dayZone,
  windows,
})

/** The accounts as windows and the disk know them. */
const known = async ({ book, store }: { book: AccountStore; store: ReturnType<typeof localStore> }) => ({
  inMemory: book.list(),
  onDisk: await store.run('accounts/list', undefined),
})

describe('editing an account', () => {
  it('changes name, zone and windows without asking the service, and is known at the next start', async () => {
    const { book, store, keychain, service, acme, told, events, unchanged: edit } = await withAcme()
    const windows = { tables: 7, overview: 31, lookups: null }
    const changed = await book.edit({ ...edit, name: ' Acme Ltd ', dayZone: 'Europe/Berlin', windows })
    expect(changed).toMatchObject({ id: acme.id, name: 'Acme Ltd', dayZone: 'Europe/Berlin', windows })
    expect({ calls: service.calls, told }).toEqual({ calls: [], told: [] })
    expect(events.at(-1)?.accounts).toMatchObject([{ name: 'Acme Ltd', windows }])
    const again = bookWith({ store, keychain })
    await again.book.open()
    expect(again.book.list()).toEqual([changed])
  })

  it('tries another address with the account’s token, keeps what is kept, and learns its columns anew', async () => {
    const { book, store, service, acme, told, unchanged: edit } = await withAcme()
    await book.learn(acme.id, { firstColumn: 1, rateBases: { script: { Good: 'Responses' } } })
    await book.learn(acme.id, { ratesLookedAt: { script: 1 }, searchedAll: { direct: 'found' } })
    await book.clientFor(acme.id)
    await store.run('answers/keep', answer({ owner: ownerOf(acme.id) }))
    const changed = await book.edit({ ...edit, address: ` ${elsewhere}/ ` })
    expect(changed).toMatchObject({ address: elsewhere, firstColumn: null })
    for (const learnt of [changed.rateBases, changed.ratesLookedAt, changed.searchedAll])
      expect(learnt).toEqual({})
    expect(service.calls).toEqual([{ path: 'interface/instances', token: 'good-token' }])
    expect(service.made.map(({ address, closed }) => [address, closed])).toEqual([
      [form.address, true],
      [form.address, true],
      [elsewhere, true],
    ])
    expect(told).toEqual([
      { kind: 'other-owner', account: acme.id },
      { kind: 'renewed', account: acme.id },
    ])
    await (await book.clientFor(acme.id)).call('interface/instances', {})
    expect(service.made.at(-1)?.address).toBe(elsewhere)
    expect(await store.run('answers/read', { owner: ownerOf(acme.id), key: answer().key })).not.toBeNull()
  })

  it('tries another form of bodies as well', async () => {
    const { book, service, unchanged: edit } = await withAcme()
    expect(await book.edit({ ...edit, bodyEncoding: 'form' })).toMatchObject({ bodyEncoding: 'form' })
    expect(service.calls).toHaveLength(1)
  })

  it.each([
    ['name', { name: ' ' }],
    ['name', { name: 'Other' }],
    ['address', { address: 'http://elsewhere.example' }],
    ['dayZone', { dayZone: '' }],
    ['dayZone', { dayZone: 'Europe/Atlantis' }],
    ['dayZone', { dayZone: '+01:00' }],
  ])('refuses a wrong %s before asking anyone: %j', async (field, wrong) => {
    const around = await withAcme()
    await around.book.connect({ ...form, name: 'Other' })
    around.service.calls.splice(0)
    const before = await known(around)
    await expect(around.book.edit({ ...around.unchanged, ...wrong })).rejects.toMatchObject({
      failure: { kind: 'invalid', field },
    })
    expect(await known(around)).toEqual(before)
    expect(around.service.calls).toEqual([])
  })

  it('changes nothing where the service refuses', async () => {
    const around = await withAcme()
    const before = await known(around)
    for (const kind of ['refused-token', 'offline', 'malformed'] as const) {
      around.service.failure = kind
      await expect(
        around.book.edit({ ...around.unchanged, address: elsewhere, name: 'New' }),
      ).rejects.toMatchObject({ failure: { kind } })
    }
    expect(await known(around)).toEqual(before)
    expect(around.told).toEqual([])
    around.service.failure = null
    await around.book.edit({ ...around.unchanged, name: 'New' })
  })

  it('changes nothing where there is no token to try it with', async () => {
    const around = await withAcme()
    await around.book.removeToken(around.acme.id)
    const before = await known(around)
    await expect(around.book.edit({ ...around.unchanged, address: elsewhere })).rejects.toMatchObject({
      failure: { kind: 'no-token' },
    })
    expect(await known(around)).toEqual(before)
    expect(await around.book.edit({ ...around.unchanged, name: 'New' })).toMatchObject({ name: 'New' })
  })

  it('changes nothing where the store refuses; what is learnt meanwhile stays', async () => {
    const store = localStore()
    let full = false
    const run: typeof store.run = (name, argument) =>
      full && name === 'accounts/put'
        ? Promise.reject(new DeskFailure({ kind: 'disk', message: 'The disk is full.' }))
        : store.run(name, argument)
    const { book, acme, unchanged: edit, told } = await withAcme({ store: { ...store, run } })
    full = true
    await expect(book.edit({ ...edit, name: 'New', address: elsewhere })).rejects.toThrow('full')
    expect(book.account(acme.id)).toEqual(acme)
    expect(told).toEqual([])
    full = false
    const editing = book.edit({ ...edit, name: 'New' })
    await book.learn(acme.id, { windows: { overview: 31 } })
    await editing
    expect(await store.run('accounts/list', undefined)).toEqual([book.account(acme.id)])
    expect(book.account(acme.id).name).toBe('New')
  })

  it('does not give two accounts one name, nor bring back one that is removed meanwhile', async () => {
    const around = await withAcme()
    const { book, service, acme, unchanged: edit, store } = around
    const other = await book.connect({ ...form, name: 'Other' })
    const outcomes = await Promise.allSettled([
      book.edit({ ...edit, name: 'Same', address: elsewhere }),
      book.edit({ ...unchanged(other), name: 'Same', address: elsewhere }),
    ])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    service.beforeAnswering = () => book.remove(acme.id)
    await expect(book.edit({ ...edit, bodyEncoding: 'form' })).rejects.toThrow('removed')
    expect((await store.run('accounts/list', undefined)).map(({ id }) => id)).toEqual([other.id])
  })
})

describe('the sample account', () => {
  it('can be called otherwise, and has its own zone and windows; the rest is as it is', async () => {
    const { book, service } = bookWith()
    const sample = await book.exploreSample()
    const edit = unchanged(sample)
    const windows = { ...noWindows, tables: 7 }
    const changed = await book.edit({ ...edit, name: 'Demo', dayZone: 'Asia/Tokyo', windows })
    expect(changed).toEqual({ ...sample, name: 'Demo', dayZone: 'Asia/Tokyo', windows })
    for (const [field, wrong] of [
      ['address', { address: elsewhere }],
      ['bodyEncoding', { bodyEncoding: 'form' }],
    ] as const) {
      await expect(book.edit({ ...edit, ...wrong })).rejects.toMatchObject({
        failure: { kind: 'invalid', field },
      })
    }
    expect(book.account(sample.id)).toEqual(changed)
    expect(service.calls).toEqual([])
  })
})
