import type { TrendAnswer } from '../../src-shared/reports/answer.ts'
import { trendKey } from '../../src-shared/reports/asking.ts'
import { normalise, plainTable } from '../../src-shared/reports/query.ts'
import type { ReportQuery } from '../../src-shared/reports/query.ts'
import type { Chart } from '../../src-shared/service/answers.ts'
import { daysOf } from '../../src-shared/values/day.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import { directly } from './ask-ways.ts'
import type { Asked, WaysParts } from './ask-ways.ts'
import type { ServiceAnswer } from './pages.ts'
import { idOf } from './tabling.ts'
import { nothingInstead } from './ways.ts'
import type { InOne, Ways } from './ways.ts'

/**
 * The ways to answer for the days of a query one by one: the service's chart where it gives one that is recognised, or
 * the totals of each day.
 * @param chartless endpoints by account that turned out to give no chart
 */
export async function trendWays(
  parts: WaysParts,
  { account, query: asked, byHand }: Asked,
  chartless: Set<string>,
): Promise<Ways<Chart, TrendAnswer>> {
  const query = chartedQuery(asked)
  const holding = parts.holdings.of(account, query, 'daily totals')
  const endpoint = idOf(
    account,
    query.kind === 'overview' ? `${query.family}/overview` : `${query.family}/${query.dimension}`,
  )
  const kept = chartIn(await parts.pages.kept(account, query))
  const ask = chartless.has(endpoint) ? null : directly(parts, account, query, holding, (answer) => answer)
  return {
    account,
    key: trendKey(asked),
    byHand,
    kept: kept && { ...kept, range: query.range, complete: true },
    direct:
      ask &&
      (async (options) => {
        const answer = await ask(options)
        const chart = answer && chartIn(answer)
        if (answer !== null && chart === null) chartless.add(endpoint)
        return chart
      }),
    tellsMore: false,
    needs: [{ holding, range: query.range }],
    compute: async ([plan]) => {
      const computed = parts.aggregate.trend({ tables: plan?.tables ?? [], query })
      return computed.kind === 'lacking'
        ? computed
        : { ...computed, figures: overRange(computed.figures, query.range) }
    },
    instead: nothingInstead,
    show: (chart, provenance) => ({ chart, provenance }),
  }
}

/** The plainest question whose answer has the chart: what is searched, sorted and paged does not matter to it. */
function chartedQuery(asked: ReportQuery): ReportQuery {
  const query = normalise(asked)
  if (query.kind === 'overview') return { ...query, chart: true }
  const { family, dimension, range, instance, source, campaign, filters } = query
  return { ...plainTable, family, dimension, range, instance, source, campaign, filters, chart: true }
}

/** The chart of an answer; null where there is none that is recognised. */
function chartIn(answer: ServiceAnswer | null): InOne<Chart> | null {
  if (answer === null) return null
  const { chart } = answer.figures.answer
  return chart === null || chart.days.length === 0
    ? null
    : { figures: chart, fetchedAt: answer.fetchedAt, doubt: null }
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
