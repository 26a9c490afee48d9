import type { DeskBridge, CallOutcome } from '#shared/bridge/calls.ts'
import type { UpdateState, UpdateStep } from '#shared/app/updates.ts'
import type { Failure } from '#shared/api/failure.ts'

/** How it stands with updates, as the window follows it. */
export class FollowedUpdates {
  now = $state.raw<UpdateState | null>(null)
  /** Why the last thing that was asked for could not be done at all. */
  failure = $state.raw<Failure | null>(null)
  /** What waits for an answer. */
  busy = $state(0)
  readonly #bridge: DeskBridge

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
  }

  /** Begins to follow it. @returns ends that */
  follow(): () => void {
    void this.#take(this.#bridge.call('updates/read'))
    return this.#bridge.on('updates/changed', (state) => (this.now = state))
  }

  do(step: UpdateStep): Promise<void> {
    return this.#take(this.#bridge.call('updates/do', { step }))
  }

  daily(on: boolean): Promise<void> {
    return this.#take(this.#bridge.call('updates/daily', { on }))
  }

  async #take(asked: Promise<CallOutcome<'updates/read' | 'updates/do' | 'updates/daily'>>): Promise<void> {
    this.busy += 1
    const outcome = await asked
    this.busy -= 1
    this.failure = outcome.ok ? null : outcome.failure
    if (outcome.ok) this.now = outcome.value
  }
}
