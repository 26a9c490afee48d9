import type { Account } from '#shared/accounts/account.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { isComposed, queryKey } from '#shared/reports/query.ts'
import { dayAt } from '#shared/values/day.ts'
import { queriesAt, readAddress } from '#shared/views/address.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Views } from '#main/saved-views/views.ts'
import { idOf } from '#main/lib/async.ts'

/** Maximum time (ms) a new window waits for prefetched answers. Stored data takes about a tenth of this. */
const maxWaitMs = 25
/** Prefetched answers expire after this many ms. By then the view has sent its queries. */
const forgottenAfter = 2000

/** Determines the first view of a window and runs the view's queries in advance. Each answer is returned once. */
export class Prefetch implements Module {
  readonly name = 'prefetch'
  readonly #store: StateStore
  readonly #accounts: Accounts
  readonly #views: Views
  readonly #reports: Reports
  readonly #prefetches = new Map<string, Promise<ReportAnswer>>()
  #prepared: Promise<readonly ReportAnswer[]> = Promise.resolve([])

  constructor(store: StateStore, accounts: Accounts, views: Views, reports: Reports) {
    this.#store = store
    this.#accounts = accounts
    this.#views = views
    this.#reports = reports
  }

  readonly handlers = {
    'desk/remember-view': ({ view }) => {
      this.#views.look(view)
      return this.#store.run('settings/write', { lastView: view })
    },
    'reports/ask': (request) => this.ask(request),
  } satisfies Partial<Handlers>

  stop(): Promise<void> {
    this.#prefetches.clear()
    return Promise.resolve()
  }

  /** Returns the start view of the active account, or else the last open view; null if there is neither. */
  async view(): Promise<string | null> {
    const active = this.#accounts.active()
    const start = active === null ? null : await this.#views.startView(active).catch(() => null)
    if (start !== null) return start
    const stored = await this.#store.run('settings/read', undefined).catch(() => null)
    return stored?.lastView ?? null
  }

  /**
   * Called when a window opens. Runs the queries of its first view once the accounts are `ready`.
   * @param address null: the window opens at the last view
   */
  prepare(address: string | null, ready: Promise<unknown>): void {
    this.#prepared = ready.then(async () => {
      const view = address ?? (await this.view())
      const active = this.#accounts.active()
      if (view !== null) this.#views.look(view)
      return active === null || view === null
        ? []
        : await this.answersOf(this.#accounts.account(active), view)
    })
    this.#prepared.catch(() => undefined)
  }

  /** Returns the answers prepared for the most recent window, once. */
  async takePrepared(): Promise<readonly ReportAnswer[]> {
    const answers = await this.#prepared.catch(() => [])
    this.#prepared = Promise.resolve([])
    return answers
  }

  /**
   * Returns those answers of a view that are available within `maxWaitMs`. The other queries continue until the view sends
   * them.
   *
   * Queries that need consent are skipped. So are answers that are being refreshed, because a window that does not listen yet
   * would miss the newer figures.
   */
  async answersOf(account: Account, address: string): Promise<readonly ReportAnswer[]> {
    const queries = queriesAt(readAddress(address), dayAt(Date.now(), account.dayZone))
    if (queries.some(isComposed)) return []
    const answers = queries.map(async (query) => {
      const name = idOf(account.id, queryKey(query))
      const answer = this.#reports.ask({ account: account.id, query, force: false }).then((answer) => {
        if (answer.provenance.refreshing) this.#prefetches.delete(name)
        return answer
      })
      this.#prefetches.set(name, answer)
      setTimeout(() => this.#forget(name, answer), forgottenAfter)
      const inTime = await Promise.race([answer.catch(() => null), late()])
      if (inTime) this.#forget(name, answer)
      return inTime === null || inTime.provenance.refreshing ? [] : inTime
    })
    return (await Promise.all(answers)).flat()
  }

  /** Returns the prefetched answer, or runs the query. */
  ask(request: CallArgument<'reports/ask'>): Promise<ReportAnswer> {
    const name = idOf(request.account, queryKey(request.query))
    const begun = request.force ? undefined : this.#prefetches.get(name)
    if (begun) this.#forget(name, begun)
    return begun ?? this.#reports.ask(request)
  }

  #forget(name: string, answer: Promise<ReportAnswer>): void {
    if (this.#prefetches.get(name) === answer) this.#prefetches.delete(name)
  }
}

const late = () => new Promise<null>((resolve) => setTimeout(() => resolve(null), maxWaitMs))
