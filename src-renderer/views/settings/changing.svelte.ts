import type { Failure } from '#shared/api/failure.ts'

/** Applies a change. @returns the failure, or null */
type Change = () => Promise<Failure | null>

/** Runs the changes of a setting one at a time and exposes the last failure. */
export class Changing {
  busy = $state(false)
  failure = $state.raw<Failure | null>(null)
  #next: Change | null = null
  #ending: Promise<void> = Promise.resolve()

  /** Runs a change. Ignored while another change is running. */
  async run(change: Change): Promise<void> {
    if (!this.busy) await this.take(change)
  }

  /** Runs a change, or queues it while another is running. Only the newest queued change runs. */
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
