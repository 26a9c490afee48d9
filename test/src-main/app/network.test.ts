import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { Network } from '#main/app/network.ts'
import { AccessToken } from '#main/api/token.ts'
import type { Notice } from '#shared/app/state.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import type { KeychainEntries } from '#main/accounts/keychain-entries.ts'
import { answersOddly } from '#test/helpers/odd-answers.ts'
import type { Oddly } from '#test/helpers/odd-answers.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { fake } from '#test/helpers/fake.ts'

let running: RunningSandbox
let odd: Awaited<ReturnType<typeof answersOddly>>

beforeAll(async () => {
  running = await runningSandbox()
  odd = await answersOddly(running.sandbox.address)
})
afterAll(async () => {
  await odd.close()
  await running.close()
})

const unused = () => {
  throw new TypeError('Nothing but loopback is asked here')
}

/** Clients of the app, and the notices that they raise. */
function network() {
  const showNotice = vi.fn<(notice: Notice) => void>()
  const events = new AppEvents()
  events.on('notice/shown', ({ notice }) => showNotice(notice))
  const keychain = fake<KeychainEntries>('keychain', {})
  const { createClient, forgivenBy } = open(keychain, events)
  const token = new AccessToken(running.sandbox.tokens.admin, odd.address)
  const client = () =>
    createClient({ address: odd.address, bodyEncoding: 'json', token: () => Promise.resolve(token) })
  return { client, showNotice, forgiven: () => forgivenBy(odd.address) }
}

function open(keychain: KeychainEntries, events: AppEvents) {
  const opened = new Network(keychain, { read: unused, close: unused }, unused, events)
  return {
    createClient: opened.createClient,
    forgivenBy: (address: string) => opened.forgivenBy(address),
  }
}

it('notes once of each service and kind what was forgiven in its answers, and where first', async () => {
  const { client, forgiven, showNotice } = network()
  odd.be({})
  expect(forgiven()).toEqual([])
  await running.behave({ raw: { notHappened: '0' }, oddEntries: 'without-id' })
  await running.fault({ times: 2, does: { kind: 'text-before', text: 'Notice: token=abc\n' } })
  await client().call('raw/table', { limit: 1000 })
  await client().call('interface/instances', { limit: 1000 })
  await running.behave({ raw: { notHappened: 'null' }, oddEntries: 'none' })
  await client().call('interface/instances', { limit: 1000 })
  expect(forgiven()).toEqual([
    'text before or behind the answer (first in raw/table)',
    'a zero date for a moment that has not happened (first in raw/table)',
    'a row or an entry that cannot be read (first in raw/table)',
  ])
  expect(showNotice).not.toHaveBeenCalled()
})

it('says once of each service that its letters are a guess, what they are read as and what to do', async () => {
  const { client, showNotice } = network()
  odd.be({ interface: { kind: 'charset', written: 'unsaid-latin1' } })
  await client().call('interface/instances', { limit: 1000 })
  await client().call('interface/instances', { limit: 1000 })
  expect(showNotice.mock.calls).toEqual([
    [
      {
        id: `charset ${odd.address}`,
        tone: 'warning',
        title: 'Names may have wrong letters',
        text:
          `${new URL(odd.address).host} sends text that is not UTF-8 and does not say what it is. It is read as Western ` +
          'European (Windows-1252). If letters look wrong, tell the people who run the service.',
      },
    ],
  ])
})

it.each<Oddly>([
  { kind: 'charset', written: 'latin1' },
  { kind: 'charset', written: 'lying' },
])('says nothing where letters are known: %j', async (oddly) => {
  const { client, showNotice } = network()
  odd.be({ interface: oddly })
  await client().call('interface/instances', { limit: 1000 })
  expect(showNotice).not.toHaveBeenCalled()
})
