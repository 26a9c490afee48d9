import { instantOf } from '#shared/values/ids.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { readHead } from '#main/analytics/history-layout.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import { composedOf, headersOf } from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import { firstDoubt, leastComplete } from '#shared/reports/answer.ts'
import type { PairedAnswer } from '#shared/reports/answer.ts'
import { ranked, rounded } from '#shared/reports/explain.ts'
import type { ExplainedSide, ExplainedSides, Explanation } from '#shared/reports/explain.ts'
import { explainKey, explaining } from '#shared/reports/explain-answer.ts'
import type { ExplainAnswer, ExplainCost, ExplainedDimension } from '#shared/reports/explain-answer.ts'
import { plainTable } from '#shared/reports/query.ts'
import { rateBase } from '#shared/reports/rows.ts'
import { assumed, callConcurrency } from '../composing/cost.ts'
import { nothingOver, periodsNow, sidesOf } from '../coverage/comparison.ts'
import { computeFrom, planToFetch, portionsOf } from '../coverage/plan.ts'
import type { Need, Plan } from '../coverage/plan.ts'
import type { Computed } from '../engine/table-calls.ts'
import { countIn } from '../engine/totals.ts'
import { daysDue, gather } from '../sync/gathering.ts'
import type { ResolverContext } from './resolver-context.ts'
import { pairedFigures } from './saved-elsewhere.ts'

type Request = CallArgument<'reports/explain'>
type Periods = ExplainAnswer['periods']

/** A dimension that may explain the change: the base of its rates, and the needed tables. */
type Readable = {
  readonly dimension: Dimension
  readonly base: string
  readonly needs: readonly [now: Need, before: Need]
}

/** Maximum number of dimensions to fetch concurrently, so that other requests of the user wait little. */
const loadedTogether = 2

/** Explains a change from stored tables, and fetches missing ones on request. */
export class ExplainedChange {
  readonly #context: ResolverContext
  readonly #request: Request
  readonly #periods: Periods
  readonly #mostCalls: number

  /**
   * @param mostCalls maximum number of calls for one view of a composed table
   * @throws DeskFailure if none of the days is over
   */
  constructor(context: ResolverContext, request: Request, mostCalls: number) {
    const periods = periodsNow(context, request.account, request.query.range, request.before)
    if (!periods) throw nothingOver()
    this.#context = context
    this.#request = request
    this.#periods = periods
    this.#mostCalls = mostCalls
  }

  /**
   * Fetches missing and stale tables of some dimensions. Tables that were fetched before a failure are stored.
   * @returns the failures by dimension
   */
  async load(dimensions: readonly Dimension[], signal: AbortSignal): Promise<ExplainAnswer['failures']> {
    const context = this.#context
    const { account } = this.#request
    const candidates = this.#candidates().flatMap((candidate) =>
      'needs' in candidate && dimensions.includes(candidate.dimension) ? [candidate] : [],
    )
    const failures: { dimension: Dimension; failure: Failure }[] = []
    const total = candidates.length * 2
    let done = 0
    const emitProgress = () =>
      context.events.emit({
        ...{ kind: 'reports/progress', account, key: explainKey(this.#request) },
        ...{ done, total, unit: 'tables' },
      })
    if (total > 0) emitProgress()
    await new Lane(loadedTogether).forEach(candidates, async ({ dimension, needs }) => {
      for (const need of needs) {
        if (signal.aborted) return
        // The user has seen the cost.
        const options = { force: false, dayByDay: false, agreed: true, onProgress: () => undefined }
        const failure = await gather(context, need, { ...options, signal, priority: 'person' }).catch(
          failureOf,
        )
        if (failure) failures.push({ dimension, failure })
        if (failure) return
        done += 1
        emitProgress()
      }
    })
    return failures.filter(({ failure }) => failure.kind !== 'cancelled')
  }

  /** Explains the change from stored tables. Sends no requests. */
  async read(failures: ExplainAnswer['failures'], signal: AbortSignal): Promise<ExplainAnswer> {
    const { connections } = this.#context
    const { account } = this.#request
    const figure = await this.#figure(signal)
    const candidates = this.#candidates()
    const [found, due] = await Promise.all([
      Promise.all(
        candidates.map((candidate) =>
          'needs' in candidate ? this.#explained(candidate, figure, signal) : candidate,
        ),
      ),
      Promise.all(candidates.map((candidate) => ('needs' in candidate ? this.#costOf(candidate) : []))),
    ])
    const explained = found.flatMap((dimension) => (dimension.kind === 'explained' ? [dimension] : []))
    const others = found.filter(({ kind }) => kind !== 'explained')
    return {
      periods: this.#periods,
      figure,
      dimensions: [...ranked(explained), ...others],
      due: due.flat(),
      failures,
      obstacle: connections.obstacle(account),
    }
  }

  #candidates(): readonly (Readable | Extract<ExplainedDimension, { kind: 'not-counted' }>)[] {
    const { account, query, header, base, by } = this.#request
    const { catalogue } = this.#context
    const { family, instance, source, campaign } = query
    return explaining(this.#request).map((dimension) => {
      const counts = headersOf(family, dimension).slice(1)
      const own =
        base === null ? header : counts.includes(base) || by === 'rate' ? base : rateBase(family, dimension)
      const uncounted = [header, own].find((count) => !counts.includes(count))
      if (uncounted !== undefined) return { kind: 'not-counted', dimension, header: uncounted }
      const table = { ...plainTable, family, dimension, instance, source, campaign }
      const needOf = (range: Need['range']): Need => ({
        catalogued: catalogue.subject(account, { ...table, range }, 'whole'),
        range,
      })
      return { dimension, base: own, needs: [needOf(this.#periods.now), needOf(this.#periods.before)] }
    })
  }

  async #explained(
    { dimension, base, needs }: Readable,
    figure: ExplainAnswer['figure'],
    signal: AbortSignal,
  ): Promise<ExplainedDimension> {
    const context = this.#context
    const { query, header, by, row } = this.#request
    const { family, instance, source, campaign } = query
    const table = { ...plainTable, family, dimension, instance, source, campaign, range: this.#periods.now }
    type Found = { readonly explanation: Explanation | null } & Omit<ExplainedFacts, 'explanation'>
    const { figures } = await computeFrom(
      context,
      needs,
      async ([now, before], ending): Promise<Computed<Found | null>> => {
        const sides = await sidesOf(context, needs, [now, before])
        const { compared, lengths } = sides
        if (compared?.days === 0) return { kind: 'computed', figures: null }
        const about = { query: table, header, base, by, lengths, focus: row?.key }
        const params = { tables: sides.now, before: sides.before, ...about }
        const computed = await context.engine.call('explain', params, ending)
        if (computed.kind === 'lacking') return computed
        const tables = [...sides.now, ...sides.before]
        return {
          kind: 'computed',
          figures: { explanation: computed.figures, compared, ...knownOf(tables, needs[0]) },
        }
      },
      signal,
    )
    if (!figures) return { kind: 'missing', dimension }
    const { explanation, ...known } = figures
    if (!explanation) return { kind: 'no-figure', dimension }
    const agrees =
      figure && areSame(explanation.whole, figure.sides) && areAsMany(figures.compared, figure.compared)
    return { kind: 'explained', dimension, explanation: rounded(explanation), ...known, agrees }
  }

  /** The figure to explain, from any stored totals. */
  async #figure(signal: AbortSignal): Promise<ExplainAnswer['figure']> {
    const { account, query, header, base } = this.#request
    const { now, before } = this.#periods
    const request = { account, query: { ...query, range: now }, before }
    const paired = await pairedFigures(this.#context, request, signal)
    const sides = paired.sides && sidesIn(query.family, header, base ?? header, paired.sides)
    if (!sides || paired.fetchedAt === null) return null
    const { days, total, against } = paired.compared
    const isWhole = days === total && (!against || against.days === against.total)
    const { fetchedAt, doubt } = paired
    return { sides, compared: isWhole ? null : paired.compared, fetchedAt, doubt }
  }

  /** Cost of fetching a dimension; empty if nothing is due. */
  async #costOf({ dimension, needs }: Readable): Promise<readonly ExplainCost[]> {
    const context = this.#context
    const [known, ...plans] = await Promise.all([
      needs[0].catalogued.list(),
      ...needs.map((need) => planToFetch(context, need)),
    ])
    const newest = known.toSorted((one, other) => other.fetchedAt - one.fetchedAt)[0]
    const costs = plans.map(({ plan }, place) =>
      this.#requestsFor(needs[place] ?? needs[0], plan, newest?.rows),
    )
    const requests = costs.reduce((sum, cost) => sum + cost.requests, 0)
    if (requests === 0) return []
    const perRequest = context.times.median(this.#request.account) ?? assumed.request
    const milliseconds = Math.round(
      (requests * perRequest) / (composedOf(dimension) ? callConcurrency : loadedTogether),
    )
    return [{ dimension, requests, atMost: costs.some(({ atMost }) => atMost), milliseconds }]
  }

  /** @param rows number of rows of a stored table of the dimension; undefined without one */
  #requestsFor(
    { catalogued, range }: Need,
    plan: Plan,
    rows: number | undefined,
  ): Pick<ExplainCost, 'requests' | 'atMost'> {
    const days = daysDue(plan)
    if (days.length === 0) return { requests: 0, atMost: false }
    const { accounts, rangeLimits } = this.#context
    const { account, composed, window } = catalogued
    if (composed) {
      const times = Math.ceil(days.length / (accounts.account(account).windows.overview ?? Infinity)) || 1
      return {
        requests: rows === undefined ? this.#mostCalls : (rows + 1) * times,
        atMost: rows === undefined,
      }
    }
    const portions = portionsOf(days, rangeLimits.isTooWide(account, window, range))
    return {
      requests: portions.length * Math.max(1, Math.ceil((rows ?? 0) / limits.rowsPerPage)),
      atMost: false,
    }
  }
}

type ExplainedFacts = Omit<
  Extract<ExplainedDimension, { kind: 'explained' }>,
  'kind' | 'dimension' | 'agrees'
>

/** Provenance of the compared tables. */
function knownOf(
  tables: readonly StoredTable[],
  { catalogued }: Need,
): Pick<ExplainedFacts, 'fetchedAt' | 'doubt' | 'composed'> {
  const unit = catalogued.composed?.unit
  const part = leastComplete(tables.flatMap(({ head }) => readHead(head)?.composed ?? []))
  return {
    fetchedAt: instantOf(Math.min(...tables.map(({ fetchedAt }) => fetchedAt))),
    doubt: firstDoubt(tables.map(({ doubt }) => doubt)),
    ...(unit && part && { composed: { ...part, unit } }),
  }
}

/** A count and the base of its rate, from totals; null if either is missing. */
function sidesIn(
  family: Family,
  header: string,
  base: string,
  { now, before }: NonNullable<PairedAnswer['sides']>,
): ExplainedSides | null {
  const sideOf = ({ total }: typeof now): ExplainedSide => ({
    count: countIn(total, family, header) ?? null,
    base: countIn(total, family, base) ?? null,
  })
  const sides = { now: sideOf(now), before: sideOf(before) }
  const counts = [sides.now, sides.before].flatMap(({ count, base: whole }) => [count, whole])
  return counts.includes(null) ? null : sides
}

const areSame = (one: ExplainedSides, other: ExplainedSides): boolean =>
  (['now', 'before'] as const).every(
    (side) => one[side].count === other[side].count && one[side].base === other[side].base,
  )

const areAsMany = (one: ExplainedFacts['compared'], other: ExplainedFacts['compared']): boolean =>
  one?.days === other?.days && one?.against?.days === other?.against?.days
