import type { CallOutcome, DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { ReportQuery } from '../../src-shared/reports/query.ts'
import { queryKey } from '../../src-shared/reports/query.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { ViewAddress } from '../../src-shared/views/view-address.ts'
import { overviewQueryAt, tableQueryAt } from '../../src-shared/views/address.ts'
import type { Day } from '../../src-shared/values/day.ts'

/** The first view is made well before that. */
const FORGOTTEN_AFTER = 2000

type Outcome = Promise<CallOutcome<'reports/ask'>>

/**
 * Asks what the first view is going to ask while that view is still being made: at start it saves the time that making
 * it takes. Each answer is handed out once.
 */
export class HeadStart {
  readonly #begun = new Map<string, Outcome>()
  readonly #bridge: DeskBridge

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
    // An answer that changed before its question took it is no longer the answer.
    bridge.on('reports/changed', ({ account, key }) => this.#begun.delete(nameOf(account, key)))
  }

  /** Asks for what is at an address. What is not taken by the time the view is made is forgotten. */
  begin(account: AccountId, address: ViewAddress, today: Day): void {
    for (const query of queriesOf(address, today)) {
      this.#begun.set(nameOf(account, queryKey(query)), this.ask(account, query))
    }
    setTimeout(() => this.#begun.clear(), FORGOTTEN_AFTER)
  }

  /** The answer that was begun for this question, else asks. */
  ask(account: AccountId, query: ReportQuery): Outcome {
    const name = nameOf(account, queryKey(query))
    const begun = this.#begun.get(name)
    this.#begun.delete(name)
    return begun ?? this.#bridge.call('reports/ask', { account, query, byHand: false })
  }
}

const nameOf = (account: AccountId, key: string) => `${account} ${key}`

function queriesOf(address: ViewAddress, today: Day): ReportQuery[] {
  if (address.view === 'reports') return [tableQueryAt(address, today)]
  if (address.view !== 'overview') return []
  return [overviewQueryAt(address, 'script', today), overviewQueryAt(address, 'direct', today)]
}
