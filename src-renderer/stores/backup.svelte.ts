import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { BackupProgress } from '#shared/app/backup.ts'
import type { Failure } from '#shared/api/failure.ts'
import { backUpWords } from '#shared/texts/settings.ts'
import type { Messages } from './messages.svelte.ts'

/** The backup that is being saved. It goes on whichever view is open. */
export class Backup {
  /** What is being saved; null where nothing is. */
  now = $state.raw<{ readonly figures: boolean; readonly progress: BackupProgress | null } | null>(null)
  failure = $state.raw<Failure | null>(null)
  readonly #bridge: DeskBridge
  readonly #messages: Messages
  #isWatched = false

  constructor(bridge: DeskBridge, messages: Messages) {
    this.#bridge = bridge
    this.#messages = messages
    bridge.on('backup/progress', (progress) => {
      if (this.now) this.now = { ...this.now, progress }
    })
  }

  /** Why one failed is seen from now on, until what is returned is called: elsewhere it is said. */
  watch(): () => void {
    this.#isWatched = true
    return () => (this.#isWatched = false)
  }

  /** Saves one, with the saved figures or without, and says where. One at a time. */
  async save(figures: boolean): Promise<void> {
    if (this.now) return
    this.now = { figures, progress: null }
    this.failure = null
    const outcome = await this.#bridge.call('desk/back-up', { figures })
    this.now = null
    if (outcome.ok) return this.#messages.say(backUpWords(outcome.value))
    if (outcome.failure.kind === 'cancelled') return
    this.failure = outcome.failure
    if (!this.#isWatched) this.#messages.say(`The backup was not saved. ${this.failure.message}`)
  }
}
