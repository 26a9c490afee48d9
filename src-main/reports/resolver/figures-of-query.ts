import { readHead } from '#main/analytics/history-layout.ts'
import { idOf } from '#main/lib/async.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import type { OverviewAnswer, TableAnswer, TableRow, Chart } from '#shared/api/answers.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import type {
  Provenance,
  RatesBy,
  ReportAnswer,
  TrendAnswer,
  ComposedPart,
  Doubt,
  RestatedDays,
} from '#shared/reports/answer.ts'
import { isSameRange, daysOf } from '#shared/values/day.ts'
import { leastComplete, firstDoubt, isSettledFor, stampOf } from '#shared/reports/answer.ts'
import {
  answerKey,
  changedHeader,
  isComposed,
  trendKey,
  normalise,
  plainTable,
} from '#shared/reports/query.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import {
  hasRates,
  withoutRates,
  withRates,
  aggregatesOf,
  isAsSent,
  isNarrowed,
} from '#shared/reports/rows.ts'
import type { RateBases, SearchedAll } from '#shared/reports/rows.ts'
import type { DayRange } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { comparisonOf } from '../coverage/comparison.ts'
import type { Comparison } from '../coverage/comparison.ts'
import { agesOf, doubtIn, oldestTables, spansOf } from '../coverage/plan.ts'
import type { Plan, Compute, Need, Catalogued, Kind } from '../coverage/plan.ts'
import type { ComparedTables } from '../engine/table-calls.ts'
import { overviewFrom, trendFrom } from '../engine/totals.ts'
import type { ReportsContext } from '../reports-context.ts'
import { isAnswerable } from '../pages/pages.ts'
import type { AskOptions, ServiceAnswer } from '../pages/pages.ts'
import { doubtOfPage } from '../sync/one-table.ts'
import { isDaily } from '../sync/table-catalogue.ts'
import type { ResolverContext } from './resolver-context.ts'

/** Figures of one response from the service. */
export type FiguresPage<F> = {
  readonly figures: F
  readonly fetchedAt: Instant
  readonly range: DayRange
  /** Why the rows do not add up; null if they do. */
  readonly doubt: Doubt | null
  /** Whether the page was computed from several tables instead of being the service's own. */
  readonly isComputed?: boolean
}

/** The service's own answer to a query: a page of its table, or an overview. */
type PageSource<P> = {
  /** Whether the page is preferred to stored tables because it has figures that cannot be computed. */
  readonly first: boolean
  /** Returns the stored page; null if there is none. */
  readonly stored: () => Promise<P | null>
  /** Fetches the page; null if the service turns out not to answer the query. @throws the client's errors */
  readonly ask: (options: AskOptions) => Promise<P | null>
}

/** A query, and how it can be answered: from stored tables, or with the service's own page. */
export type Resolvable<F, A> = {
  readonly account: AccountId
  /** Key of the query (src-shared/reports/query.ts). */
  readonly key: string
  /** Whether to fetch even if stored figures are fresh. */
  readonly force: boolean
  /** The tables from which the answer can be computed. */
  readonly needs: readonly Need[]
  /** The range shown. Ages and restatements of needs for other ranges are not reported. */
  readonly shows?: DayRange
  /** Whether plans hold enough to show while the service cannot be asked; by default, some of every need. */
  readonly isEnough?: (plans: readonly Plan[]) => boolean
  /** Needs whose provenance the answer reports separately. Their doubts do not apply to the other needs. */
  readonly separate?: readonly Need[]
  readonly compute: Compute<F>
  /** Null if only whole tables can answer. */
  readonly page: PageSource<FiguresPage<F>> | null
  readonly show: (figures: F, provenance: Provenance) => A
}

/** The part of the provenance that follows from the tables used. */
export type ComputedFrom = Pick<
  Provenance,
  'from' | 'fetchedAt' | 'servedAt' | 'ages' | 'spans' | 'doubt' | 'composed'
>

type Planned = { readonly need: Need; readonly plan: Plan }

type Needed = Pick<Resolvable<unknown, unknown>, 'needs' | 'shows' | 'separate'> & {
  /** Whether the tables are of another query. Then even a single table counts as computed. */
  readonly isOther?: boolean
}

/**
 * Provenance of figures computed from tables. A single table that covers the range counts as stored, not computed. Ages are of
 * the days shown; doubts are of all tables that the figures depend on.
 * @param plans one per need
 */
export function computedFrom(
  { accounts, clock }: ReportsContext,
  id: AccountId,
  { needs, shows, separate = [], isOther = false }: Needed,
  plans: readonly Plan[],
): ComputedFrom {
  const planned = needs.flatMap((need, place) => {
    const plan = plans[place]
    return plan ? [{ need, plan }] : []
  })
  const shown = planned.flatMap(({ need, plan }) => (isOfShown(need, shows) ? [plan] : []))
  const own = planned.filter(({ need }) => !separate.includes(need))
  const composed = leastComposed(own)
  const tables = shown.flatMap((plan) => plan.tables)
  const isOne = !isOther && tables.length === 1 && shown.every(({ missing }) => missing.length === 0)
  const spans = isOne ? [] : spansOf(tables)
  const account = accounts.account(id)
  const ages = agesOf(oldestTables(shown), isSettledFor(account, clock.now())).map(
    ({ range, fetchedAt }) => ({ range, ...stampOf(fetchedAt, account) }),
  )
  return {
    ...(composed && { composed }),
    ...(ages.length > 1 && { ages }),
    ...(spans.length > 0 && { spans }),
    from: isOne ? 'stored' : 'computed',
    ...stampOf(oldestOf(tables.length > 0 ? shown : plans), account),
    doubt: doubtOf(own),
  }
}

const isOfShown = (need: Need, shows: DayRange | undefined): boolean =>
  shows === undefined || isSameRange(need.range, shows)

/** Restatements of the days shown. */
export async function restatedIn({ needs, shows }: Needed): Promise<RestatedDays | null> {
  const shown = needs.filter((need) => isOfShown(need, shows))
  const ranges = await Promise.all(shown.map(({ catalogued, range }) => catalogued.restated(range)))
  const found = ranges.flatMap((restated) => restated ?? [])
  if (found.length === 0) return null
  const days = found.reduce((sum, restated) => sum + restated.days, 0)
  return { days, latest: instantOf(Math.max(...found.map(({ latest }) => latest))) }
}

/** The least complete of the composed tables; undefined if all are complete. */
function leastComposed(planned: readonly Planned[]): ComposedPart | undefined {
  const unit = planned[0]?.need.catalogued.composed?.unit
  if (unit === undefined) return undefined
  const heads = planned.flatMap(({ plan }) => plan.tables.map(({ head }) => head))
  const min = leastComplete(heads.flatMap((head) => readHead(head)?.composed ?? []))
  return min && { ...min, unit }
}

/** When the oldest figures were fetched; 0 without any. */
function oldestOf(plans: readonly Plan[]): Instant {
  const known = plans.flatMap(({ fetchedAt }) => fetchedAt ?? [])
  return instantOf(known.length > 0 ? Math.min(...known) : 0)
}

const doubtOf = (planned: readonly Planned[]): Doubt | null =>
  firstDoubt(planned.map(({ need, plan }) => doubtIn(plan.tables, need.catalogued.kind)))

/**
 * Provenance of figures computed from stored tables while nothing is being fetched.
 * @param plans one per need
 * @param failure why the service did not answer; null if no request was sent
 */
export async function provenanceOf(
  context: ReportsContext,
  needed: Needed,
  plans: readonly Plan[],
  failure: Failure | null,
): Promise<Provenance> {
  const [need] = needed.needs
  if (!need) throw new TypeError('Figures are computed from something')
  return {
    ...computedFrom(context, need.catalogued.account, needed, plans),
    ...{ refreshing: false, failure, missing: plans.flatMap(({ missing }) => missing) },
    restated: await restatedIn(needed),
  }
}

/** Failure of a query without an answer, with the days that are not stored. Nothing is stored for any of the needs. */
export function nothingOf(needs: readonly Need[], failure: Failure | null): Failure {
  const why: Failure = failure ?? {
    kind: 'disk',
    message: 'The figures arrived but could not be saved. Only saved days can be combined.',
  }
  return lacksSomething(why) ? { ...why, message: `${why.message} ${wordsFor(needs)}` } : why
}

/** Failure that explains missing days. @param unreadable number of days whose files cannot be read at the moment */
export function missingFor(needs: readonly Need[], failure: Failure | null, unreadable: number): Failure {
  if (unreadable === 0) return failure ?? nothingOf(needs, null)
  const days = unreadable === 1 ? 'one day' : `${unreadable} days`
  const words = `The saved figures of ${days} can't be read now. They are still in the profile folder. Check its disk and permissions.`
  return failure ? { ...failure, message: `${failure.message} ${words}` } : { kind: 'disk', message: words }
}

/** Whether the message should add that nothing is stored: only if the service could not be reached. */
const lacksSomething = ({ kind }: Failure): boolean => failureMeanings[kind].away

function wordsFor(needs: readonly Need[]): string {
  const days = new Set(needs.flatMap(({ range }) => daysOf(range))).size
  // The days may be stored as one table.
  if (days > 1 && needs.every(({ catalogued }) => isDaily(catalogued.kind)))
    return `These ${days} days are not saved day by day.`
  return days === 1 ? 'Nothing of this day is saved.' : `Nothing of these ${days} days is saved.`
}

export type ReportRequest = {
  readonly account: AccountId
  readonly query: ReportQuery
  readonly force: boolean
}

/** Figures of a table. `aggregate` is the sum of the rows that match a search or limits; null if unknown. */
type TableFigures = {
  readonly answer: TableAnswer
  readonly ratesBy: RatesBy
  readonly aggregate: TableRow | null
}

/** Which kind of stored tables a query needs. A chart needs one table per day. */
export function kindFor(query: ReportQuery): Kind {
  if (query.kind === 'overview') return query.chart ? 'daily totals' : 'totals'
  return query.chart && !query.whole ? 'whole days' : 'whole'
}

/** Resolves a table query from whole tables of its subject, or with the service's page. */
export function tableOfQuery(
  context: ResolverContext,
  { account, force }: ReportRequest,
  query: TableQuery,
): Resolvable<TableFigures, ReportAnswer> {
  const { accounts, catalogue, engine, learning, pages } = context
  const catalogued = catalogue.subject(account, query, kindFor(query))
  const here = { catalogued, range: query.range, asSeen: !query.before }
  const comparison = query.before ? comparisonOf(context, here, query.before) : null
  const needs = [...(comparison?.needs ?? []), here]
  const bases = () => accounts.account(account).rateBases?.[query.family] ?? null
  const searchedAll = () => accounts.account(account).searchedAll?.[query.family] ?? null
  const page = pageOf(context, account, query, catalogued, (answer): FiguresPage<TableFigures> => {
    const figures = pageFigures(query, ratedFigures(query, tableIn(answer), bases()), searchedAll())
    if (figures.aggregate && isAsSent(figures.aggregate)) void learning.search(account, query)
    const doubt = firstDoubt([answer.doubt ?? null, doubtOfPage(query, tableIn(answer))])
    const { fetchedAt, isComputed = false } = answer
    return { figures, fetchedAt, range: query.range, doubt, isComputed }
  })
  return {
    account,
    key: answerKey(query),
    force,
    needs,
    shows: query.range,
    isEnough: (plans) => hasRows(query, plans),
    compute: async (plans, signal) => {
      const plan = plans.at(-1)
      const tables = plan?.tables ?? []
      if (query.rates) void learning.rates(account, query, answerKey(query))
      const against = await rankedBy(comparison, (need) => plans[needs.indexOf(need)])
      const request = { tables, query, bases: bases(), compared: against }
      const ratesBy = query.rates ? 'desk' : 'nobody'
      if (isNarrowed(query)) {
        const computed = await engine.call('narrowed', request, signal)
        if (computed.kind === 'lacking') return computed
        const { answer, foundTotal } = computed.figures
        return { kind: 'computed', figures: { answer, ratesBy, aggregate: foundTotal } }
      }
      const known = against ? null : await pages.madeOf(catalogued.scope, query, tables)
      if (known)
        return { kind: 'computed', figures: { ...ratedFigures(query, known, bases()), aggregate: null } }
      const computed = await engine.call('table', request, signal)
      if (computed.kind === 'lacking') return computed
      // Only a complete, sound and independent result is stored as an answer, because a stored page does not record its flaws.
      const isSound = doubtIn(tables, catalogued.kind) === null
      if (!against && plan?.missing.length === 0 && isSound)
        void pages.saveMadeOf(catalogued.scope, query, tables, withoutRates(computed.figures))
      return { kind: 'computed', figures: { answer: computed.figures, ratesBy, aggregate: null } }
    },
    page: page && { ...page, first: query.rates && bases() === 'unexplained' },
    show: ({ answer, ratesBy, aggregate }, provenance) => ({
      kind: 'table',
      query,
      figures: answer,
      ...(aggregate && { matching: aggregate }),
      ratesBy,
      provenance: ofShown(query, provenance),
    }),
  }
}

/** Provenance of the figures shown. Days that are only compared with are not part of them. */
export const ofShown = ({ range: { start, end } }: TableQuery, provenance: Provenance): Provenance => ({
  ...provenance,
  missing: provenance.missing.filter((day) => day >= start && day <= end),
})

/**
 * Whether plans hold rows of a table query, whose own need is the last. Rows that cannot be sorted by a change come in the usual
 * order; rows that cannot be limited by it would include rows that the limit leaves out.
 */
function hasRows({ where = [] }: TableQuery, plans: readonly Plan[]): boolean {
  const isLimited = where.some(({ header }) => changedHeader(header) !== null)
  return (isLimited ? plans : plans.slice(-1)).every(({ tables }) => tables.length > 0)
}

/** Tables to compare rows with, for a query that sorts or limits by change; null if there are none. */
export async function rankedBy(
  comparison: Comparison | null,
  planOf: (need: Need) => Plan | undefined,
): Promise<ComparedTables | null> {
  if (!comparison) return null
  const { before, now, lengths, isShown } = await comparison.sides(planOf)
  return before.length > 0 ? { now: isShown ? null : now, before, lengths } : null
}

/** Resolves an overview query from the sum of its stored days, or with the service's overview. */
export function overviewOfQuery(
  context: ResolverContext,
  { account, force }: ReportRequest,
  query: OverviewQuery,
): Resolvable<OverviewAnswer, ReportAnswer> {
  const catalogued = context.catalogue.subject(account, query, kindFor(query))
  return {
    account,
    key: answerKey(query),
    force,
    needs: [{ catalogued, range: query.range, asSeen: true }],
    compute: ([plan]) => Promise.resolve(overviewFrom(plan?.tables ?? [], query)),
    page: pageOf(context, account, query, catalogued, ({ figures, fetchedAt, doubt = null }) => {
      if (figures.kind === 'table') throw new TypeError('A table answers no overview')
      return { figures: figures.answer, fetchedAt, range: query.range, doubt }
    }),
    show: (figures, provenance) => ({ kind: 'overview', query, figures, provenance }),
  }
}

/** The service's own answer to this query; null if there is none. `ask` returns null if the range turns out to be too wide. */
function pageOf<P>(
  { pages, rangeLimits }: ResolverContext,
  account: AccountId,
  query: ReportQuery,
  { window, probe }: Pick<Catalogued, 'window' | 'probe'>,
  read: (answer: ServiceAnswer) => P,
): PageSource<P> | null {
  if (!isAnswerable(query)) return null
  return {
    first: false,
    stored: async () => {
      const stored = await pages.stored(account, query)
      return stored && read(stored)
    },
    ask: async (options) => {
      if (rangeLimits.isTooWide(account, window, query.range)) return null
      try {
        return read(await pages.ask(account, query, options))
      } catch (error) {
        const failure = failureOf(error)
        const { range } = query
        const refused = {
          account,
          window,
          range,
          failure,
          probe: (days: typeof range) => probe(days, options),
        }
        if (await rangeLimits.learn(refused)) return null
        throw error
      }
    },
  }
}

function tableIn({ figures }: ServiceAnswer): TableAnswer {
  if (figures.kind === 'table') return figures.answer
  throw new TypeError('An overview answers no table')
}

/** A table with the requested rates: computed ones, or the service's own if no count explains those. */
function ratedFigures(
  query: TableQuery,
  answer: TableAnswer,
  bases: RateBases | null,
): Omit<TableFigures, 'aggregate'> {
  const plain = withoutRates(answer)
  if (!query.rates) return { answer: plain, ratesBy: 'nobody' }
  if (bases === 'unexplained' && hasRates(answer.table)) return { answer, ratesBy: 'service' }
  const table = withRates(plain.table, query.family, query.dimension, bases)
  return { answer: { ...plain, table }, ratesBy: 'desk' }
}

/** The service's page with its aggregate row assigned to the whole table or to the matching rows. */
function pageFigures(
  query: TableQuery,
  rated: Omit<TableFigures, 'aggregate'>,
  trait: SearchedAll | null,
): TableFigures {
  const { all, matching } = aggregatesOf(query, rated.answer, trait)
  const answer = { ...rated.answer, table: { ...rated.answer.table, all } }
  return { ...rated, answer, aggregate: matching }
}

/** Resolves the daily figures of a query from the totals of each day, or with the service's chart if it is recognized. */
export function trendOfQuery(
  context: ResolverContext,
  { account, query: asked, force }: ReportRequest,
): Resolvable<Chart, TrendAnswer> {
  const { catalogue, chartless } = context
  const query = chartedQuery(asked)
  const catalogued = catalogue.subject(account, query, 'daily totals')
  const endpoint = idOf(
    account,
    query.kind === 'overview' ? `${query.family}/overview` : `${query.family}/${query.dimension}`,
  )
  const source = pageOf(
    context,
    account,
    query,
    catalogued,
    ({ figures, fetchedAt, doubt = null }): FiguresPage<Chart | null> => ({
      ...{ figures: figures.answer.chart, fetchedAt },
      ...{ range: query.range, doubt },
    }),
  )
  return {
    account,
    key: trendKey(asked),
    force,
    needs: [{ catalogued, range: query.range, asSeen: true }],
    compute: async ([plan]) => {
      const computed = trendFrom(plan?.tables ?? [], query)
      return computed.kind === 'lacking'
        ? computed
        : { ...computed, figures: overRange(computed.figures, query.range) }
    },
    page: source && {
      first: false,
      stored: async () => withChart(await source.stored()),
      ask: async (options) => {
        if (chartless.has(endpoint)) return null
        const page = await source.ask(options)
        const charted = withChart(page)
        if (page !== null && charted === null) chartless.add(endpoint)
        return charted
      },
    },
    show: (chart, provenance) => ({ chart, provenance }),
  }
}

/** The simplest query whose answer includes the chart. Search, order and page do not affect a chart. */
export function chartedQuery(request: ReportQuery): ReportQuery {
  const query = normalise(request)
  const { family, range, instance, source, campaign } = query
  // Rows and remainder of a composed table add up to everything, so its days are those of the overview.
  if (query.kind === 'overview' || isComposed(query))
    return { kind: 'overview', family, range, instance, source, campaign, chart: true }
  const { dimension, filters } = query
  return { ...plainTable, family, dimension, range, instance, source, campaign, filters, chart: true }
}

/** A page with a recognized chart; null without one. */
function withChart(page: FiguresPage<Chart | null> | null): FiguresPage<Chart> | null {
  const chart = page?.figures ?? null
  return page === null || chart === null || chart.days.length === 0 ? null : { ...page, figures: chart }
}

/** Extends a chart to every day of the range, with null for missing days. */
export function overRange({ days, series }: Chart, range: DayRange): Chart {
  const places = new Map(days.map((day, place) => [day, place]))
  const all = daysOf(range)
  return {
    days: all,
    series: series.map(({ header, values }) => ({
      header,
      values: all.map((day) => values[places.get(day) ?? -1] ?? null),
    })),
  }
}
