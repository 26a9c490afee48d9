import type { RawRequestId, RawRequested } from '#shared/raw/requests.ts'

type Listener = { readonly resolve: (requested: RawRequested) => void; readonly isNew: boolean }

/** Forms that await the outcome of their request. */
export class WaitingForms {
  readonly #listeners = new Map<RawRequestId, Listener>()

  /**
   * Resolves with the outcome of a request.
   * @param isNew whether the request was queued by this form, so that a rejected request leaves the queue
   */
  outcomeOf(id: RawRequestId, isNew: boolean): Promise<RawRequested> {
    return new Promise((resolve) => this.#listeners.set(id, { resolve, isNew }))
  }

  isWaitedFor(id: RawRequestId): boolean {
    return this.#listeners.has(id)
  }

  /** Whether the request was queued by a waiting form. */
  isOfForm(id: RawRequestId): boolean {
    return this.#listeners.get(id)?.isNew ?? false
  }

  resolve(id: RawRequestId, requested: RawRequested): void {
    this.#listeners.get(id)?.resolve(requested)
    this.#listeners.delete(id)
  }

  /** The request stays in the queue, and its form stops waiting. */
  queued(id: RawRequestId): void {
    this.resolve(id, { kind: 'queued', request: id })
  }

  allQueued(): void {
    for (const id of this.#listeners.keys()) this.queued(id)
  }
}
