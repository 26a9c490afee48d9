import type { DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { SavedViewState } from '../../src-shared/views/saved.ts'

/** The saved views of the account that is shown. */
export class SavedViews {
  list = $state.raw<readonly SavedViewState[]>([])
  readonly #bridge: DeskBridge
  #account: AccountId | null = null

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
    bridge.on('views/changed', ({ account }) => {
      if (account === this.#account) void this.read(account)
    })
  }

  /** Reads the views of an account, and follows them from now on. */
  async read(account: AccountId): Promise<void> {
    if (account !== this.#account) this.list = []
    this.#account = account
    const outcome = await this.#bridge.call('views/list', { account })
    if (outcome.ok && account === this.#account) this.list = outcome.value
  }
}
