import { describe, expect, it } from 'vitest'
import type { AccountId } from '#shared/values/ids.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { answer, localStore, dataScopeOf } from '../database/helpers.ts'
import { settled } from '../reports/clock.ts'
import { accountsWith, FakeKeychain, form } from './helpers.ts'

describe('removing a token alone', () => {
  it('takes it from the keychain and from memory; the account stays with what is kept for it', async () => {
    const { accounts, store, keychain, events, told } = accountsWith()
    const { id } = await accounts.connect(form)
    await store.run('answers/keep', answer({ dataScope: dataScopeOf(id) }))
    const client = await accounts.clientFor(id)
    await client.call('interface/instances', {})
    told.splice(0)
    await accounts.removeToken(id)
    expect(keychain.secrets.size).toBe(0)
    expect(told).toEqual([{ kind: 'account/renewed', account: id }])
    expect(events.at(-1)?.accounts).toMatchObject([{ id, tokenPlace: 'absent' }])
    await expect((await accounts.clientFor(id)).call('interface/instances', {})).rejects.toMatchObject({
      failure: { kind: 'no-token' },
    })
    expect(await store.run('answers/read', { dataScope: dataScopeOf(id), key: answer().key })).not.toBeNull()
    const again = accountsWith({ store, keychain })
    await again.accounts.open()
    expect(again.accounts.list()).toMatchObject([{ id, name: 'Acme' }])
    await again.accounts.renewToken({ account: id, token: 'good-token', storage: 'keychain' })
    await (await again.accounts.clientFor(id)).call('interface/instances', {})
  })

  it('takes one of this session from memory though there is no keychain', async () => {
    const { accounts, keychain } = accountsWith()
    keychain.refuses = true
    const { id } = await accounts.connect({ ...form, storage: 'session' })
    await accounts.removeToken(id)
    keychain.refuses = false
    await expect((await accounts.clientFor(id)).call('interface/instances', {})).rejects.toMatchObject({
      failure: { kind: 'no-token' },
    })
  })

  it('says so where the keychain holds on to it, and leaves it in use', async () => {
    const { accounts, keychain } = accountsWith()
    const { id } = await accounts.connect(form)
    keychain.refuses = true
    await expect(accounts.removeToken(id)).rejects.toMatchObject({ failure: { kind: 'no-keychain' } })
    expect(accounts.list()).toMatchObject([{ id, tokenPlace: 'keychain' }])
    await (await accounts.clientFor(id)).call('interface/instances', {})
  })

  it('does not leave a token in memory that was being read meanwhile', async () => {
    let answerIt = () => {}
    const answered = new Promise<void>((resolve) => (answerIt = resolve))
    const first = accountsWith()
    const { id } = await first.accounts.connect(form)
    const keychain = new FakeKeychain()
    keychain.secrets.set(id, 'good-token')
    const get = keychain.get.bind(keychain)
    let slow = true
    keychain.get = async (account) => {
      const secret = await get(account)
      if (slow) await answered
      slow = false
      return secret
    }
    const { accounts } = accountsWith({ store: first.store, keychain })
    await accounts.open()
    const asking = (await accounts.clientFor(id)).call('interface/instances', {})
    const outcome = expect(asking).rejects.toMatchObject({ failure: { kind: 'no-token' } })
    await settled()
    const removing = accounts.removeToken(id)
    await settled()
    answerIt()
    await Promise.all([removing, outcome])
    expect(accounts.list()).toMatchObject([{ id, tokenPlace: 'absent' }])
  })

  it('is refused for sample data, which has none', async () => {
    const { accounts } = accountsWith()
    const { id } = await accounts.exploreSample()
    await expect(accounts.removeToken(id)).rejects.toMatchObject({
      failure: { kind: 'invalid', field: 'token' },
    })
  })
})

describe('making an account active while it is removed', () => {
  /** What windows and other modules believe, from what they were told. */
  function believing({ accounts, bus }: ReturnType<typeof accountsWith>) {
    let active: AccountId | null = accounts.active()
    bus.on('account/activated', ({ account }) => (active = account))
    return () => active
  }

  it('ends alike in memory, on the disk and for everybody who was told, whichever comes first', async () => {
    for (const removeFirst of [true, false]) {
      const around = accountsWith()
      const { accounts, store, events } = around
      const other = await accounts.connect({ ...form, name: 'Other' })
      const acme = await accounts.connect(form)
      await accounts.activate(other.id)
      const believed = believing(around)
      const remove = () => accounts.remove(acme.id)
      const activate = () => accounts.activate(acme.id)
      const [activated, removed] = await Promise.allSettled(
        removeFirst ? [remove(), activate()].reverse() : [activate(), remove()],
      )
      expect(removed?.status).toBe('fulfilled')
      expect(activated?.status).toBe(removeFirst ? 'rejected' : 'fulfilled')
      expect(accounts.active()).toBe(other.id)
      expect(believed()).toBe(other.id)
      expect(events.at(-1)).toMatchObject({ active: other.id, accounts: [{ id: other.id }] })
      expect((await store.run('settings/read', undefined)).activeAccount).toBe(other.id)
    }
  })

  it('takes the token first, and gives it back where the account stays', async () => {
    const store = localStore()
    const order: string[] = []
    let full = true
    const run: typeof store.run = (name, argument) => {
      if (name !== 'accounts/remove') return store.run(name, argument)
      order.push(`account, ${keychain.secrets.size} tokens`)
      if (!full) return store.run(name, argument)
      return Promise.reject(new DeskFailure({ kind: 'disk', message: 'The disk is full.' }))
    }
    const { accounts, keychain } = accountsWith({ store: { ...store, run } })
    const { id } = await accounts.connect(form)
    await expect(accounts.remove(id)).rejects.toThrow('full')
    expect(accounts.list()).toMatchObject([{ id, tokenPlace: 'keychain' }])
    expect(keychain.entries()[id]?.token).toBe(form.token)
    full = false
    await accounts.remove(id)
    expect(order).toEqual(['account, 0 tokens', 'account, 0 tokens'])
    expect(keychain.secrets.size).toBe(0)
  })

  it('is refused a second removal, once', async () => {
    const { accounts } = accountsWith()
    const { id } = await accounts.connect(form)
    const outcomes = await Promise.allSettled([accounts.remove(id), accounts.remove(id)])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(accounts.active()).toBeNull()
  })

  it('does not hold others up where a change fails', async () => {
    const around = accountsWith()
    const { accounts } = around
    const { id } = await accounts.connect(form)
    const removing = accounts.remove(id)
    await expect(accounts.activate(id)).rejects.toThrow('removed')
    await removing
    const next = await accounts.connect(form)
    expect(accounts.active()).toBe(next.id)
  })
})
