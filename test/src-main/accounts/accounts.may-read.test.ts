import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { plain, scriptedServer } from '#test/helpers/scripted-server.ts'
import { openHarness } from './scopes-harness.ts'

let service: RunningSandbox
beforeAll(async () => void (service = await runningSandbox()))
afterAll(() => service.close())

/** A desk with an account of the limited token: it sees two instances. */
async function limited() {
  const { accounts } = await openHarness()
  const { address, tokens } = service.sandbox
  await accounts.connect({
    name: 'Acme',
    address,
    token: tokens.limited,
    storage: 'keychain',
    bodyEncoding: 'json',
  })
  return { accounts, address, tokens }
}

const failureOf = (work: Promise<void>) =>
  work.then(
    () => null,
    (error: { failure: unknown }) => error.failure,
  )

it('takes a token that sees exactly what is saved, whether it is stored or not', async () => {
  const { accounts, address, tokens } = await limited()
  const [account] = accounts.list()
  await accounts.mayRead({ address: `${address}/v1/`, token: tokens.limited })
  if (account) await accounts.removeToken(account.id)
  await accounts.mayRead({ address, token: tokens.limited })
})

it('takes no token of the same service that sees something else, not even one that sees more', async () => {
  const { accounts, address, tokens } = await limited()
  expect(await failureOf(accounts.mayRead({ address, token: tokens.admin }))).toMatchObject({
    kind: 'no-right',
    field: 'token',
  })
})

it('takes none that the service refuses', async () => {
  const { accounts, address, tokens } = await limited()
  expect(await failureOf(accounts.mayRead({ address, token: tokens.expired }))).toMatchObject({
    kind: 'refused-token',
    field: 'token',
  })
})

it('sends a token to no address that no account has', async () => {
  const { accounts, tokens } = await limited()
  const other = await scriptedServer(plain(200, '{}'))
  onTestFinished(() => other.close())
  expect(await failureOf(accounts.mayRead({ address: other.address, token: tokens.limited }))).toMatchObject({
    kind: 'invalid',
    field: 'address',
  })
  expect(other.connections()).toBe(0)
})
