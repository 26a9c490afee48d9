import type { Account } from '#shared/accounts/account.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { isComposed, queryKey } from '#shared/reports/query.ts'
import { dayAt } from '#shared/values/day.ts'
import { queriesAt, readAddress } from '#shared/views/address.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import type { Reports } from '#main/reports/figures.ts'
import { idOf } from '#main/lib/async.ts'

/** For how long a window's beginning waits for answers: what is kept takes a tenth of it. In ms. */
const headStartMs = 25
/** By then the view has asked, or never will. In ms. */
const forgottenAfter = 2000

/** Asks what a window's first view is going to ask before the window does. Each answer is handed out once. */
export class FirstAnswers {
  readonly #ask: Reports['ask']
  readonly #begun = new Map<string, Promise<ReportAnswer>>()

  constructor(ask: Reports['ask']) {
    this.#ask = ask
  }

  /**
   * What is answered at once of what a view asks; the rest goes on, for when the view asks. Nothing that takes consent, and
   * nothing of which newer figures are on their way: a window that does not listen yet would miss that they came.
   */
  async at(account: Account, address: string): Promise<readonly ReportAnswer[]> {
    const queries = queriesAt(readAddress(address), dayAt(Date.now(), account.dayZone))
    if (queries.some(isComposed)) return []
    const answers = queries.map(async (query) => {
      const name = idOf(account.id, queryKey(query))
      const asked = this.#ask({ account: account.id, query, force: false }).then((answer) => {
        if (answer.provenance.refreshing) this.#begun.delete(name)
        return answer
      })
      this.#begun.set(name, asked)
      setTimeout(() => this.#forget(name, asked), forgottenAfter)
      const answer = await Promise.race([asked.catch(() => null), late()])
      if (answer) this.#forget(name, asked)
      return answer === null || answer.provenance.refreshing ? [] : answer
    })
    return (await Promise.all(answers)).flat()
  }

  /** The answer to what was asked already, else it is asked now. */
  ask(asked: CallArgument<'reports/ask'>): Promise<ReportAnswer> {
    const name = idOf(asked.account, queryKey(asked.query))
    const begun = asked.force ? undefined : this.#begun.get(name)
    if (begun) this.#forget(name, begun)
    return begun ?? this.#ask(asked)
  }

  #forget(name: string, asked: Promise<ReportAnswer>): void {
    if (this.#begun.get(name) === asked) this.#begun.delete(name)
  }
}

const late = () => new Promise<null>((resolve) => setTimeout(() => resolve(null), headStartMs))
