import type { DeskBridge } from '../../../src-shared/bridge/calls.ts'
import type { Instance } from '../../../src-shared/service/answers.ts'
import type { AccountId } from '../../../src-shared/values/ids.ts'

/** Typing asks when it pauses. In milliseconds. */
const PAUSE = 150
const MOST = 8

/** Instances whose name has what is typed in it. */
export class InstanceSearch {
  found = $state.raw<readonly Instance[]>([])
  #turn = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #bridge: DeskBridge

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
  }

  /** Looks, once typing pauses; nothing typed finds nothing. What was found before goes at once. */
  look(account: AccountId | null, typed: string): void {
    clearTimeout(this.#timer)
    this.#turn += 1
    this.found = []
    const name = typed.trim()
    if (account === null || name === '') return
    this.#timer = setTimeout(() => void this.#ask(account, name), PAUSE)
  }

  async #ask(account: AccountId, name: string): Promise<void> {
    const turn = this.#turn
    const outcome = await this.#bridge.call('lookups/instances', { account, name, page: 1, limit: MOST })
    if (turn !== this.#turn || !outcome.ok) return
    this.found = outcome.value.answer.instances.filter(({ all }) => !all)
  }
}
