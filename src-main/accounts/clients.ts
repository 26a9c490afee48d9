import type { BodyEncoding, LiveAccount } from '#shared/accounts/account.ts'
import { deskFailure } from '#shared/api/failure.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { AccessToken } from '#main/api/token.ts'
import { parseServiceAddress } from '#main/api/address.ts'
import type { ClientOptions, ServiceClient } from '#main/api/client.ts'
import type { Tokens } from './tokens.ts'

export type CreateClient = (
  options: {
    readonly address: string
    readonly bodyEncoding: BodyEncoding
    readonly token: () => Promise<AccessToken>
  } & Pick<ClientOptions, 'ahead' | 'resting' | 'waitsForRest'>,
) => ServiceClient

/** The running sandbox. The token exists only in memory, the address until the sandbox ends. */
type Sample = { readonly address: string; readonly token: string; readonly ended: Promise<void> }

export type StartSample = () => Promise<Sample>

/** Called with facts about the services. */
type Findings = {
  /** Called when a response shows that the local clock is ahead of the service's. */
  readonly ahead: (account: AccountId, by: number, receivedAt: Instant) => void
  /** Called when a service requests a pause, with its end, and with null once the service responds again. */
  readonly resting: (account: AccountId, until: Instant | null) => void
}

/** API clients, one per active account, created on first use. */
export class Clients {
  readonly #tokens: Tokens
  readonly #createClient: CreateClient
  readonly #startSample: StartSample
  readonly #findings: Findings
  readonly #clients = new Map<AccountId, Promise<ServiceClient>>()

  constructor(tokens: Tokens, createClient: CreateClient, startSample: StartSample, findings: Findings) {
    this.#tokens = tokens
    this.#createClient = createClient
    this.#startSample = startSample
    this.#findings = findings
  }

  forAccount(account: LiveAccount): Promise<ServiceClient> {
    const known = this.#clients.get(account.id)
    if (known) return known
    const made = this.#make(account)
    this.#clients.set(account.id, made)
    // A failed start is retried on the next call.
    made.catch(() => this.#clients.delete(account.id))
    return made
  }

  /** Closes an account's client and cancels its requests. */
  async end(account: AccountId): Promise<void> {
    const made = this.#clients.get(account)
    this.#clients.delete(account)
    await made?.then((client) => client.close()).catch(() => undefined)
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#clients.keys()].map((account) => this.end(account)))
  }

  async #make({ kind, id, address: stored, bodyEncoding }: LiveAccount): Promise<ServiceClient> {
    const resting = (until: Instant | null) => this.#findings.resting(id, until)
    switch (kind) {
      case 'service': {
        const address = usableAddress(stored)
        const token = () => this.#tokens.readFor({ id, address })
        return this.#createClient({
          address,
          bodyEncoding,
          token,
          ahead: (by, receivedAt) => this.#findings.ahead(id, by, receivedAt),
          resting,
        })
      }
      case 'sample': {
        const sample = await this.#startSample()
        // The next sandbox has another address.
        void sample.ended.then(() => this.end(id))
        const token = new AccessToken(sample.token, sample.address)
        return this.#createClient({
          address: sample.address,
          bodyEncoding,
          token: () => Promise.resolve(token),
          resting,
        })
      }
    }
  }
}

/**
 * Validates a stored address like a typed one, because other programs can change the file.
 * @throws DeskFailure `no-token`: the token cannot be sent until the address is corrected
 */
function usableAddress(stored: string): string {
  const parsed = parseServiceAddress(stored)
  if (parsed.ok) return parsed.value
  const message = `This account's saved address doesn't work. ${parsed.failure.message} Correct it under Settings, Edit account.`
  throw deskFailure('no-token', message, { field: 'address' })
}
