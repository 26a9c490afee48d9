import { describe, expect, it, vi } from 'vitest'
import type { AccountChange } from '../../../src-main/accounts/account-store.ts'
import { firstId } from '../store/helpers.ts'
import { bookWith, form, never } from './helpers.ts'

describe('the account book', () => {
  it('finds its accounts, the active one and the token again at the next start', async () => {
    const first = bookWith()
    const acme = await first.book.connect(form)
    const other = await first.book.connect({ ...form, name: 'Other' })
    await first.book.activate(acme.id)
    const { book, service } = bookWith({ store: first.store, keychain: first.keychain })
    const changes: AccountChange[] = []
    book.onChange((change) => changes.push(change))
    await book.open()
    expect(book.list()).toEqual([acme, other])
    expect(book.active()).toBe(acme.id)
    expect(changes).toEqual([{ kind: 'activated', account: acme.id }])
    const client = await book.clientFor(acme.id)
    await client.call('interface/instances', {})
    expect(service.calls).toEqual([{ path: 'interface/instances', token: 'good-token' }])
  })

  it('makes one client for one account, and says when its token is gone', async () => {
    const { book, keychain, store } = bookWith()
    const { id } = await book.connect(form)
    const again = bookWith({ store, keychain })
    await again.book.open()
    keychain.secrets.clear()
    const [one, two] = await Promise.all([again.book.clientFor(id), again.book.clientFor(id)])
    expect(one).toBe(two)
    await expect(one.call('interface/instances', {})).rejects.toMatchObject({ failure: { kind: 'no-token' } })
    expect(again.service.made).toHaveLength(1)
  })

  it('refuses what is about an account that is not there', async () => {
    const { book } = bookWith()
    expect(() => book.account(firstId)).toThrow('removed')
    await expect(book.activate(firstId)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    await expect(book.clientFor(firstId)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
  })

  it('begins empty and says so where the store refuses', async () => {
    const { store } = bookWith()
    const { book, notices } = bookWith({ store: { ...store, run: () => Promise.reject(new Error('gone')) } })
    await book.open()
    expect(book.list()).toEqual([])
    expect(notices.map((each) => each.id)).toEqual(['accounts-unread'])
  })
})

describe('renewing a token', () => {
  it('puts the new one in place of the old one, for every later call', async () => {
    const { book, keychain, service } = bookWith()
    const { id } = await book.connect(form)
    await book.clientFor(id)
    const changes: AccountChange[] = []
    book.onChange((change) => changes.push(change))
    Object.assign(service, { goodToken: 'newer-token' })
    await expect(book.renewToken({ account: id, token: 'wrong', keep: 'keychain' })).rejects.toMatchObject({
      failure: { kind: 'refused-token', field: 'token' },
    })
    expect(keychain.entries()[id]?.token).toBe('good-token')
    await book.renewToken({ account: id, token: 'newer-token', keep: 'keychain' })
    expect(keychain.entries()[id]?.token).toBe('newer-token')
    expect(changes).toEqual([{ kind: 'renewed', account: id }])
    const client = await book.clientFor(id)
    await client.call('interface/instances', {})
    expect(service.calls.at(-1)?.token).toBe('newer-token')
  })
})

describe('an account that is removed while its new token is tried', () => {
  it('leaves no token behind, and whoever renewed it hears that it is gone', async () => {
    const { book, keychain, service } = bookWith()
    const { id } = await book.connect(form)
    const renewing = book.renewToken({ account: id, token: 'good-token', keep: 'keychain' })
    service.beforeAnswering = () => book.remove(id)
    await expect(renewing).rejects.toMatchObject({ failure: { kind: 'invalid', field: 'account' } })
    expect(keychain.secrets.size).toBe(0)
    expect(book.list()).toEqual([])
  })
})

describe('removing an account', () => {
  it('takes profile, kept answers and token along, and makes another account the active one', async () => {
    const { book, keychain, service, store } = bookWith()
    const acme = await book.connect(form)
    const other = await book.connect({ ...form, name: 'Other' })
    await book.clientFor(other.id)
    await book.remove(other.id)
    expect(book.list()).toEqual([{ ...acme, tokenPlace: 'keychain' }])
    expect(book.active()).toBe(acme.id)
    expect([...keychain.secrets.keys()]).toEqual([acme.id])
    expect(await store.run('accounts/list', undefined)).toEqual([acme])
    expect(service.made.every((each) => each.closed)).toBe(true)
    await book.remove(acme.id)
    expect(book.active()).toBeNull()
  })

  it('says where the keychain keeps the token', async () => {
    const { book, keychain, notices } = bookWith()
    const { id } = await book.connect(form)
    keychain.refuses = true
    await book.remove(id)
    expect(book.list()).toEqual([])
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
    const { book, keychain, store, service } = bookWith({ startSample })
    const [account, twin] = await Promise.all([book.exploreSample(), book.exploreSample()])
    expect(twin).toEqual(account)
    expect(account).toMatchObject({ name: 'Sample data', kind: 'sample', address: '' })
    expect(await book.exploreSample()).toEqual(account)
    const client = await book.clientFor(account.id)
    await client.call('interface/instances', {})
    expect({ started, secrets: keychain.secrets.size }).toEqual({ started: 1, secrets: 0 })

    const next = bookWith({ store, startSample, createClient: service.create })
    await next.book.open()
    expect(started).toBe(1)
    await next.book.clientFor(account.id)
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
    const { book, service } = bookWith({ startSample })
    const { id } = await book.exploreSample()
    end()
    await over
    await book.clientFor(id)
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
    const { book } = bookWith({ startSample })
    await expect(book.exploreSample()).rejects.toThrow('no port')
    expect(book.list()).toEqual([])
    works = true
    await book.exploreSample()
    expect(book.list()).toHaveLength(1)
  })
})

describe('tokens', () => {
  it('are read from the keychain once for all who wait', async () => {
    const { book: first, store, keychain, service } = bookWith()
    const { id } = await first.connect(form)
    const { book } = bookWith({ store, keychain, createClient: service.create })
    await book.open()
    const read = vi.spyOn(keychain, 'get')
    const client = await book.clientFor(id)
    await Promise.all([client.call('interface/instances', {}), client.call('interface/instances', {})])
    expect(read).toHaveBeenCalledTimes(1)
  })

  it('that are renewed for the session only leave no older one in the keychain', async () => {
    const { book, keychain } = bookWith()
    const { id } = await book.connect(form)
    await book.renewToken({ account: id, token: 'good-token', keep: 'session' })
    expect(keychain.secrets.size).toBe(0)
  })
})

describe('closing', () => {
  it('ends what every account still asks', async () => {
    const { book, service } = bookWith()
    const { id } = await book.connect(form)
    await book.clientFor(id)
    await book.close()
    expect(service.made.map((each) => each.closed)).toEqual([true, true])
  })
})
