import type { Failure } from '#shared/api/failure.ts'

/** Carries a change out. @returns why it could not be */
type Change = () => Promise<Failure | null>

/** A setting that is being changed: whether it is under way, and why it could not be. */
export class Changing {
  busy = $state(false)
  failure = $state.raw<Failure | null>(null)
  #next: Change | null = null
  #ending: Promise<void> = Promise.resolve()

  /** Does something once: what is asked for again while it is under way is not done twice. */
  async run(change: Change): Promise<void> {
    if (!this.busy) await this.take(change)
  }

  /** Stores a value: of those that come while one is being stored, the newest is stored after it. */
  async take(change: Change): Promise<void> {
    this.#next = change
    if (!this.busy) this.#ending = this.#carryOut()
    await this.#ending
  }

  async #carryOut(): Promise<void> {
    this.busy = true
    while (this.#next) {
      const change = this.#next
      this.#next = null
      this.failure = null
      this.failure = await change()
    }
    this.busy = false
  }
}
