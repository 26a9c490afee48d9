import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { answerCall } from '#main/bridge/gateway.ts'
import type { Handlers } from '#main/lib/module.ts'
import type { Account } from '#shared/accounts/account.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { runningSandbox } from '../helpers/running-sandbox.ts'
import type { RunningSandbox } from '../helpers/running-sandbox.ts'
import { plain, scriptedServer } from '../helpers/scripted-server.ts'
import { openHarness } from '../src-main/accounts/scopes-harness.ts'
import type { Harness } from '../src-main/accounts/scopes-harness.ts'
import { localStore } from '../src-main/database/helpers.ts'
import { accountsWith, FakeKeychain, form } from '../src-main/accounts/helpers.ts'

let service: RunningSandbox
beforeAll(async () => void (service = await runningSandbox()))
afterAll(() => service.close())

const needsToken = { kind: 'no-token', field: 'token' }
const words = 'This address belongs to another service. Type the token for it.'

/** A server of somebody else, which takes whatever it is sent. */
async function stranger() {
  const server = await scriptedServer(plain(200, '{}'))
  onTestFinished(() => server.close())
  return server
}

const untouched = { requests: [], connections: 0 }
const touched = ({ requests, connections }: Awaited<ReturnType<typeof stranger>>) => ({
  requests: [...requests],
  connections: connections(),
})

const editOf = ({ id, name, address, bodyEncoding, dayZone, windows }: Account) => ({
  account: id,
  name,
  address,
  bodyEncoding,
  dayZone,
  windows,
})

async function connected(around: Parameters<typeof openHarness>[0] = {}) {
  const harness = await openHarness(around)
  const { address, tokens } = service.sandbox
  const account = await harness.accounts.connect({
    ...{ name: 'Acme', address, token: tokens.admin, storage: 'keychain', bodyEncoding: 'json' },
  })
  return { harness, account }
}

const overTheBridge = ({ accounts }: Harness, argument: unknown) =>
  answerCall(
    { 'accounts/edit': (edit) => accounts.edit(edit) } as Handlers,
    () => undefined,
    'accounts/edit',
    argument,
  )

/** Somebody changes the account's address in the file, while the app is closed. */
async function tampered(address: string) {
  const { harness, account } = await connected()
  const { folder, keychain, clock } = harness
  await harness.store.run('accounts/put', { ...harness.accounts.list()[0], address } as never)
  await harness.end()
  const again = await openHarness({ folder, keychain, clock })
  return { again, account, keychain }
}

const ask = async ({ accounts }: Harness, { id }: Account) =>
  (await accounts.clientFor(id)).call('interface/instances', { all: false, limit: 1 })

describe('a compromised window', () => {
  it('cannot have the token sent to another origin by editing the address', async () => {
    const { harness, account } = await connected()
    const other = await stranger()
    for (const address of [other.address, `${other.address}/v1`, `http://localhost:${other.port}`]) {
      const outcome = await overTheBridge(harness, { ...editOf(account), address })
      expect(outcome).toMatchObject({ ok: false, failure: { ...needsToken, message: words } })
    }
    expect(touched(other)).toEqual(untouched)
    expect(harness.accounts.account(account.id).address).toBe(account.address)
    await ask(harness, account)
  })

  it('gets nothing but its own words by giving a token of its own', async () => {
    const { harness, account } = await connected()
    const other = await stranger()
    const newToken = { token: 'made-up', storage: 'keychain' }
    await overTheBridge(harness, { ...editOf(account), address: other.address, newToken })
    expect(other.requests.map(({ body }) => body).join()).not.toContain(service.sandbox.tokens.admin)
    expect(harness.keychain.entries()[account.id]?.token).toBe(service.sandbox.tokens.admin)
  })
})

describe('a state file that was tampered with', () => {
  it('does not have the token sent to the address in it; the account says that it needs its own', async () => {
    const other = await stranger()
    const { again, account, keychain } = await tampered(other.address)
    await expect(ask(again, account)).rejects.toMatchObject({ failure: { ...needsToken, message: words } })
    await expect(
      again.accounts.dataScopeClient(account.id, again.accounts.dataScopeOf(account.id)),
    ).resolves.toBeDefined()
    await expect(again.accounts.check(account.id)).rejects.toMatchObject({ failure: needsToken })
    expect(again.accounts.account(account.id).address).toBe(other.address)
    expect(again.accounts.list()).toMatchObject([{ tokenPlace: 'elsewhere' }])
    expect(touched(other)).toEqual(untouched)
    expect(keychain.entries()[account.id]?.origin).toBe(account.address)
    // Its own address brings it back, with the token that is still there.
    await again.accounts.edit({ ...editOf(again.accounts.account(account.id)), address: account.address })
    await ask(again, account)
  })

  it.each([
    'http://reports.example',
    'ftp://reports.example',
    'https://a:b@reports.example',
    'nowhere at all',
    '',
  ])('is not asked at an address that nobody could have typed: %j', async (address) => {
    const { again, account } = await tampered(address)
    await expect(ask(again, account)).rejects.toMatchObject({ failure: { kind: 'no-token' } })
    await expect(
      again.accounts.renewToken({ account: account.id, token: 'typed', storage: 'session' }),
    ).rejects.toMatchObject({ failure: { kind: 'invalid', field: 'address' } })
    await again.accounts.edit({ ...editOf(again.accounts.account(account.id)), address: account.address })
    await ask(again, account)
  })
})

describe('a “new address” that somebody was sent', () => {
  it('is refused without its token, also from the next start on', async () => {
    const { harness, account } = await connected()
    const other = await stranger()
    const edit = { ...editOf(account), address: other.address }
    await expect(harness.accounts.edit(edit)).rejects.toMatchObject({
      failure: { ...needsToken, message: words },
    })
    const { folder, keychain, clock } = harness
    await harness.end()
    const again = await openHarness({ folder, keychain, clock })
    await expect(again.accounts.edit(edit)).rejects.toMatchObject({ failure: needsToken })
    expect(touched(other)).toEqual(untouched)
  })

  it('takes the token that is typed for it, and gives that to nobody else', async () => {
    const { harness, account } = await connected()
    const second = await runningSandbox()
    onTestFinished(() => second.close())
    const { address, tokens } = second.sandbox
    const newToken = { token: tokens.limited, storage: 'keychain' } as const
    const changed = await harness.accounts.edit({ ...editOf(account), address, newToken })
    expect(changed.address).toBe(address)
    expect(harness.keychain.entries()).toEqual({ [account.id]: { token: tokens.limited, origin: address } })
    await expect(harness.accounts.edit(editOf(account))).rejects.toMatchObject({ failure: needsToken })
    await ask(harness, account)
  })

  it('leaves the old token in place where the change cannot be written down', async () => {
    const store = localStore()
    let full = false
    const run: typeof store.run = (name, argument) =>
      full && name === 'accounts/put'
        ? Promise.reject(new DeskFailure({ kind: 'disk', message: 'The disk is full.' }))
        : store.run(name, argument)
    const { accounts, keychain } = accountsWith({ store: { ...store, run } })
    const acme = await accounts.connect(form)
    full = true
    const newToken = { token: 'good-token', storage: 'keychain' } as const
    await expect(
      accounts.edit({ ...editOf(acme), address: 'https://elsewhere.example', newToken }),
    ).rejects.toThrow('full')
    expect(keychain.entries()).toEqual({ [acme.id]: { token: 'good-token', origin: form.address } })
    expect(accounts.list()).toMatchObject([{ address: form.address, tokenPlace: 'keychain' }])
  })
})

it('a token whose entry names no service is sent nowhere', async () => {
  const keychain = new FakeKeychain()
  const { harness, account } = await connected({ keychain })
  keychain.secrets.set(account.id, service.sandbox.tokens.admin)
  const { folder, clock } = harness
  await harness.end()
  const again = await openHarness({ folder, keychain, clock })
  await expect(ask(again, account)).rejects.toMatchObject({ failure: { kind: 'no-token' } })
})

it('a token does not come back where it was replaced while it was read', async () => {
  const keychain = new FakeKeychain()
  const { harness, account } = await connected({ keychain })
  const { folder, clock } = harness
  await harness.end()
  const again = await openHarness({ folder, keychain, clock })
  const { tokens } = service.sandbox
  const get = keychain.get.bind(keychain)
  keychain.get = async (of) => {
    const found = await get(of)
    keychain.get = get
    await again.accounts.renewToken({ account: of as never, token: tokens.limited, storage: 'keychain' })
    return found
  }
  await expect(ask(again, account)).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  await ask(again, account)
  expect(keychain.entries()[account.id]?.token).toBe(tokens.limited)
})
