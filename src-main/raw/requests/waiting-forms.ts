import type { RawRequestId, RawRequested } from '#shared/raw/requests.ts'

type Listener = { readonly resolve: (requested: RawRequested) => void; readonly isNew: boolean }

/** Forms that await the outcome of their request. */
export class WaitingForms {
  readonly #forms = new Map<RawRequestId, Listener>()

  /**
   * Resolves with the outcome of a request.
   * @param isNew whether the request was queued by this form, so that a rejected request leaves the queue
   */
  outcomeOf(id: RawRequestId, isNew: boolean): Promise<RawRequested> {
    return new Promise((resolve) => this.#forms.set(id, { resolve, isNew }))
  }

  isWaitedFor(id: RawRequestId): boolean {
    return this.#forms.has(id)
  }

  /** Whether the request was queued by a waiting form. */
  isOfForm(id: RawRequestId): boolean {
    return this.#forms.get(id)?.isNew ?? false
  }

  resolve(id: RawRequestId, requested: RawRequested): void {
    this.#forms.get(id)?.resolve(requested)
    this.#forms.delete(id)
  }

  /** The request stays in the queue, and its form stops waiting. */
  queued(id: RawRequestId): void {
    this.resolve(id, { kind: 'queued', request: id })
  }

  allQueued(): void {
    for (const id of this.#forms.keys()) this.queued(id)
  }
}
