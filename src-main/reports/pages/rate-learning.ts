import type { TableQuery } from '#shared/reports/query.ts'
import { plainTable } from '#shared/reports/query.ts'
import { rateBase } from '#shared/reports/rates.ts'
import { composedOf } from '#shared/api/dimensions.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { lastDays } from '#shared/values/day.ts'
import { idOf } from '#main/lib/async.ts'
import { isResting } from '#main/lib/retry.ts'
import type { FiguresParts } from '../figures-parts.ts'
import type { Pages } from './pages.ts'

/** Days that any service answers at once. */
const fewDays = 7
/** A service may change what its rates are shares of: so often they are looked at again, in milliseconds. */
const holdsFor = 7 * 24 * 60 * 60_000

/**
 * Learns what an account's rates are shares of where figures are computed, so that the service was not asked for any: it is,
 * once, behind them.
 */
export class RateLearning {
  readonly #parts: FiguresParts
  readonly #pages: Pages
  /** When it was tried last, by account and family. */
  readonly #tried = new Map<string, number>()

  constructor(parts: FiguresParts, pages: Pages) {
    this.#parts = parts
    this.#pages = pages
  }

  /**
   * Asks behind computed rates of this query, unless that is known of these days, was tried a moment ago, or cannot be asked now.
   * Where the shares turn out to be others, `reports/changed` follows under the question's key.
   */
  async behind(account: AccountId, query: TableQuery, key: string): Promise<void> {
    const { accounts, clock, connections, events, rangeLimits } = this.#parts
    const { family, dimension, instance, source, campaign, filters } = query
    const bases = () => accounts.account(account).rateBases?.[family] ?? null
    const id = idOf(account, family)
    const checkedAt = accounts.account(account).ratesLookedAt?.[family] ?? -Infinity
    const before = bases()
    const isKnown = before !== null && clock.now() - checkedAt < holdsFor
    const rests = isResting('learning', this.#tried.get(id), clock.now())
    if (isKnown || connections.obstacle(account) !== null || rests) return
    this.#tried.set(id, clock.now())
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
}
