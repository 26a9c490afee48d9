import type { Account } from '../../src-shared/accounts/account.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import { AccessToken } from '../service/token.ts'
import type { Client, CreateClient } from './client.ts'
import type { Tokens } from './tokens.ts'

/** Starts the stand-in service inside the app; its token lives in memory alone. */
export type StartSample = () => Promise<{ readonly address: string; readonly token: string }>

export type ClientParts = {
  readonly createClient: CreateClient
  readonly startSample: StartSample
  readonly tokens: Tokens
}

/** One client for each account that is in use, made when it is first asked for. */
export class Clients {
  readonly #parts: ClientParts
  readonly #made = new Map<AccountId, Promise<Client>>()

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  of(account: Account): Promise<Client> {
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

  async #make({ kind, id, address, bodyEncoding }: Account): Promise<Client> {
    const { createClient, startSample, tokens } = this.#parts
    switch (kind) {
      case 'service':
        return createClient({ address, bodyEncoding, token: () => tokens.read(id) })
      case 'sample': {
        const sample = await startSample()
        const token = new AccessToken(sample.token)
        return createClient({ address: sample.address, bodyEncoding, token: () => Promise.resolve(token) })
      }
    }
  }
}
