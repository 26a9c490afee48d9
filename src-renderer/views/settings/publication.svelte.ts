import type { CallName, CallOutcome, DeskBridge } from '#shared/bridge/calls.ts'
import type { Publication } from '#shared/app/publishing.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'

type PublicationCall = Extract<
  CallName,
  'publishing/read' | 'publishing/choose-folder' | 'publishing/start' | 'publishing/stop'
>

/** How one account is published, as the window follows it. */
export class FollowedPublication {
  now = $state.raw<Publication | null>(null)
  /** Why the last thing that was asked for could not be done. */
  failure = $state.raw<Failure | null>(null)
  busy = $state(false)
  readonly #bridge: DeskBridge
  readonly #account: AccountId

  constructor(bridge: DeskBridge, account: AccountId) {
    this.#bridge = bridge
    this.#account = account
  }

  /** Begins to follow it. @returns ends that */
  follow(): () => void {
    void this.run('publishing/read')
    return this.#bridge.on('publishing/changed', (changed) => {
      if (changed.account === this.#account) this.now = changed
    })
  }

  /** Does one thing after the other. */
  async run(name: PublicationCall): Promise<void> {
    if (this.busy) return
    this.busy = true
    const outcome: CallOutcome<PublicationCall> = await this.#bridge.call(name, { account: this.#account })
    this.busy = false
    this.failure = outcome.ok ? null : outcome.failure
    if (outcome.ok && outcome.value) this.now = outcome.value
  }

  cancel(): void {
    void this.#bridge.call('publishing/cancel', { account: this.#account })
  }
}
