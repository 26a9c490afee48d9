import type { Store } from '#main/database/open-store.ts'
import { Accounts } from '#main/accounts/accounts.ts'
import type { CreateClient } from '#main/accounts/clients.ts'
import type { StartSample } from '#main/accounts/clients.ts'
import type { AccountEvent, AppEvent } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { ServiceClient, Received } from '#main/api/client.ts'
import type { Keychain } from '#main/accounts/keychain.ts'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import { systemClock } from '#main/lib/async.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { Notice } from '#shared/app/state.ts'
import type { BodyEncoding } from '#shared/accounts/account.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import type { FailureKind } from '#shared/api/failure.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { DeskEvents } from '#shared/bridge/calls.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { localStore } from '../database/helpers.ts'

/** A keychain in memory that can be made to refuse. */
export class FakeKeychain implements Keychain {
  readonly secrets = new Map<string, string>()
  refuses = false

  /** The tokens that are held, by account, each with the origin that it is for. */
  entries(): Record<string, { readonly token: string; readonly origin: string }> {
    const read = (entry: string) => JSON.parse(entry) as { token: string; origin: string }
    return Object.fromEntries([...this.secrets].map(([account, entry]) => [account, read(entry)]))
  }

  #check(): void {
    if (this.refuses) throw new DeskFailure({ kind: 'no-keychain', message: 'No keychain.' })
  }

  async get(account: string): Promise<string | null> {
    this.#check()
    return this.secrets.get(account) ?? null
  }

  async set(account: string, secret: string): Promise<void> {
    this.#check()
    this.secrets.set(account, secret)
  }

  async remove(account: string): Promise<void> {
    this.#check()
    this.secrets.delete(account)
  }
}

/** Of what does not end while a test runs. */
export const never = new Promise<void>(() => undefined)

type Made = { readonly address: string; closed: boolean }

/** Clients that know the address and the token that work, and write down what they are asked. */
export class FakeService {
  readonly goodToken: string
  failure: FailureKind | null = null
  /** The only form of bodies that it reads; null for both. */
  reads: BodyEncoding | null = null
  /** Happens between a question and its answer. */
  beforeAnswering: () => Promise<void> = async () => {}
  /** Those that the token may see. */
  instances: readonly number[] = [1, 2, 3]
  readonly made: Made[] = []
  readonly calls: { readonly path: EndpointPath; readonly token: string }[] = []

  constructor(goodToken = 'good-token') {
    this.goodToken = goodToken
  }

  readonly create: CreateClient = ({ address, token, bodyEncoding }): ServiceClient => {
    const made: Made = { address, closed: false }
    this.made.push(made)
    return {
      call: async <P extends EndpointPath>(path: P): Promise<Received<P>> => {
        const revealed = (await token()).revealFor(new URL(address))
        this.calls.push({ path, token: revealed })
        await this.beforeAnswering()
        const reads = this.reads === null || this.reads === bodyEncoding
        const kind =
          this.failure ?? (!reads ? 'bad-request' : revealed === this.goodToken ? null : 'refused-token')
        if (kind !== null) throw new ServiceFailure({ kind, message: `It is ${kind}.`, said: 'no' })
        const page = { page: 1, limit: 1000, results: this.instances.length, pages: 1 }
        const instances = this.instances.map((id) => ({ id, name: `Instance ${id}`, status: 1 }))
        const text = JSON.stringify({ instances, query: page })
        return { answer: decodeAnswer(path, text), text, receivedAt: 0 as Instant }
      },
      close: async () => {
        made.closed = true
      },
    }
  }
}

/** Accounts with everything around them. */
export function accountsWith(
  changes: {
    readonly store?: Store
    readonly keychain?: FakeKeychain
    readonly createClient?: CreateClient
    readonly startSample?: StartSample
    readonly clock?: Clock
  } = {},
) {
  const { store = localStore(), keychain = new FakeKeychain() } = changes
  const service = new FakeService()
  const notices: Notice[] = []
  const events: DeskEvents['accounts/changed'][] = []
  /** What happened to accounts, for the other modules. */
  const told: AccountEvent[] = []
  const bus = eventsTo((event) => {
    if (event.kind === 'notice/shown') notices.push(event.notice)
    else if (event.kind === 'accounts/changed')
      events.push({ active: event.active, accounts: event.accounts })
    else if (isOfAccount(event)) told.push(event)
  })
  const startSample: StartSample = async () => ({
    address: 'http://127.0.0.1:4711',
    token: service.goodToken,
    ended: never,
  })
  const accounts = new Accounts({
    ...{ store, keychain, startSample, createClient: service.create, events: bus, clock: systemClock },
    ...changes,
  })
  return { accounts, keychain, service, store, notices, events, told, bus }
}

const isOfAccount = (event: AppEvent): event is AccountEvent => event.kind.startsWith('account/')

export const form = {
  name: 'Acme',
  address: 'https://reports.example',
  token: 'good-token',
  storage: 'keychain',
  bodyEncoding: 'json',
} as const
