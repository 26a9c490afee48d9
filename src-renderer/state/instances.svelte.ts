import type { DeskBridge } from '../../src-shared/bridge/calls.ts'
import { limits } from '../../src-shared/service/limits.ts'
import type { Instance } from '../../src-shared/service/answers.ts'
import type { Failure } from '../../src-shared/service/failure.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'

/** What the names of look-ups begin with in change events. */
const PATH = 'interface/instances'

/** The instances to choose from: the first thousand, or the first thousand that match what was typed. */
export class Instances {
  list = $state.raw<readonly Instance[]>([])
  /** How many there are that match; more than `list` holds where there are thousands. */
  found = $state(0)
  failure = $state.raw<Failure | null>(null)
  /** Whether there were ever more than fit, so that narrowing is worth a field. */
  many = $state(false)
  #turn = 0
  #name = ''
  readonly #bridge: DeskBridge
  readonly #account: AccountId

  constructor(bridge: DeskBridge, account: AccountId) {
    this.#bridge = bridge
    this.#account = account
  }

  /** Looks up all of them, and anew when the main process says that the list changed; the result ends that. */
  listen(): () => void {
    const stops = [
      this.#bridge.on('reports/changed', ({ account, key }) => {
        if (account === this.#account && key.startsWith(PATH)) void this.look(this.#name)
      }),
      this.#bridge.on('connection/changed', ({ account, connection }) => {
        if (account !== this.#account || connection.state !== 'online') return
        if (this.failure) void this.look(this.#name)
      }),
    ]
    void this.look()
    return () => stops.forEach((stop) => stop())
  }

  /** Looks up the instances whose name has `name` in it; all of them where it is blank. */
  async look(name = ''): Promise<void> {
    this.#name = name
    this.#turn += 1
    const turn = this.#turn
    const outcome = await this.#bridge.call('lookups/instances', {
      account: this.#account,
      name: name.trim() === '' ? null : name.trim(),
      page: 1,
      limit: limits.rowsPerPage,
    })
    if (turn !== this.#turn) return
    this.failure = outcome.ok ? outcome.value.failure : outcome.failure
    if (!outcome.ok) return
    const { instances, query } = outcome.value.answer
    this.list = instances.filter(({ all }) => !all)
    this.found = Math.max(query.results, this.list.length)
    this.many ||= query.pages > 1
  }
}
