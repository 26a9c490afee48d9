import { describe, expect, it } from 'vitest'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { AccountEdit } from '#main/accounts/check-edit.ts'
import type { Account } from '#shared/accounts/account.ts'
import { noWindows } from '#shared/accounts/account.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { answer, dataScopeOf, localStore } from '../database/helpers.ts'
import { accountsWith, form } from './helpers.ts'

/** Another service of the same host: the token is for both. */
const elsewhere = `${form.address}/elsewhere`

/** One account, what was emitted of it since, and an edit of it that changes nothing. */
async function withAcme(changes: Parameters<typeof accountsWith>[0] = {}) {
  const around = accountsWith(changes)
  const acme = await around.accounts.connect(form)
  around.told.splice(0)
  around.events.splice(0)
  around.service.calls.splice(0)
  return { ...around, acme, unchanged: unchanged(acme) }
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
const known = async ({ accounts, store }: { accounts: Accounts; store: ReturnType<typeof localStore> }) => ({
  inMemory: accounts.list(),
  onDisk: await store.run('accounts/list', undefined),
})

describe('editing an account', () => {
  it('changes name, zone and windows without asking the service, and is known at the next start', async () => {
    const { accounts, store, keychain, service, acme, told, events, unchanged: edit } = await withAcme()
    const windows = { tables: 7, overview: 31, lookups: null }
    const changed = await accounts.edit({ ...edit, name: ' Acme Ltd ', dayZone: 'Europe/Berlin', windows })
    expect(changed).toMatchObject({ id: acme.id, name: 'Acme Ltd', dayZone: 'Europe/Berlin', windows })
    const edited = { kind: 'account/edited', account: acme.id }
    expect({ calls: service.calls, told }).toEqual({ calls: [], told: [edited] })
    expect(events.at(-1)?.accounts).toMatchObject([{ name: 'Acme Ltd', windows }])
    const again = accountsWith({ store, keychain })
    await again.accounts.open()
    expect(again.accounts.list()).toEqual([changed])
  })

  it('tries another address with the account’s token, keeps what is kept, and learns its columns anew', async () => {
    const { accounts, store, service, acme, told, unchanged: edit } = await withAcme()
    await accounts.learn(acme.id, { firstColumn: 1, rateBases: { script: { Good: 'Responses' } } })
    await accounts.learn(acme.id, { ratesCheckedAt: { script: 1 }, searchedAll: { direct: 'found' } })
    await accounts.clientFor(acme.id)
    await store.run('answers/keep', answer({ dataScope: dataScopeOf(acme.id) }))
    const changed = await accounts.edit({ ...edit, address: ` ${elsewhere}/ ` })
    expect(changed).toMatchObject({ address: elsewhere, firstColumn: null })
    for (const learnt of [changed.rateBases, changed.ratesCheckedAt, changed.searchedAll])
      expect(learnt).toEqual({})
    expect(service.calls).toEqual([{ path: 'interface/instances', token: 'good-token' }])
    expect(service.made.map(({ address, closed }) => [address, closed])).toEqual([
      [form.address, true],
      [form.address, true],
      [elsewhere, true],
    ])
    expect(told).toEqual([
      { kind: 'account/other-data-scope', account: acme.id },
      { kind: 'account/renewed', account: acme.id },
      { kind: 'account/edited', account: acme.id },
    ])
    await (await accounts.clientFor(acme.id)).call('interface/instances', {})
    expect(service.made.at(-1)?.address).toBe(elsewhere)
    expect(
      await store.run('answers/read', { dataScope: dataScopeOf(acme.id), key: answer().key }),
    ).not.toBeNull()
  })

  it('tries another form of bodies as well', async () => {
    const { accounts, service, unchanged: edit } = await withAcme()
    expect(await accounts.edit({ ...edit, bodyEncoding: 'form' })).toMatchObject({ bodyEncoding: 'form' })
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
    await around.accounts.connect({ ...form, name: 'Other' })
    around.service.calls.splice(0)
    const before = await known(around)
    await expect(around.accounts.edit({ ...around.unchanged, ...wrong })).rejects.toMatchObject({
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
        around.accounts.edit({ ...around.unchanged, address: elsewhere, name: 'New' }),
      ).rejects.toMatchObject({ failure: { kind } })
    }
    expect(await known(around)).toEqual(before)
    expect(around.told).toEqual([])
    around.service.failure = null
    await around.accounts.edit({ ...around.unchanged, name: 'New' })
  })

  it('changes nothing where there is no token to try it with', async () => {
    const around = await withAcme()
    await around.accounts.removeToken(around.acme.id)
    const before = await known(around)
    await expect(around.accounts.edit({ ...around.unchanged, address: elsewhere })).rejects.toMatchObject({
      failure: { kind: 'no-token' },
    })
    expect(await known(around)).toEqual(before)
    expect(await around.accounts.edit({ ...around.unchanged, name: 'New' })).toMatchObject({ name: 'New' })
  })

  it('changes nothing where the store refuses; what is learnt meanwhile stays', async () => {
    const store = localStore()
    let full = false
    const run: typeof store.run = (name, argument) =>
      full && name === 'accounts/put'
        ? Promise.reject(new DeskFailure({ kind: 'disk', message: 'The disk is full.' }))
        : store.run(name, argument)
    const { accounts, acme, unchanged: edit, told } = await withAcme({ store: { ...store, run } })
    full = true
    await expect(accounts.edit({ ...edit, name: 'New', address: elsewhere })).rejects.toThrow('full')
    expect(accounts.account(acme.id)).toEqual(acme)
    expect(told).toEqual([])
    full = false
    const editing = accounts.edit({ ...edit, name: 'New' })
    await accounts.learn(acme.id, { windows: { overview: 31 } })
    await editing
    expect(await store.run('accounts/list', undefined)).toEqual([accounts.account(acme.id)])
    expect(accounts.account(acme.id).name).toBe('New')
  })

  it('does not give two accounts one name, nor bring back one that is removed meanwhile', async () => {
    const around = await withAcme()
    const { accounts, service, acme, unchanged: edit, store } = around
    const other = await accounts.connect({ ...form, name: 'Other' })
    const outcomes = await Promise.allSettled([
      accounts.edit({ ...edit, name: 'Same', address: elsewhere }),
      accounts.edit({ ...unchanged(other), name: 'Same', address: elsewhere }),
    ])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    service.beforeAnswering = () => accounts.remove(acme.id)
    await expect(accounts.edit({ ...edit, bodyEncoding: 'form' })).rejects.toThrow('removed')
    expect((await store.run('accounts/list', undefined)).map(({ id }) => id)).toEqual([other.id])
  })
})

describe('the sample account', () => {
  it('can be called otherwise, and has its own zone and windows; the rest is as it is', async () => {
    const { accounts, service } = accountsWith()
    const sample = await accounts.exploreSample()
    const edit = unchanged(sample)
    const windows = { ...noWindows, tables: 7 }
    const changed = await accounts.edit({ ...edit, name: 'Demo', dayZone: 'Asia/Tokyo', windows })
    expect(changed).toEqual({ ...sample, name: 'Demo', dayZone: 'Asia/Tokyo', windows })
    for (const [field, wrong] of [
      ['address', { address: elsewhere }],
      ['bodyEncoding', { bodyEncoding: 'form' }],
    ] as const) {
      await expect(accounts.edit({ ...edit, ...wrong })).rejects.toMatchObject({
        failure: { kind: 'invalid', field },
      })
    }
    expect(accounts.account(sample.id)).toEqual(changed)
    expect(service.calls).toEqual([])
  })
})
