import { describe, expect, it } from 'vitest'
import type { Received } from '#main/api/client.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { settled } from '../reports/clock.ts'
import { accountsWith, FakeKeychain, FakeService, form, never } from './helpers.ts'

const cancelled = { failure: { kind: 'cancelled' } }

/** A service that sees so many instances. */
function serviceSeeing(results: number) {
  const service = new FakeService()
  const asked: unknown[] = []
  const create: typeof service.create = (options) => {
    const client = service.create(options)
    return {
      ...client,
      call: async <P extends EndpointPath>(path: P, given: object): Promise<Received<P>> => {
        asked.push(given)
        await client.call(path, {} as never)
        return { answer: { instances: [], query: { results, pages: 1, echo: {} } } } as unknown as Received<P>
      },
    }
  }
  return { service, asked, create }
}

describe('checking an account', () => {
  it('counts the instances that its token may see, without the entry for all of them', async () => {
    const { create, asked } = serviceSeeing(4711)
    const { accounts } = accountsWith({ createClient: create })
    const { id } = await accounts.connect(form)
    expect(await accounts.check(id)).toEqual({ instances: 4711 })
    expect(asked.at(-1)).toEqual({ all: false, limit: 1 })
  })

  it('says what is wrong, and changes nothing', async () => {
    const { accounts, service } = accountsWith()
    const { id } = await accounts.connect(form)
    const before = accounts.list()
    service.failure = 'refused-token'
    await expect(accounts.check(id)).rejects.toMatchObject({
      failure: { kind: 'refused-token', field: 'token' },
    })
    await accounts.removeToken(id)
    await expect(accounts.check(id)).rejects.toMatchObject({ failure: { kind: 'no-token' } })
    expect(accounts.list()).toEqual(before.map((each) => ({ ...each, tokenPlace: 'absent' })))
  })
})

describe('a check by a list that is read for another reason', () => {
  it.each([['all of them', []] as const, ['a part of them', null] as const])(
    'of %s says nothing of an account that was removed meanwhile, and fails in nobody’s hands',
    async (_, instances) => {
      const { accounts } = accountsWith()
      const { id } = await accounts.connect(form)
      const check = accounts.startScopeCheck(id)
      await accounts.remove(id)
      expect(await check(instances)).toMatchObject({ kind: 'cancelled' })
    },
  )
})

describe('giving up waiting', () => {
  /** Accounts whose service does not answer, and ignores being cancelled. */
  async function hanging() {
    const around = accountsWith()
    const { id } = await around.accounts.connect(form)
    around.service.beforeAnswering = () => never
    const { name, bodyEncoding, dayZone, windows } = around.accounts.account(id)
    const edit = { account: id, name, address: `${form.address}/elsewhere`, bodyEncoding, dayZone, windows }
    return { ...around, id, edit }
  }

  it('ends connecting, and keeps nothing', async () => {
    const { accounts, store, keychain, id } = await hanging()
    const connecting = accounts.connect({ ...form, name: 'Other' })
    await settled()
    accounts.cancelCheck()
    await expect(connecting).rejects.toMatchObject(cancelled)
    expect([...keychain.secrets.keys()]).toEqual([id])
    expect((await store.run('accounts/list', undefined)).map((each) => each.name)).toEqual(['Acme'])
  })

  it('ends editing, checking and renewing a token, and changes nothing', async () => {
    const { accounts, keychain, id, edit } = await hanging()
    const before = accounts.list()
    const waiting = [
      accounts.edit(edit),
      accounts.check(id),
      accounts.renewToken({ account: id, token: 'newer-token', storage: 'keychain' }),
    ]
    const outcomes = Promise.allSettled(waiting)
    await settled()
    accounts.cancelCheck()
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: cancelled })
    expect(accounts.list()).toEqual(before)
    expect(keychain.entries()[id]?.token).toBe('good-token')
  })

  it('closes the connection that was tried', async () => {
    const { accounts, service } = await hanging()
    const signals: (AbortSignal | undefined)[] = []
    const again = accountsWith({
      createClient: (options) => ({
        ...service.create(options),
        call: (_path, _given, { signal } = {}) => {
          signals.push(signal)
          return new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(new Error('broken off')))
          })
        },
      }),
    })
    const connecting = again.accounts.connect(form)
    await settled()
    again.accounts.cancelCheck()
    await expect(connecting).rejects.toMatchObject(cancelled)
    await settled()
    expect(signals.map((signal) => signal?.aborted)).toEqual([true])
    expect(service.made.at(-1)?.closed).toBe(true)
    await accounts.stop()
  })

  it('leaves no token that a locked keychain stores only afterwards', async () => {
    let unlock = () => {}
    const unlocked = new Promise<void>((resolve) => (unlock = resolve))
    const keychain = new FakeKeychain()
    const set = keychain.set.bind(keychain)
    keychain.set = async (account, secret) => {
      await unlocked
      await set(account, secret)
    }
    const { accounts, store } = accountsWith({ keychain })
    const connecting = accounts.connect(form)
    const outcome = expect(connecting).rejects.toMatchObject(cancelled)
    await settled()
    accounts.cancelCheck()
    await outcome
    unlock()
    await settled()
    expect(keychain.secrets.size).toBe(0)
    expect(await store.run('accounts/list', undefined)).toEqual([])
  })

  it('is what closing does, and nothing where nothing is waited for', async () => {
    const { accounts, id } = await hanging()
    accounts.cancelCheck()
    const checking = accounts.check(id)
    const outcome = expect(checking).rejects.toMatchObject(cancelled)
    await settled()
    await accounts.stop()
    await outcome
  })
})
