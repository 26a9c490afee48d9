import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { Instance } from '#shared/api/answers.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'

/** Typing asks when it pauses. In milliseconds. */
const PAUSE = 150
const MAX = 8

/** Instances, and sources of some days, whose name has what is typed in it. */
export class NameSearch {
  instances = $state.raw<readonly Instance[]>([])
  sources = $state.raw<readonly string[]>([])
  #turn = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #bridge: DeskBridge

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
  }

  /** Looks, once typing pauses; nothing typed finds nothing. What was found before goes at once. */
  look(account: AccountId | null, typed: string, range: DayRange | null): void {
    clearTimeout(this.#timer)
    this.#turn += 1
    this.instances = []
    this.sources = []
    const name = typed.trim()
    if (account === null || name === '') return
    const turn = this.#turn
    this.#timer = setTimeout(() => {
      void this.#askInstances(account, name, turn)
      if (range) void this.#askSources(account, name, range, turn)
    }, PAUSE)
  }

  async #askInstances(account: AccountId, name: string, turn: number): Promise<void> {
    const outcome = await this.#bridge.call('lookups/instances', { account, name, page: 1, limit: MAX })
    if (turn !== this.#turn || !outcome.ok) return
    this.instances = outcome.value.answer.instances.filter(({ all }) => !all)
  }

  async #askSources(account: AccountId, source: string, range: DayRange, turn: number): Promise<void> {
    const asked = { account, range, instance: null, source, page: 1, limit: MAX }
    const outcome = await this.#bridge.call('lookups/sources', asked)
    if (turn === this.#turn && outcome.ok) this.sources = outcome.value.answer.sources
  }
}
