import type { CaseEntry, CaseFindings, CaseSide } from '../../../src-shared/cases/case.ts'
import { failureOf } from '../../../src-shared/desk/desk-failure.ts'
import type { ReportAnswer } from '../../../src-shared/reports/answer.ts'
import { figuresOf } from '../../../src-shared/reports/overview-figures.ts'
import type { OverviewQuery } from '../../../src-shared/reports/query.ts'
import { normalise } from '../../../src-shared/reports/query.ts'
import type { Chart, Totals } from '../../../src-shared/service/answers.ts'
import { families } from '../../../src-shared/service/families.ts'
import { addDays, daysBetween } from '../../../src-shared/values/day.ts'
import type { DayRange } from '../../../src-shared/values/day.ts'
import type { AccountId, InstanceId } from '../../../src-shared/values/ids.ts'
import type { Reports } from '../../figures/figures.ts'
import type { RecountParts } from '../recount.ts'

export type FiguresParts = { readonly ask: Reports['ask']; readonly trend: RecountParts['trend'] }

type OfFigures = Pick<CaseFindings, 'now' | 'before' | 'others' | 'headers' | 'days' | 'lacks'>
type Overview = Extract<ReportAnswer, { kind: 'overview' }>

/** As many days, right before. */
const daysBefore = ({ start, end }: DayRange): DayRange => ({
  start: addDays(start, -daysBetween(start, end) - 1),
  end: addDays(start, -1),
})

/**
 * What the tables say of a case: its subject over its days, over the days before, and everything else over the same days. Nothing is
 * thrown: what could not be had is said.
 * @param instance that of the archives' reports, where the case names none and they agree on one
 */
export async function figuresOfCase(
  account: AccountId,
  entry: CaseEntry,
  instance: InstanceId | null,
  { ask, trend }: FiguresParts,
): Promise<OfFigures> {
  const { about, family, range, source, campaign } = entry
  const lacks: CaseFindings['lacks'] = []
  const query = (narrowed: Partial<OverviewQuery>): OverviewQuery =>
    normalise({ kind: 'overview', family, range, source, campaign, instance, chart: false, ...narrowed })
  const had = async <A>(what: string, asked: Promise<A>): Promise<A | null> =>
    asked.catch((error: unknown) => {
      lacks.push({ what, failure: failureOf(error) })
      return null
    })
  const overview = async (asked: OverviewQuery): Promise<Overview> => {
    const answer = await ask({ account, query: asked, byHand: false })
    if (answer.kind !== 'overview') throw new TypeError('An overview was asked for')
    return answer
  }
  const now = await had('Figures of these days', overview(query({})))
  const before = await had('Figures of the days before', overview(query({ range: daysBefore(range) })))
  const wider = { source: about === 'campaign' ? source : null, campaign: null }
  const all = await had(
    'Figures of the others',
    overview(query({ ...wider, instance: about === 'instance' ? null : instance })),
  )
  const daily = await had('Figures by day', trend(account, query({ chart: true })))
  const series = inOrder(family, daily?.chart.series ?? [])
  return {
    now: now && sideOf(now, now.figures.total),
    before: before && sideOf(before, before.figures.total),
    others: now && all && sideOf(all, without(all.figures.total, now.figures.total)),
    headers: series.map(({ header }) => header),
    days: (daily?.chart.days ?? []).map((day, place) => ({
      day,
      values: series.map(({ values }) => values[place] ?? null),
    })),
    lacks,
  }
}

/** As the family's tables have them; what those do not have comes last. Services give them in any order. */
function inOrder(family: CaseEntry['family'], series: Chart['series']): Chart['series'] {
  const counts: readonly string[] = families[family].counts
  return [
    ...counts.flatMap((header) => series.find((each) => each.header === header) ?? []),
    ...series.filter(({ header }) => !counts.includes(header)),
  ]
}

const sideOf = ({ query, provenance }: Overview, total: Totals): CaseSide => ({
  range: query.range,
  figures: figuresOf(query.family, total).map(({ header, name, value, share }) => ({
    ...{ header, name, value, share },
  })),
  fetchedAt: provenance.fetchedAt,
  missing: provenance.missing.length,
  restated: provenance.restated?.days ?? 0,
})

/** What is left of everything without a part; unknown where either is, or where they were fetched at times that do not fit. */
const without = (all: Totals, part: Totals): Totals =>
  Object.fromEntries(
    Object.entries(all).map(([name, value]) => {
      const taken = part[name as keyof Totals]
      const rest = typeof value === 'number' && typeof taken === 'number' ? value - taken : null
      return [name, rest !== null && rest >= 0 ? rest : null]
    }),
  )
