import { describe, expect, it, vi } from 'vitest'
import { firstId } from '../database/helpers.ts'
import { accountsWith, form, never } from './helpers.ts'

describe('the accounts', () => {
  it('finds its accounts, the active one and the token again at the next start', async () => {
    const first = accountsWith()
    const acme = await first.accounts.connect(form)
    const other = await first.accounts.connect({ ...form, name: 'Other' })
    await first.accounts.activate(acme.id)
    const { accounts, service, told } = accountsWith({ store: first.store, keychain: first.keychain })
    await accounts.open()
    expect(accounts.list()).toEqual([acme, other])
    expect(accounts.active()).toBe(acme.id)
    expect(told).toEqual([{ kind: 'account/activated', account: acme.id }])
    const client = await accounts.clientFor(acme.id)
    await client.call('interface/instances', {})
    expect(service.calls).toEqual([{ path: 'interface/instances', token: 'good-token' }])
  })

  it('makes one client for one account, and says when its token is gone', async () => {
    const { accounts, keychain, store } = accountsWith()
    const { id } = await accounts.connect(form)
    const again = accountsWith({ store, keychain })
    await again.accounts.open()
    keychain.secrets.clear()
    const [one, two] = await Promise.all([again.accounts.clientFor(id), again.accounts.clientFor(id)])
    expect(one).toBe(two)
    await expect(one.call('interface/instances', {})).rejects.toMatchObject({ failure: { kind: 'no-token' } })
    expect(again.service.made).toHaveLength(1)
  })

  it('refuses what is about an account that is not there', async () => {
    const { accounts } = accountsWith()
    expect(() => accounts.account(firstId)).toThrow('removed')
    await expect(accounts.activate(firstId)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    await expect(accounts.clientFor(firstId)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
  })

  it('begins empty and says so where the store refuses', async () => {
    const { store } = accountsWith()
    const { accounts, notices } = accountsWith({
      store: { ...store, run: () => Promise.reject(new Error('gone')) },
    })
    await accounts.open()
    expect(accounts.list()).toEqual([])
    expect(notices.map((each) => each.id)).toEqual(['accounts-unread'])
  })
})

describe('renewing a token', () => {
  it('puts the new one in place of the old one, for every later call', async () => {
    const { accounts, keychain, service, told } = accountsWith()
    const { id } = await accounts.connect(form)
    await accounts.clientFor(id)
    told.splice(0)
    Object.assign(service, { goodToken: 'newer-token' })
    await expect(
      accounts.renewToken({ account: id, token: 'wrong', storage: 'keychain' }),
    ).rejects.toMatchObject({
      failure: { kind: 'refused-token', field: 'token' },
    })
    expect(keychain.entries()[id]?.token).toBe('good-token')
    await accounts.renewToken({ account: id, token: 'newer-token', storage: 'keychain' })
    expect(keychain.entries()[id]?.token).toBe('newer-token')
    expect(told).toEqual([{ kind: 'account/renewed', account: id }])
    const client = await accounts.clientFor(id)
    await client.call('interface/instances', {})
    expect(service.calls.at(-1)?.token).toBe('newer-token')
  })
})

describe('an account that is removed while its new token is tried', () => {
  it('leaves no token behind, and whoever renewed it hears that it is gone', async () => {
    const { accounts, keychain, service } = accountsWith()
    const { id } = await accounts.connect(form)
    const renewing = accounts.renewToken({ account: id, token: 'good-token', storage: 'keychain' })
    service.beforeAnswering = () => accounts.remove(id)
    await expect(renewing).rejects.toMatchObject({ failure: { kind: 'invalid', field: 'account' } })
    expect(keychain.secrets.size).toBe(0)
    expect(accounts.list()).toEqual([])
  })
})

describe('removing an account', () => {
  it('takes profile, kept answers and token along, and makes another account the active one', async () => {
    const { accounts, keychain, service, store } = accountsWith()
    const acme = await accounts.connect(form)
    const other = await accounts.connect({ ...form, name: 'Other' })
    await accounts.clientFor(other.id)
    await accounts.remove(other.id)
    expect(accounts.list()).toEqual([{ ...acme, tokenPlace: 'keychain' }])
    expect(accounts.active()).toBe(acme.id)
    expect([...keychain.secrets.keys()]).toEqual([acme.id])
    expect(await store.run('accounts/list', undefined)).toEqual([acme])
    expect(service.made.every((each) => each.closed)).toBe(true)
    await accounts.remove(acme.id)
    expect(accounts.active()).toBeNull()
  })

  it('says where the keychain keeps the token', async () => {
    const { accounts, keychain, notices } = accountsWith()
    const { id } = await accounts.connect(form)
    keychain.refuses = true
    await accounts.remove(id)
    expect(accounts.list()).toEqual([])
    expect(notices).toMatchObject([{ id: 'token-left', tone: 'warning' }])
  })
})

describe('sample data', () => {
  it('is one account, whose service starts when it is first used and whose token is stored nowhere', async () => {
    let started = 0
    const startSample = async () => {
      started += 1
      return { address: `http://127.0.0.1:${5000 + started}`, token: 'good-token', ended: never }
    }
    const { accounts, keychain, store, service } = accountsWith({ startSample })
    const [account, twin] = await Promise.all([accounts.exploreSample(), accounts.exploreSample()])
    expect(twin).toEqual(account)
    expect(account).toMatchObject({ name: 'Sample data', kind: 'sample', address: '' })
    expect(await accounts.exploreSample()).toEqual(account)
    const client = await accounts.clientFor(account.id)
    await client.call('interface/instances', {})
    expect({ started, secrets: keychain.secrets.size }).toEqual({ started: 1, secrets: 0 })

    const next = accountsWith({ store, startSample, createClient: service.create })
    await next.accounts.open()
    expect(started).toBe(1)
    await next.accounts.clientFor(account.id)
    expect(started).toBe(2)
    expect(service.made.map((each) => each.address)).toEqual([
      'http://127.0.0.1:5001',
      'http://127.0.0.1:5002',
    ])
  })

  it('that ended is started anew, at its new address', async () => {
    let end = () => {}
    const over = new Promise<void>((resolve) => (end = resolve))
    let started = 0
    const startSample = async () => {
      started += 1
      const ended = started === 1 ? over : never
      return { address: `http://127.0.0.1:${5000 + started}`, token: 'good-token', ended }
    }
    const { accounts, service } = accountsWith({ startSample })
    const { id } = await accounts.exploreSample()
    end()
    await over
    await accounts.clientFor(id)
    expect(service.made.map((each) => each.address)).toEqual([
      'http://127.0.0.1:5001',
      'http://127.0.0.1:5002',
    ])
  })

  it('that cannot start makes no account, and may start the next time', async () => {
    let works = false
    const startSample = async () => {
      if (!works) throw new Error('no port')
      return { address: 'http://127.0.0.1:1', token: 'good-token', ended: never }
    }
    const { accounts } = accountsWith({ startSample })
    await expect(accounts.exploreSample()).rejects.toThrow('no port')
    expect(accounts.list()).toEqual([])
    works = true
    await accounts.exploreSample()
    expect(accounts.list()).toHaveLength(1)
  })
})

describe('tokens', () => {
  it('are read from the keychain once for all who wait', async () => {
    const { accounts: first, store, keychain, service } = accountsWith()
    const { id } = await first.connect(form)
    const { accounts } = accountsWith({ store, keychain, createClient: service.create })
    await accounts.open()
    const read = vi.spyOn(keychain, 'get')
    const client = await accounts.clientFor(id)
    await Promise.all([client.call('interface/instances', {}), client.call('interface/instances', {})])
    expect(read).toHaveBeenCalledTimes(1)
  })

  it('that are renewed for the session only leave no older one in the keychain', async () => {
    const { accounts, keychain } = accountsWith()
    const { id } = await accounts.connect(form)
    await accounts.renewToken({ account: id, token: 'good-token', storage: 'session' })
    expect(keychain.secrets.size).toBe(0)
  })
})

describe('closing', () => {
  it('ends what every account still asks', async () => {
    const { accounts, service } = accountsWith()
    const { id } = await accounts.connect(form)
    await accounts.clientFor(id)
    await accounts.stop()
    expect(service.made.map((each) => each.closed)).toEqual([true, true])
  })
})
