import { idOf } from '#main/lib/async.ts'
import { isResting } from '#main/lib/retry.ts'
import type { TableAnswer } from '#shared/api/answers.ts'
import { composedOf } from '#shared/api/dimensions.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { plainTable, answerKey } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { rateBase, labelText } from '#shared/reports/rows.ts'
import { accountDayOf, isSettledOn } from '#shared/reports/answer.ts'
import { lastDays, addDays } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { ReportsContext } from '../reports-context.ts'
import { searchedAllBeside } from './pages.ts'
import type { Pages } from './pages.ts'

/** Number of days that any service answers at once. */
const fewDays = 7
/** For how long (ms) learned bases of rates are valid, because a service may change them. */
const holdsFor = 7 * 24 * 60 * 60_000

/** Figures of a day this many days ago no longer change between two requests. */
const longSettled = 4

/** Learns the bases of a service's rates, and whether its aggregate row covers only the rows that a search finds. */
export class Learning {
  readonly #context: ReportsContext
  readonly #pages: Pages
  /** When each attempt was made, by topic, account and family. */
  readonly #tried = new Map<string, number>()

  constructor(context: ReportsContext, pages: Pages) {
    this.#context = context
    this.#pages = pages
  }

  /**
   * Learns the bases of rates, unless they are known, were tried recently or the service is unreachable. Emits
   * `reports/changed` under `key` if they changed.
   */
  async rates(account: AccountId, query: TableQuery, key: string): Promise<void> {
    const { accounts, clock, events, rangeLimits } = this.#context
    const { family, dimension, instance, source, campaign, filters } = query
    const bases = () => accounts.account(account).rateBases?.[family] ?? null
    const checkedAt = accounts.account(account).ratesCheckedAt?.[family] ?? -Infinity
    const before = bases()
    const isKnown = before !== null && clock.now() - checkedAt < holdsFor
    if (isKnown || !this.#begins('rates', account, family)) return
    const few = lastDays(query.range, fewDays)
    const range = rangeLimits.isTooWide(account, 'tables', few) ? lastDays(query.range, 1) : few
    // The service has no composed tables.
    const request = composedOf(dimension) === null ? dimension : 'sessions'
    const subject = { family, dimension: request, range, instance, source, campaign, filters }
    try {
      const rated: TableQuery = { ...plainTable, ...subject, rates: true }
      await this.#pages.ask(account, rated, {
        signal: new AbortController().signal,
        priority: 'background',
        ratesAnew: true,
      })
      const learnt = bases()
      const usual = rateBase(family, dimension)
      const shares = (rates: typeof learnt) =>
        rates === 'unexplained'
          ? rates
          : JSON.stringify(Object.entries(rates ?? {}).filter(([, base]) => base !== usual))
      if (shares(learnt) !== shares(before)) events.emit({ kind: 'reports/changed', account, key })
    } catch {
      // The usual bases are used until the service can be reached.
    }
  }

  /**
   * Learns the scope of the aggregate row under a search, unless it is known, was tried recently or the service is unreachable.
   * Compares the first row of a settled day with a search for that row. Emits `reports/changed` under the query's key once the
   * scope is known.
   */
  async search(account: AccountId, query: TableQuery): Promise<void> {
    const { accounts, clock, events } = this.#context
    const { family, dimension, instance, source, campaign, filters } = query
    const isKnown = () => accounts.account(account).searchedAll?.[family] !== undefined
    if (isKnown() || !this.#begins('search', account, family)) return
    const today = accountDayOf(clock.now(), accounts.account(account))
    const { start } = query.range
    const day = isSettledOn({ start, end: start }, today) ? start : addDays(today, -longSettled)
    const subject = {
      family,
      dimension,
      instance,
      source,
      campaign,
      filters,
      range: { start: day, end: day },
    }
    try {
      const plain = await this.#first(account, { ...plainTable, ...subject, limit: 1 })
      const [row] = plain.table.rows
      if (!row) return
      const searched: TableQuery = { ...plainTable, ...subject, limit: 1, search: labelText(row.label) }
      const searchedAll = searchedAllBeside(query, await this.#first(account, searched), plain)
      if (searchedAll !== null && !isKnown())
        await accounts.learn(account, { searchedAll: { [family]: searchedAll } })
      if (isKnown()) events.emit({ kind: 'reports/changed', account, key: answerKey(query) })
    } catch {
      // The total is shown as sent until the service can be reached.
    }
  }

  /** Whether to start an attempt: none was made recently and the service is reachable. Records the attempt. */
  #begins(what: 'rates' | 'search', account: AccountId, family: Family): boolean {
    const { clock, connections } = this.#context
    const id = idOf(account, `${what} ${family}`)
    const rests = isResting('learning', this.#tried.get(id), clock.now())
    if (rests || connections.obstacle(account) !== null) return false
    this.#tried.set(id, clock.now())
    return true
  }

  async #first(account: AccountId, query: TableQuery): Promise<TableAnswer> {
    const { signal } = new AbortController()
    const { figures } = await this.#pages.ask(account, query, { signal, priority: 'background' })
    if (figures.kind === 'overview') throw new TypeError('An overview answers no table')
    return figures.answer
  }
}
