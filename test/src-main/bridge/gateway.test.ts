import { describe, expect, it } from 'vitest'
import { openGateway } from '#main/bridge/gateway.ts'
import type { Sender } from '#main/bridge/gateway.ts'
import type { Handlers } from '#main/lib/module.ts'
import type { Account } from '#shared/accounts/account.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { calls } from '#shared/bridge/calls.ts'
import { callChannel, dropChannel } from '#shared/bridge/channels.ts'
import type { DroppedFileId } from '#shared/archives/rows-file.ts'
import type { AccountId } from '#shared/values/ids.ts'

const id = '0b8e7e53-9d0e-4f1c-9a43-3e7f5a1f2b6c' as AccountId
const account: Account = {
  id,
  name: 'Client',
  kind: 'service',
  address: 'https://reports.example',
  bodyEncoding: 'json',
  dayZone: 'UTC',
  windows: { tables: null, overview: null, lookups: null },
  firstColumn: null,
}
const ours: Sender = {
  sender: { id: 1 },
  senderFrame: { url: 'traffic-desk-app://desk/index.html', parent: null },
}
const typed = {
  name: 'Client',
  address: 'https://reports.example',
  token: 'tok-5e15a',
  storage: 'keychain',
  bodyEncoding: 'json',
}

const neverAsked = () => {
  throw new Error('This call is not expected')
}

const handlers = Object.fromEntries(
  Object.keys(calls).map((name) => [name, neverAsked]),
) as unknown as Handlers

/** Opens a gateway over a channel of our own, and gives what a window would get. */
const unlocked = { locked: false }

function opened(some: Partial<Handlers>, lock = unlocked) {
  const reported: unknown[] = []
  const listeners = new Map<string, (event: Sender, ...given: unknown[]) => Promise<unknown>>()
  openGateway<Sender>(
    { handle: (channel, listener) => void listeners.set(channel, listener) },
    {
      handlers: { ...handlers, ...some },
      lock,
      dropped: (paths) => Promise.resolve(paths.map((path) => `id of ${path}` as DroppedFileId)),
    },
    { origin: 'traffic-desk-app://desk', isOurWindow: (contents) => contents === 1 },
    (call, error) => reported.push([call, error]),
  )
  const call = (name: unknown, argument?: unknown, sender: Sender = ours) =>
    listeners.get(callChannel)?.(sender, name, argument)
  const drop = (paths: unknown, sender: Sender = ours) => listeners.get(dropChannel)?.(sender, paths)
  return { call, reported, drop }
}

describe('a locked window', () => {
  const locked = { locked: true }
  const open = ['lock/state', 'lock/unlock', 'lock/sign-in']

  it('gets nothing but what the lock needs, whatever it asks', async () => {
    let asked = 0
    const all = Object.fromEntries(
      Object.keys(calls).map((name) => [name, () => (asked += 1)]),
    ) as unknown as Handlers
    const { call } = opened(all, locked)
    const names = Object.keys(calls).filter((name) => !open.includes(name))
    expect(names.length).toBeGreaterThan(100)
    for (const name of names)
      for (const argument of [undefined, {}, { account: id }])
        expect(await call(name, argument), name).toEqual({
          ok: false,
          failure: { kind: 'invalid', message: 'Traffic Desk is locked.' },
        })
    expect(asked).toBe(0)
  })

  it('can be opened', async () => {
    const some = {
      'lock/state': () => ({ locked: true, after: 5, waitsUntil: null }) as const,
      'lock/unlock': () => null,
    }
    const { call } = opened(some, locked)
    expect(await call('lock/state')).toMatchObject({ ok: true, value: { locked: true } })
    expect(await call('lock/unlock', { passphrase: 'a' })).toEqual({ ok: true, value: null })
  })

  it('takes no files', async () => {
    expect(await opened({}, locked).drop(['/tmp/a.csv'])).toEqual([])
  })
})

describe('files that were dropped', () => {
  it('are named for a window of ours', async () => {
    expect(await opened({}).drop(['/tmp/a.csv', ''])).toEqual(['id of /tmp/a.csv', 'id of '])
  })

  it('are named for nobody else, and are nothing but paths', async () => {
    const { drop } = opened({})
    expect(await drop(['/tmp/a.csv'], { ...ours, sender: { id: 2 } })).toEqual([])
    expect(await drop('/tmp/a.csv')).toEqual([])
    expect(await drop([{ path: '/tmp/a.csv' }])).toEqual([])
  })
})

describe('the gateway', () => {
  it('answers with what the handler gives', async () => {
    const { call } = opened({ 'accounts/activate': () => account })
    expect(await call('accounts/activate', { account: id })).toEqual({ ok: true, value: account })
  })

  it('hands over what the schema made of the argument', async () => {
    const seen: unknown[] = []
    const { call } = opened({
      'accounts/connect': (argument) => {
        seen.push(argument)
        return account
      },
    })
    await call('accounts/connect', typed)
    expect(seen).toEqual([typed])
  })

  it.each([
    ['another window', { ...ours, sender: { id: 2 } }],
    [
      'a frame within the window',
      { sender: { id: 1 }, senderFrame: { url: 'traffic-desk-app://desk/', parent: {} } },
    ],
    ['a page of another origin', { sender: { id: 1 }, senderFrame: { url: 'https://desk/', parent: null } }],
    [
      'a host that begins like ours',
      { sender: { id: 1 }, senderFrame: { url: 'traffic-desk-app://desk.example/', parent: null } },
    ],
    ['a frame that has gone', { sender: { id: 1 }, senderFrame: null }],
  ])('refuses %s', async (_, sender) => {
    const { call } = opened({ 'accounts/activate': () => account })
    expect(await call('accounts/activate', { account: id }, sender)).toMatchObject({
      ok: false,
      failure: { kind: 'invalid' },
    })
  })

  it.each([undefined, null, 7, {}, 'accounts/steal', 'toString', '__proto__', 'constructor'])(
    'refuses the name %s',
    async (name) => {
      const { call, reported } = opened({})
      expect(await call(name)).toMatchObject({ ok: false, failure: { kind: 'invalid' } })
      expect(reported).toEqual([])
    },
  )

  it.each([
    ['nothing', undefined],
    ['a member too many', { account: id, extra: 1 }],
    ['an id that is none', { account: 'x' }],
    ['text for an object', 'account'],
  ])('refuses an argument that is %s', async (_, argument) => {
    const { call } = opened({ 'accounts/activate': () => account })
    expect(await call('accounts/activate', argument)).toMatchObject({
      ok: false,
      failure: { kind: 'invalid' },
    })
  })

  it('names the field that is wrong, and never repeats what was typed', async () => {
    const { call } = opened({})
    const secret = 'typed-'.repeat(3000)
    const outcome = await call('accounts/connect', { ...typed, token: secret })
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'invalid', field: 'token' } })
    expect(JSON.stringify(outcome)).not.toContain('typed-')
  })

  it('says a failure that a room foresaw as it is, without an entry in the log', async () => {
    const failure = { kind: 'no-keychain', message: 'No keychain answers.' } as const
    const { call, reported } = opened({
      'accounts/connect': () => Promise.reject(new DeskFailure(failure)),
    })
    expect(await call('accounts/connect', typed)).toEqual({ ok: false, failure })
    expect(reported).toEqual([])
  })

  it('keeps the words of an unexpected error to the log', async () => {
    const error = new Error('connect tok-5e15a /home/someone')
    const { call, reported } = opened({
      'accounts/connect': () => {
        throw error
      },
    })
    const outcome = await call('accounts/connect', typed)
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'internal' } })
    expect(JSON.stringify(outcome)).not.toMatch(/tok-5e15a|someone/)
    expect(reported).toEqual([['accounts/connect', error]])
  })
})
