import { setImmediate } from 'node:timers/promises'
import type { DataScopeClient } from '#main/accounts/accounts.ts'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import type { CallOptions } from '#main/api/client.ts'
import type { Totals } from '#shared/api/answers.ts'
import type { ComposedOf } from '#shared/api/dimensions.ts'
import { normalise } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import { dayFromWire } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { DataScopeId, Instant } from '#shared/values/ids.ts'
import { termAndCheckOf } from '../requests/answer-cache.ts'
import type { AnswerCache } from '../requests/answer-cache.ts'
import { requestFor } from '../requests/report-calls.ts'
import { totalsOf } from './composed-table.ts'
import type { ComposedAnswer, ComposedTotals } from './composed-table.ts'

/** Processes items one by one and yields to the event loop in between. */
async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let first = true
  for (const item of items) {
    if (!first) await setImmediate()
    first = false
    work(item)
  }
}

/** Maximum number of answers to read. More than a year of use creates. */
const maxRead = 20_000

/** The overview limited to one source or campaign; with null, limited like the query itself. */
function overviewOf(query: TableQuery, by: ComposedOf, name: string | null): OverviewQuery {
  const { family, range, instance, source, campaign } = query
  const limited = { family, range, instance, source, campaign, chart: true }
  return normalise({ kind: 'overview', ...limited, ...(name !== null && { [by]: name }) })
}

/** Overviews that a composed table consists of. Each is stored as it arrives, so that a restart repeats no requests. */
export class KnownAnswers {
  readonly #cache: AnswerCache
  readonly #query: TableQuery
  readonly #by: ComposedOf
  readonly #dataScope: DataScopeId
  /** By source or campaign. A query that is limited to a name shares the entry of that name. */
  readonly #answers = new Map<string, ComposedAnswer[]>()
  /** Answers fetched in this run. */
  readonly #requestedAnswers = new Set<ComposedAnswer>()

  constructor(answers: AnswerCache, dataScope: DataScopeId, query: TableQuery, by: ComposedOf) {
    this.#cache = answers
    this.#query = query
    this.#by = by
    this.#dataScope = dataScope
  }

  /** Loads the stored answers that are useful for a range. Unreadable answers count as missing. */
  async read(range: DayRange): Promise<void> {
    const path = `${this.#query.family}/overview` as const
    const stored = await this.#cache.newest(this.#dataScope, path, maxRead, range)
    await inSlices(stored, ({ key, text, fetchedAt }) => {
      const request = requestIn(key)
      if (request === null || !this.#isOfUse(request.limits)) return
      try {
        this.#add(request.limits.get(this.#by), {
          range: request.range,
          fetchedAt,
          answer: decodeAnswer(path, text),
        })
      } catch {
        // Unreadable answers are fetched again.
      }
    })
  }

  /**
   * Returns the newest fresh totals of some days; null if there are none.
   * @param isRequested whether only answers fetched in this run count
   */
  totalsOf(
    name: string | null,
    days: DayRange,
    isFresh: (totals: ComposedTotals) => boolean,
    isRequested = false,
  ): ComposedTotals | null {
    const answers = this.#answers.get(name ?? this.#query[this.#by] ?? '') ?? []
    const known = answers.filter((answer) => !isRequested || this.#requestedAnswers.has(answer))
    const totals = known.flatMap((answer) => totalsOf(answer, days, this.#query.family) ?? []).filter(isFresh)
    // If several are equally old, the last one that arrived.
    return totals.reverse().sort((one, other) => other.fetchedAt - one.fetchedAt)[0] ?? null
  }

  /**
   * Whether the total of everything stayed the same between two times. Then parts fetched in between can be subtracted from it.
   * Only this check detects a restatement of settled days.
   */
  isSteady(days: DayRange, since: Instant, until: Instant): boolean {
    const all = (this.#answers.get(this.#query[this.#by] ?? '') ?? [])
      .flatMap((answer) => totalsOf(answer, days, this.#query.family) ?? [])
      .sort((one, other) => one.fetchedAt - other.fetchedAt)
    const first = all.findLastIndex(({ fetchedAt }) => fetchedAt <= since)
    const [before, ...later] = first < 0 ? [] : all.slice(first)
    const last = later.at(-1) ?? before
    if (!before || !last || last.fetchedAt < until) return false
    return later.every(({ total }) => isSameTotal(total, before.total))
  }

  /** Fetches and stores an answer. @throws the client's errors */
  async ask(
    client: DataScopeClient,
    name: string | null,
    range: DayRange,
    options: CallOptions,
  ): Promise<ComposedAnswer> {
    const query = overviewOf({ ...this.#query, range }, this.#by, name)
    const { key, path, send } = requestFor(query, 0)
    const { text, fetchedAt, figures } = await send(client, options)
    if (figures.kind === 'table') throw new TypeError('A table answers no overview')
    const received = { range, fetchedAt, answer: figures.answer }
    this.#add(query[this.#by], received)
    this.#requestedAnswers.add(received)
    await this.#cache.save({
      ...{ dataScope: this.#dataScope, key, path, range, fetchedAt, text, madeOf: '' },
      ...termAndCheckOf(client),
    })
    return received
  }

  #add(name: string | null, answer: ComposedAnswer): void {
    const answers = this.#answers.get(name ?? '') ?? []
    answers.push(answer)
    this.#answers.set(name ?? '', answers)
  }

  /** Whether an answer has the same limits as the query, except for the composed dimension. */
  #isOfUse(limits: Limits): boolean {
    const own = { instance: this.#query.instance, source: this.#query.source, campaign: this.#query.campaign }
    return limitNames.every((name) => {
      const same = limits.get(name) === own[name]
      return same || (name === this.#by && own[name] === null)
    })
  }
}

/** Compares only counts that both have, because a chart may have fewer than a total. */
const isSameTotal = (one: Totals, other: Totals): boolean =>
  Object.entries(one).every(([name, count]) => other[name] === undefined || other[name] === count)

const limitNames = ['instance', 'source', 'campaign'] as const
type Limits = { readonly get: (name: (typeof limitNames)[number]) => string | null }

/** Range and limits of a stored overview, parsed from its key (queryKey). */
function requestIn(key: string): { readonly range: DayRange; readonly limits: Limits } | null {
  const written = new URLSearchParams(key.slice(key.indexOf('?') + 1))
  const [start, end] = [dayFromWire(written.get('start')), dayFromWire(written.get('end'))]
  return start && end ? { range: { start, end }, limits: written } : null
}
