import type { BodyEncoding, LiveAccount } from '#shared/accounts/account.ts'
import { deskFailure } from '#shared/api/failure.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { AccessToken } from '#main/api/token.ts'
import { parseServiceAddress } from '#main/api/address.ts'
import type { ClientOptions, ServiceClient } from '#main/api/client.ts'
import type { Tokens } from './tokens.ts'

export type CreateClient = (options: {
  readonly address: string
  readonly bodyEncoding: BodyEncoding
  readonly token: () => Promise<AccessToken>
  readonly ahead?: NonNullable<ClientOptions['ahead']>
}) => ServiceClient

/** The stand-in service inside the app: its token lives in memory alone, its address until it ends. */
type Sample = { readonly address: string; readonly token: string; readonly ended: Promise<void> }

export type StartSample = () => Promise<Sample>

/** Hears that this machine's clock ran ahead of an account's service when an answer came. */
type Ahead = (account: AccountId, by: number, receivedAt: Instant) => void

/** One client for each account that is in use, made when it is first asked for. */
export class Clients {
  readonly #tokens: Tokens
  readonly #createClient: CreateClient
  readonly #startSample: StartSample
  readonly #ahead: Ahead
  readonly #made = new Map<AccountId, Promise<ServiceClient>>()

  constructor(tokens: Tokens, createClient: CreateClient, startSample: StartSample, ahead: Ahead) {
    this.#tokens = tokens
    this.#createClient = createClient
    this.#startSample = startSample
    this.#ahead = ahead
  }

  forAccount(account: LiveAccount): Promise<ServiceClient> {
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
    switch (kind) {
      case 'service': {
        const address = usableAddress(stored)
        const token = () => this.#tokens.readFor({ id, address })
        return this.#createClient({
          address,
          bodyEncoding,
          token,
          ahead: (by, receivedAt) => this.#ahead(id, by, receivedAt),
        })
      }
      case 'sample': {
        const sample = await this.#startSample()
        // The next one has another address.
        void sample.ended.then(() => this.end(id))
        const token = new AccessToken(sample.token, sample.address)
        return this.#createClient({
          address: sample.address,
          bodyEncoding,
          token: () => Promise.resolve(token),
        })
      }
    }
  }
}

/**
 * The address that an account has in the store, checked like a typed one: files can be changed by others.
 * @throws DeskFailure `no-token`: the account's token cannot be sent anywhere until the address is corrected
 */
function usableAddress(stored: string): string {
  const parsed = parseServiceAddress(stored)
  if (parsed.ok) return parsed.value
  const message = `This account's saved address doesn't work. ${parsed.failure.message} Correct it under Settings, Edit account.`
  throw deskFailure('no-token', message, { field: 'address' })
}
