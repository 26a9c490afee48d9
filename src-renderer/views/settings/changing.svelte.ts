import type { Failure } from '../../../src-shared/service/failure.ts'

/** A setting that is being changed: whether it is under way, and why it could not be. */
export class Changing {
  busy = $state(false)
  failure = $state.raw<Failure | null>(null)

  /** Waits for a change; one at a time. */
  async run(change: () => Promise<Failure | null>): Promise<void> {
    if (this.busy) return
    this.busy = true
    this.failure = null
    this.failure = await change()
    this.busy = false
  }
}
