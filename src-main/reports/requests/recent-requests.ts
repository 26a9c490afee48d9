import type { Clock } from '#main/lib/async.ts'
import { isResting } from '#main/lib/retry.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'

/** Number of recent queries per account: more than one window shows. */
const maxKeys = 32

/** Recent queries of each account, and recent failures. */
export class RecentRequests {
  readonly #clock: Clock
  readonly #keys = new Map<AccountId, Set<string>>()
  readonly #failures = new Map<string, { readonly failure: Failure; readonly time: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  requested(account: AccountId, key: string): void {
    const keys = this.#keys.get(account) ?? new Set()
    keys.delete(key)
    keys.add(key)
    const [oldest] = keys
    if (keys.size > maxKeys && oldest !== undefined) keys.delete(oldest)
    this.#keys.set(account, keys)
  }

  /** Keys of recent queries, the latest last. */
  keys(account: AccountId): readonly string[] {
    return [...(this.#keys.get(account) ?? [])]
  }

  failed(id: string, failure: Failure): void {
    this.#failures.set(id, { failure, time: this.#clock.now() })
  }

  /** The recent failure of a query; null if it did not fail, or a retry is due. */
  failure(id: string): Failure | null {
    const known = this.#failures.get(id)
    if (!known) return null
    // A view that refreshes on each change must not cause a loop.
    if (isResting('query', known.time, this.#clock.now())) return known.failure
    this.#failures.delete(id)
    return null
  }

  /** Allows an immediate retry. */
  forgive(id: string): void {
    this.#failures.delete(id)
  }

  forget(account: AccountId): void {
    this.#keys.delete(account)
    for (const id of this.#failures.keys()) if (id.startsWith(account)) this.#failures.delete(id)
  }
}
