import type { DeskBridge } from '#shared/bridge/calls.ts'
import { nothingSyncs } from '#shared/views/keeping.ts'
import type { SyncState } from '#shared/views/keeping.ts'

/** How it stands with keeping pinned views up to date, over all accounts. */
export class Sync {
  now = $state.raw<SyncState>(nothingSyncs)
  readonly #bridge: DeskBridge
  #heard = false

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
    bridge.on('sync/changed', (state) => {
      this.#heard = true
      this.now = state
    })
  }

  /** Asks how it stands; from then on it follows by itself. */
  async read(): Promise<void> {
    this.#heard = false
    const outcome = await this.#bridge.call('sync/state')
    // What was told meanwhile is newer.
    if (outcome.ok && !this.#heard) this.now = outcome.value
  }
}
