import type { RawRequested, RawRequestId } from '#shared/raw/asking.ts'

type Listener = { readonly resolve: (requested: RawRequested) => void; readonly isNew: boolean }

/** Forms that were sent off and wait to hear what became of their request. */
export class PendingSubmissions {
  readonly #listeners = new Map<RawRequestId, Listener>()

  /**
   * What becomes of a request.
   * @param isNew whether it stands in the queue only since now, so that it goes back to the form alone if it is refused
   */
  outcomeOf(id: RawRequestId, isNew: boolean): Promise<RawRequested> {
    return new Promise((resolve) => this.#listeners.set(id, { resolve, isNew }))
  }

  isWaitedFor(id: RawRequestId): boolean {
    return this.#listeners.has(id)
  }

  /** Whether it is in a form that waits, and was nowhere else before. */
  isOfForm(id: RawRequestId): boolean {
    return this.#listeners.get(id)?.isNew ?? false
  }

  resolve(id: RawRequestId, requested: RawRequested): void {
    this.#listeners.get(id)?.resolve(requested)
    this.#listeners.delete(id)
  }

  /** It stands in the queue: nobody waits any longer. */
  queued(id: RawRequestId): void {
    this.resolve(id, { kind: 'queued', request: id })
  }

  allQueued(): void {
    for (const id of this.#listeners.keys()) this.queued(id)
  }
}
