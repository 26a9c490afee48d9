import type { CallOutcome, DeskBridge } from '#shared/bridge/calls.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { queryKey } from '#shared/reports/query.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { ViewAddress } from '#shared/views/view-address.ts'
import { queriesAt } from '#shared/views/address.ts'
import type { Day } from '#shared/values/day.ts'

/** A view is made well before that. */
const FORGOTTEN_AFTER = 2000

type Outcome = Promise<CallOutcome<'reports/ask'>>
type Begun = { readonly outcome: Outcome; answer: ReportAnswer | null }

/**
 * Asks what a view is going to ask while that view is still being made: its answer is there in the same frame then.
 * Each answer is handed out once.
 */
export class HeadStart {
  readonly #begun = new Map<string, Begun>()
  readonly #bridge: DeskBridge

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
    // An answer that changed before its question took it is no longer the answer.
    bridge.on('reports/changed', ({ account, key }) => this.#begun.delete(nameOf(account, key)))
  }

  /** Takes answers that came before anything was asked. */
  give(account: AccountId, answers: readonly ReportAnswer[]): void {
    for (const answer of answers) {
      const outcome = Promise.resolve({ ok: true, value: answer } as const)
      this.#hold(nameOf(account, queryKey(answer.query)), { outcome, answer })
    }
  }

  /** Asks for what is at an address. What is not taken by the time the view is made is forgotten. */
  begin(account: AccountId, address: ViewAddress, today: Day): void {
    for (const query of queriesAt(address, today)) {
      const name = nameOf(account, queryKey(query))
      if (this.#begun.has(name)) continue
      const begun: Begun = { outcome: this.#call(account, query), answer: null }
      void begun.outcome.then((outcome) => (begun.answer = outcome.ok ? outcome.value : null))
      this.#hold(name, begun)
    }
  }

  /** An answer that is there already; null where none is. */
  take(account: AccountId, query: ReportQuery): ReportAnswer | null {
    const name = nameOf(account, queryKey(query))
    const answer = this.#begun.get(name)?.answer ?? null
    if (answer) this.#begun.delete(name)
    return answer
  }

  /** The answer that was begun for this question, else asks. */
  ask(account: AccountId, query: ReportQuery): Outcome {
    const name = nameOf(account, queryKey(query))
    const begun = this.#begun.get(name)
    this.#begun.delete(name)
    return begun?.outcome ?? this.#call(account, query)
  }

  /** Nobody waits for this question any more: what was begun for it is given up as well, and is no answer to the next who asks. */
  giveUp(account: AccountId, query: ReportQuery): void {
    this.#begun.delete(nameOf(account, queryKey(query)))
  }

  #call(account: AccountId, query: ReportQuery): Outcome {
    return this.#bridge.call('reports/ask', { account, query, force: false })
  }

  #hold(name: string, begun: Begun): void {
    this.#begun.set(name, begun)
    setTimeout(() => {
      if (this.#begun.get(name) === begun) this.#begun.delete(name)
    }, FORGOTTEN_AFTER)
  }
}

const nameOf = (account: AccountId, key: string) => `${account} ${key}`
