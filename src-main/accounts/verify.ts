import type { BodyEncoding } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import { withSignal } from '#main/lib/async.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { AccessToken } from '#main/api/token.ts'
import { bothFormsRefused, checkScope, mayBeTheForm, oneFormRefused } from './check-input.ts'
import type { CreateClient } from './clients.ts'

type ToVerify = {
  readonly address: string
  readonly bodyEncoding: BodyEncoding
  readonly token: () => Promise<AccessToken>
}

/** Verifies addresses and tokens with services. The user can cancel. */
export class Verifier {
  readonly #createClient: CreateClient
  readonly #waiting = new Set<AbortController>()

  constructor(createClient: CreateClient) {
    this.#createClient = createClient
  }

  /**
   * Verifies a service in the given body encoding.
   * @returns the instances that the token sees
   * @throws DeskFailure with the field at fault
   */
  async service(given: ToVerify): Promise<readonly InstanceId[]> {
    return await this.#inOneForm(given).catch((error: unknown) => {
      throw oneFormRefused(error)
    })
  }

  #inOneForm(given: ToVerify): Promise<readonly InstanceId[]> {
    return this.untilCancelled(async (signal) => {
      // The user is waiting, so a pause requested by the service is reported at once.
      const client = this.#createClient({ ...given, waitsForRest: false })
      try {
        return await checkScope(client, signal)
      } finally {
        await client.close()
      }
    })
  }

  /**
   * Verifies a new account. If the service rejects the request or token, tries the other body encoding once.
   * @returns the instances and the accepted encoding
   * @throws DeskFailure with the service's messages about both encodings if neither is accepted
   */
  async eitherForm(
    given: ToVerify,
  ): Promise<{ readonly instances: readonly InstanceId[]; readonly bodyEncoding: BodyEncoding }> {
    const { bodyEncoding } = given
    try {
      return { instances: await this.#inOneForm(given), bodyEncoding }
    } catch (error) {
      const first = failureOf(error)
      if (!mayBeTheForm(first)) throw error
      const other = bodyEncoding === 'json' ? 'form' : 'json'
      const second = await this.#inOneForm({ ...given, bodyEncoding: other }).catch((again: unknown) => {
        const failure = failureOf(again)
        if (mayBeTheForm(failure)) throw bothFormsRefused(first, failure)
        // A `no-right` failure means that the token was read. Other failures reveal nothing about token and encoding.
        throw ['cancelled', 'no-right'].includes(failure.kind) ? again : oneFormRefused(error)
      })
      return { instances: second, bodyEncoding: other }
    }
  }

  /**
   * Waits for `work` until the user cancels; its later result is ignored.
   * @throws DeskFailure `cancelled`, and whatever `work` rejects with
   */
  async untilCancelled<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const waiting = new AbortController()
    const { signal } = waiting
    this.#waiting.add(waiting)
    try {
      return await withSignal(signal, () => work(signal))
    } finally {
      this.#waiting.delete(waiting)
    }
  }

  /** Cancels all pending verifications. */
  cancelAll(): void {
    for (const waiting of this.#waiting) waiting.abort()
  }
}
