import type { BodyEncoding } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import { withSignal } from '#main/lib/async.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { AccessToken } from '#main/api/token.ts'
import { bothFormsRefused, checkScope, mayBeTheForm, oneFormRefused } from './check-input.ts'
import type { CreateClient } from './clients.ts'

/** What is verified before it is kept. */
type ToVerify = {
  readonly address: string
  readonly bodyEncoding: BodyEncoding
  readonly token: () => Promise<AccessToken>
}

/** Waiting for a service to say whether address and token hold, for as long as the person waits. */
export class Verifier {
  readonly #createClient: CreateClient
  readonly #waiting = new Set<AbortController>()

  constructor(createClient: CreateClient) {
    this.#createClient = createClient
  }

  /**
   * Asks a service as it will be asked from now on. @returns the instances that the token may see
   * @throws DeskFailure that says which of them is wrong
   */
  async service(given: ToVerify): Promise<readonly InstanceId[]> {
    return await this.#inOneForm(given).catch((error: unknown) => {
      throw oneFormRefused(error)
    })
  }

  #inOneForm(given: ToVerify): Promise<readonly InstanceId[]> {
    return this.untilCancelled(async (signal) => {
      // Whoever typed it waits for a word now: that the service asks for rest is one.
      const client = this.#createClient({ ...given, waitsForRest: false })
      try {
        return await checkScope(client, signal)
      } finally {
        await client.close()
      }
    })
  }

  /**
   * The same for an account that is new: where the service finds request or token bad, the other form of body is tried, once.
   * @returns the form that it takes as well
   * @throws DeskFailure with the service's words about both where neither is taken
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
        // A token that has no right was read; every other failure says nothing of token and form.
        throw ['cancelled', 'no-right'].includes(failure.kind) ? again : oneFormRefused(error)
      })
      return { instances: second, bodyEncoding: other }
    }
  }

  /**
   * Waits for `work`, and no longer than the person does; what comes of it then is nobody's any more.
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

  /** The person gives up waiting, for whatever is waited for. */
  cancelAll(): void {
    for (const waiting of this.#waiting) waiting.abort()
  }
}
