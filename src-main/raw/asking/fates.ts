import type { RawRequested, RawRequestId } from '../../../src-shared/raw/asking.ts'

type Listener = { readonly tell: (requested: RawRequested) => void; readonly isNew: boolean }

/** Who fills in a form and waits to hear what becomes of a request. */
export class Fates {
  readonly #listeners = new Map<RawRequestId, Listener>()

  /**
   * What becomes of a request.
   * @param isNew whether it stands in the queue only since now, so that it goes back to the form alone if it is refused
   */
  of(id: RawRequestId, isNew: boolean): Promise<RawRequested> {
    return new Promise((tell) => this.#listeners.set(id, { tell, isNew }))
  }

  isWaitedFor(id: RawRequestId): boolean {
    return this.#listeners.has(id)
  }

  /** Whether it is in a form that waits, and was nowhere else before. */
  isOfForm(id: RawRequestId): boolean {
    return this.#listeners.get(id)?.isNew ?? false
  }

  tell(id: RawRequestId, requested: RawRequested): void {
    this.#listeners.get(id)?.tell(requested)
    this.#listeners.delete(id)
  }

  /** It stands in the queue: nobody waits any longer. */
  stands(id: RawRequestId): void {
    this.tell(id, { as: 'queued', request: id })
  }

  allStand(): void {
    for (const id of this.#listeners.keys()) this.stands(id)
  }
}
