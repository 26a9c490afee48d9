import { idOf } from '#main/lib/async.ts'
import { isResting } from '#main/lib/retry.ts'
import type { TableAnswer } from '#shared/api/answers.ts'
import { composedOf } from '#shared/api/dimensions.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { plainTable, answerKey } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { rateBase, labelText } from '#shared/reports/rows.ts'
import { dayOf, isSettledOn } from '#shared/reports/answer.ts'
import { lastDays, addDays } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { FiguresParts } from '../figures-parts.ts'
import { searchedAllBeside } from './pages.ts'
import type { Pages } from './pages.ts'

/** Days that any service answers at once. */
const fewDays = 7
/** A service may change what its rates are shares of: so often they are looked at again, in milliseconds. */
const holdsFor = 7 * 24 * 60 * 60_000

/** Of so many days ago no figure moves between two requests. */
const longSettled = 4

/**
 * Learns, once, what an account's service does not say by itself: what its rates are shares of where figures are computed, and
 * what its row for all is about under a search.
 */
export class Learning {
  readonly #parts: FiguresParts
  readonly #pages: Pages
  /** When what was tried last, by account and family. */
  readonly #tried = new Map<string, number>()

  constructor(parts: FiguresParts, pages: Pages) {
    this.#parts = parts
    this.#pages = pages
  }

  /**
   * Asks behind computed rates of this query, unless that is known of these days, was tried a moment ago, or cannot be asked now.
   * Where the shares turn out to be others, `reports/changed` follows under the question's key.
   */
  async rates(account: AccountId, query: TableQuery, key: string): Promise<void> {
    const { accounts, clock, events, rangeLimits } = this.#parts
    const { family, dimension, instance, source, campaign, filters } = query
    const bases = () => accounts.account(account).rateBases?.[family] ?? null
    const checkedAt = accounts.account(account).ratesCheckedAt?.[family] ?? -Infinity
    const before = bases()
    const isKnown = before !== null && clock.now() - checkedAt < holdsFor
    if (isKnown || !this.#begins('rates', account, family)) return
    const few = lastDays(query.range, fewDays)
    const range = rangeLimits.isTooWide(account, 'tables', few) ? lastDays(query.range, 1) : few
    // A table that the desk composes has no rates of the service's.
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
      // The usual shares hold until it can be asked.
    }
  }

  /**
   * Asks for the first row of a day that does not change any more, and for the same under a search for that row's name, unless it
   * is known, was tried a moment ago, or cannot be asked now. Where that tells it, `reports/changed` follows under the
   * question's key.
   */
  async search(account: AccountId, query: TableQuery): Promise<void> {
    const { accounts, clock, events } = this.#parts
    const { family, dimension, instance, source, campaign, filters } = query
    const isKnown = () => accounts.account(account).searchedAll?.[family] !== undefined
    if (isKnown() || !this.#begins('search', account, family)) return
    const today = dayOf(clock.now(), accounts.account(account))
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
      // The total stands as it was sent until it can be asked.
    }
  }

  /** Whether to ask: it was not tried a moment ago, and can be asked now. It counts as tried then. */
  #begins(what: 'rates' | 'search', account: AccountId, family: Family): boolean {
    const { clock, connections } = this.#parts
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
