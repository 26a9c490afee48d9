import { describe, expect, it } from 'vitest'
import type { AccountChange } from '../../../src-main/accounts/account-store.ts'
import type { AccountId } from '../../../src-shared/values/ids.ts'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import { answer, localStore, ownerOf } from '../store/helpers.ts'
import { settled } from '../figures/clock.ts'
import { bookWith, FakeKeychain, form } from './helpers.ts'

describe('removing a token alone', () => {
  it('takes it from the keychain and from memory; the account stays with what is kept for it', async () => {
    const { book, store, keychain, events } = bookWith()
    const { id } = await book.connect(form)
    await store.run('answers/keep', answer({ owner: ownerOf(id) }))
    const client = await book.clientFor(id)
    await client.call('interface/instances', {})
    const told: AccountChange[] = []
    book.onChange((change) => told.push(change))
    await book.removeToken(id)
    expect(keychain.secrets.size).toBe(0)
    expect(told).toEqual([{ kind: 'renewed', account: id }])
    expect(events.at(-1)?.accounts).toMatchObject([{ id, tokenPlace: 'absent' }])
    await expect((await book.clientFor(id)).call('interface/instances', {})).rejects.toMatchObject({
      failure: { kind: 'no-token' },
    })
    expect(await store.run('answers/read', { owner: ownerOf(id), key: answer().key })).not.toBeNull()
    const again = bookWith({ store, keychain })
    await again.book.open()
    expect(again.book.list()).toMatchObject([{ id, name: 'Acme' }])
    await again.book.renewToken({ account: id, token: 'good-token', keep: 'keychain' })
    await (await again.book.clientFor(id)).call('interface/instances', {})
  })

  it('takes one of this session from memory though there is no keychain', async () => {
    const { book, keychain } = bookWith()
    keychain.refuses = true
    const { id } = await book.connect({ ...form, keep: 'session' })
    await book.removeToken(id)
    keychain.refuses = false
    await expect((await book.clientFor(id)).call('interface/instances', {})).rejects.toMatchObject({
      failure: { kind: 'no-token' },
    })
  })

  it('says so where the keychain holds on to it, and leaves it in use', async () => {
    const { book, keychain } = bookWith()
    const { id } = await book.connect(form)
    keychain.refuses = true
    await expect(book.removeToken(id)).rejects.toMatchObject({ failure: { kind: 'no-keychain' } })
    expect(book.list()).toMatchObject([{ id, tokenPlace: 'keychain' }])
    await (await book.clientFor(id)).call('interface/instances', {})
  })

  it('does not leave a token in memory that was being read meanwhile', async () => {
    let answerIt = () => {}
    const answered = new Promise<void>((resolve) => (answerIt = resolve))
    const first = bookWith()
    const { id } = await first.book.connect(form)
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
    const { book } = bookWith({ store: first.store, keychain })
    await book.open()
    const asking = (await book.clientFor(id)).call('interface/instances', {})
    const outcome = expect(asking).rejects.toMatchObject({ failure: { kind: 'no-token' } })
    await settled()
    const removing = book.removeToken(id)
    await settled()
    answerIt()
    await Promise.all([removing, outcome])
    expect(book.list()).toMatchObject([{ id, tokenPlace: 'absent' }])
  })

  it('is refused for sample data, which has none', async () => {
    const { book } = bookWith()
    const { id } = await book.exploreSample()
    await expect(book.removeToken(id)).rejects.toMatchObject({ failure: { kind: 'invalid', field: 'token' } })
  })
})

describe('making an account active while it is removed', () => {
  /** What windows and other modules believe, from what they were told. */
  function believing({ book }: ReturnType<typeof bookWith>) {
    let active: AccountId | null = book.active()
    book.onChange((change) => {
      if (change.kind === 'activated') active = change.account
    })
    return () => active
  }

  it('ends alike in memory, on the disk and for everybody who was told, whichever comes first', async () => {
    for (const removeFirst of [true, false]) {
      const around = bookWith()
      const { book, store, events } = around
      const other = await book.connect({ ...form, name: 'Other' })
      const acme = await book.connect(form)
      await book.activate(other.id)
      const believed = believing(around)
      const remove = () => book.remove(acme.id)
      const activate = () => book.activate(acme.id)
      const [activated, removed] = await Promise.allSettled(
        removeFirst ? [remove(), activate()].reverse() : [activate(), remove()],
      )
      expect(removed?.status).toBe('fulfilled')
      expect(activated?.status).toBe(removeFirst ? 'rejected' : 'fulfilled')
      expect(book.active()).toBe(other.id)
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
    const { book, keychain } = bookWith({ store: { ...store, run } })
    const { id } = await book.connect(form)
    await expect(book.remove(id)).rejects.toThrow('full')
    expect(book.list()).toMatchObject([{ id, tokenPlace: 'keychain' }])
    expect(keychain.entries()[id]?.token).toBe(form.token)
    full = false
    await book.remove(id)
    expect(order).toEqual(['account, 0 tokens', 'account, 0 tokens'])
    expect(keychain.secrets.size).toBe(0)
  })

  it('is refused a second removal, once', async () => {
    const { book } = bookWith()
    const { id } = await book.connect(form)
    const outcomes = await Promise.allSettled([book.remove(id), book.remove(id)])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(book.active()).toBeNull()
  })

  it('does not hold others up where a change fails', async () => {
    const around = bookWith()
    const { book } = around
    const { id } = await book.connect(form)
    const removing = book.remove(id)
    await expect(book.activate(id)).rejects.toThrow('removed')
    await removing
    const next = await book.connect(form)
    expect(book.active()).toBe(next.id)
  })
})
