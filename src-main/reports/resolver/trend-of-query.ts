import type { TrendAnswer } from '#shared/reports/answer.ts'
import { isComposed } from '#shared/reports/query.ts'
import { trendKey, normalise, plainTable } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { Chart } from '#shared/api/answers.ts'
import { daysOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { idOf } from '#main/lib/async.ts'
import { pageOf } from './figures-of-query.ts'
import type { ReportRequest, ResolvingParts } from './figures-of-query.ts'
import type { Page, Resolvable } from './resolvable.ts'

/**
 * How the days of a query are answered for one by one: from the totals of each day, or by the service's chart where it
 * gives one that is recognised.
 * @param chartless endpoints by account that turned out to give no chart
 */
export function trendOfQuery(
  parts: ResolvingParts,
  { account, query: asked, force }: ReportRequest,
  chartless: Set<string>,
): Resolvable<Chart, TrendAnswer> {
  const query = chartedQuery(asked)
  const catalogued = parts.catalogue.of(account, query, 'daily totals')
  const endpoint = idOf(
    account,
    query.kind === 'overview' ? `${query.family}/overview` : `${query.family}/${query.dimension}`,
  )
  const source = pageOf(parts, account, query, catalogued, ({ figures, fetchedAt }): Page<Chart | null> => ({
    ...{ figures: figures.answer.chart, fetchedAt },
    ...{ range: query.range, doubt: null },
  }))
  return {
    account,
    key: trendKey(asked),
    force,
    needs: [{ catalogued, range: query.range }],
    compute: async ([plan]) => {
      const computed = parts.aggregate.trend({ tables: plan?.tables ?? [], query })
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

/** The plainest question whose answer has the chart: what is searched, sorted and paged does not matter to it. */
function chartedQuery(request: ReportQuery): ReportQuery {
  const query = normalise(request)
  const { family, range, instance, source, campaign } = query
  // Its rows, and the rest, are everything: the days are those of the overview.
  if (query.kind === 'overview' || isComposed(query))
    return { kind: 'overview', family, range, instance, source, campaign, chart: true }
  const { dimension, filters } = query
  return { ...plainTable, family, dimension, range, instance, source, campaign, filters, chart: true }
}

/** A page whose chart is recognised; null where it has none. */
function withChart(page: Page<Chart | null> | null): Page<Chart> | null {
  const chart = page?.figures ?? null
  return page === null || chart === null || chart.days.length === 0 ? null : { ...page, figures: chart }
}

/** A place for every day of the range: what is not kept is not known. */
function overRange({ days, series }: Chart, range: DayRange): Chart {
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
