import type { LiveAccount } from '#shared/accounts/account.ts'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { AccessToken } from '#main/api/token.ts'
import type { CreateClient, ParseAddress } from './client.ts'
import type { ServiceClient } from '#main/api/client.ts'
import type { Tokens } from './tokens.ts'

/** The stand-in service inside the app: its token lives in memory alone, its address until it ends. */
export type Sample = { readonly address: string; readonly token: string; readonly ended: Promise<void> }

export type StartSample = () => Promise<Sample>

export type ClientParts = {
  readonly createClient: CreateClient
  /** This machine's clock ran ahead of an account's service when an answer came. */
  readonly ahead: (account: AccountId, by: number, receivedAt: Instant) => void
  readonly parseAddress: ParseAddress
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

  async #make({ kind, id, address: stored, bodyEncoding }: LiveAccount): Promise<ServiceClient> {
    const { ahead, createClient, parseAddress, startSample, tokens } = this.#parts
    switch (kind) {
      case 'service': {
        const address = usableAddress(stored, parseAddress)
        const token = () => tokens.readFor({ id, address })
        return createClient({ address, bodyEncoding, token, ahead: (by, instant) => ahead(id, by, instant) })
      }
      case 'sample': {
        const sample = await startSample()
        // The next one has another address.
        void sample.ended.then(() => this.end(id))
        const token = new AccessToken(sample.token, sample.address)
        return createClient({ address: sample.address, bodyEncoding, token: () => Promise.resolve(token) })
      }
    }
  }
}

/**
 * The address that an account has in the store, checked like a typed one: files can be changed by others.
 * @throws DeskFailure `no-token`: the account's token cannot be sent anywhere until the address is corrected
 */
function usableAddress(stored: string, parse: ParseAddress): string {
  const parsed = parse(stored)
  if (parsed.ok) return parsed.value
  const message = `The saved address of this account cannot be used. ${parsed.failure.message} Correct it under Settings, Edit account.`
  throw new DeskFailure({ kind: 'no-token', message, field: 'address' })
}
