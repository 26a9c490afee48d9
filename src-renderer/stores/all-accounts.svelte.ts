import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import type { LiveAccount } from '#shared/accounts/account.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import { isSameRange } from '#shared/reports/compared-periods.ts'
import type { Periods } from '#shared/reports/compared-periods.ts'
import { answerKey } from '#shared/reports/query.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { Family } from '#shared/api/families.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { AccountFigures, SavedFigures } from '#shared/texts/accounts.ts'

/** What is looked at of an account: its overviews, and what of them is compared. */
export type AccountQuestion = {
  readonly account: LiveAccount
  readonly queries: Readonly<Record<Family, OverviewQuery>>
  /** Null where nothing is compared. */
  readonly periods: Periods | null
}

/** So many accounts are asked at a time. */
const AT_A_TIME = 4

/** The saved figures of all accounts, followed while they are on screen. Nothing is asked of a service before a person wants it. */
export class AllAccounts {
  /** Why the service of an account did not answer when it was asked last. */
  readonly failures = new SvelteMap<AccountId, Failure>()
  readonly #known = new SvelteMap<AccountId, AccountFigures>()
  /** Accounts that are still to be renewed. */
  waiting = $state(0)
  #questions: readonly AccountQuestion[] = []
  readonly #reading = new SvelteSet<AccountId>()
  readonly #again = new SvelteSet<AccountId>()
  /** What is being asked anew behind saved figures, by account and key: how that ended is still to be heard. */
  readonly #renewing = new SvelteMap<string, OverviewQuery>()
  #turn = 0
  readonly #bridge: DeskBridge
  readonly #stop: () => void

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
    this.#stop = bridge.on('reports/changed', ({ account, key }) => {
      const query = this.#renewing.get(`${account} ${key}`)
      this.#renewing.delete(`${account} ${key}`)
      if (query) void this.#ask(account, query, false)
      this.#read(account)
    })
  }

  /** Undefined until it is known. */
  of(account: AccountId): AccountFigures | undefined {
    return this.#known.get(account)
  }

  /** Reads what is saved. Figures of the question before stay until those of this one are read. */
  ask(questions: readonly AccountQuestion[]): void {
    this.#questions = questions
    this.#turn += 1
    for (const { account } of questions) this.#read(account.id)
  }

  /** Asks the services of all accounts for the days, and those compared with. */
  async renew(): Promise<void> {
    if (this.waiting > 0) return
    const left = [...this.#questions]
    this.failures.clear()
    this.waiting = left.length
    const next = async (): Promise<void> => {
      const question = left.shift()
      if (!question) return
      await this.#renewOne(question)
      this.waiting -= 1
      await next()
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, next))
  }

  close(): void {
    this.#stop()
    this.#questions = []
  }

  async #renewOne({ account: { id: account }, queries, periods }: AccountQuestion): Promise<void> {
    const asked = Object.values(queries).flatMap((query) => {
      const others = periods ? [periods.now, periods.before] : []
      const ranges = others.filter((range) => !isSameRange(range, query.range))
      return [query, ...ranges.map((range) => ({ ...query, range }))]
    })
    for (const query of asked) {
      if (!(await this.#ask(account, query, true))) break
    }
    this.#read(account)
  }

  /** Asks for an overview; whether that went well, or goes on behind what is saved. */
  async #ask(account: AccountId, query: OverviewQuery, force: boolean): Promise<boolean> {
    const outcome = await this.#bridge.call('reports/ask', { account, query, force })
    if (outcome.ok && outcome.value.provenance.refreshing)
      this.#renewing.set(`${account} ${answerKey(query)}`, query)
    const failure = outcome.ok ? outcome.value.provenance.failure : outcome.failure
    if (failure) this.failures.set(account, failure)
    return failure === null
  }

  /** One reading of an account at a time: a change in the middle of one is read after it. */
  #read(account: AccountId): void {
    const question = this.#questions.find((accountQuestion) => accountQuestion.account.id === account)
    if (!question) return
    if (this.#reading.has(account)) this.#again.add(account)
    else void this.#readOne(question)
  }

  async #readOne(question: AccountQuestion): Promise<void> {
    const { id } = question.account
    this.#reading.add(id)
    const turn = this.#turn
    const figures = await this.#figuresOf(question)
    this.#reading.delete(id)
    if (turn === this.#turn) this.#known.set(id, figures)
    if (this.#again.delete(id)) this.#read(id)
  }

  async #figuresOf({ account, queries, periods }: AccountQuestion): Promise<AccountFigures> {
    const pairedWith = (query: OverviewQuery, range: DayRange) =>
      // Without a chart any saved days count, those that came together too.
      this.#bridge.call('reports/paired', {
        account: account.id,
        query: { ...query, chart: false },
        before: range,
      })
    const savedOf = async (query: OverviewQuery): Promise<Outcome<SavedFigures>> => {
      // Compared with themselves, days are those that are saved.
      const now = await pairedWith(query, query.range)
      const compared = periods ? await pairedWith({ ...query, range: periods.now }, periods.before) : null
      if (!now.ok) return now
      if (compared && !compared.ok) return compared
      return { ok: true, value: { now: now.value, compared: compared && compared.value } }
    }
    const script = await savedOf(queries.script)
    if (!script.ok) return script
    const direct = await savedOf(queries.direct)
    if (!direct.ok) return direct
    return { ok: true, value: { script: script.value, direct: direct.value } }
  }
}
