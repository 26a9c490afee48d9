import type { LiveAccount } from '../../src-shared/accounts/account.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import { AccessToken } from '../service/token.ts'
import type { CreateClient } from './client.ts'
import type { ServiceClient } from '../service/client.ts'
import type { Tokens } from './tokens.ts'

/** The stand-in service inside the app: its token lives in memory alone, its address until it ends. */
export type Sample = { readonly address: string; readonly token: string; readonly ended: Promise<void> }

export type StartSample = () => Promise<Sample>

export type ClientParts = {
  readonly createClient: CreateClient
  readonly startSample: StartSample
  readonly tokens: Tokens
}

/** One client for each account that is in use, made when it is first asked for. */
export class Clients {
  readonly #parts: ClientParts
  readonly #made = new Map<AccountId, Promise<ServiceClient>>()

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  of(account: LiveAccount): Promise<ServiceClient> {
    const known = this.#made.get(account.id)
    if (known) return known
    const made = this.#make(account)
    this.#made.set(account.id, made)
    // What could not be started is tried anew the next time.
    made.catch(() => this.#made.delete(account.id))
    return made
  }

  /** Ends an account's client; what it still asks is cancelled. */
  async end(account: AccountId): Promise<void> {
    const made = this.#made.get(account)
    this.#made.delete(account)
    await made?.then((client) => client.close()).catch(() => undefined)
  }

  /** Ends all of them. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#made.keys()].map((account) => this.end(account)))
  }

  async #make({ kind, id, address, bodyEncoding }: LiveAccount): Promise<ServiceClient> {
    const { createClient, startSample, tokens } = this.#parts
    switch (kind) {
      case 'service':
        return createClient({ address, bodyEncoding, token: () => tokens.read(id) })
      case 'sample': {
        const sample = await startSample()
        // The next one has another address.
        void sample.ended.then(() => this.end(id))
        const token = new AccessToken(sample.token)
        return createClient({ address: sample.address, bodyEncoding, token: () => Promise.resolve(token) })
      }
    }
  }
}
