import type { CaseEntry, CaseFindings, CaseSide } from '../../../src-shared/cases/case.ts'
import type { CaseScope } from '../../../src-shared/cases/scope.ts'
import { DeskFailure, failureOf } from '../../../src-shared/desk/desk-failure.ts'
import type { ReportAnswer, TrendAnswer } from '../../../src-shared/reports/answer.ts'
import { warningsOf } from '../../../src-shared/reports/figure-facts.ts'
import type { FactKey } from '../../../src-shared/reports/figure-facts.ts'
import { figuresOf } from '../../../src-shared/reports/overview-figures.ts'
import type { OverviewQuery } from '../../../src-shared/reports/query.ts'
import { normalise } from '../../../src-shared/reports/query.ts'
import type { Chart, Count, Totals } from '../../../src-shared/service/answers.ts'
import { families } from '../../../src-shared/service/families.ts'
import { addDays, dayAt, daysBetween, daysOf } from '../../../src-shared/values/day.ts'
import type { Day, DayRange } from '../../../src-shared/values/day.ts'
import type { AccountId, Instant } from '../../../src-shared/values/ids.ts'
import { knownOf } from '../../exports/facts.ts'
import type { Reports } from '../../figures/figures.ts'
import type { RecountParts } from '../recount.ts'

export type FiguresParts = {
  readonly ask: Reports['ask']
  readonly trend: RecountParts['trend']
  readonly now: () => number
}

type OfFigures = Pick<CaseFindings, 'now' | 'before' | 'others' | 'headers' | 'days' | 'lacks'>
type Overview = Extract<ReportAnswer, { kind: 'overview' }>

/** What the service counted over some days, of one instance or of several together. */
type Counted = {
  readonly range: DayRange
  readonly total: Totals
  readonly fetchedAt: Instant
  readonly missing: ReadonlySet<Day>
  readonly restated: number
  readonly said: CaseSide['said']
}

/** As many days, right before. */
const daysBefore = ({ start, end }: DayRange): DayRange => ({
  start: addDays(start, -daysBetween(start, end) - 1),
  end: addDays(start, -1),
})

/** A scope of which a case's own is a part: all that it is compared with. */
const wider = ({ about, scope }: CaseEntry): CaseScope => {
  switch (about) {
    case 'source':
      return { ...scope, source: null }
    case 'campaign':
      return { ...scope, campaign: null }
    case 'instance':
      return { ...scope, instances: { kind: 'all' } }
  }
}

/** A query for each instance of a scope, or one for all of them. Their days, and what each counts, add up. */
function queriesOf(scope: CaseScope, chart: boolean): OverviewQuery[] {
  const { family, instances, source, campaign, range } = scope
  const ids = instances.kind === 'all' ? [null] : instances.list.map(({ id }) => id)
  return ids.map((instance) =>
    normalise({ kind: 'overview', family, range, source, campaign, instance, chart }),
  )
}

/**
 * What the tables say of a case: its scope over its days, over the days before, and everything else over the same days. Nothing is
 * thrown: what could not be had is said.
 */
export async function figuresOfCase(
  account: AccountId,
  entry: CaseEntry,
  parts: FiguresParts,
): Promise<OfFigures> {
  const { scope } = entry
  const { family, range } = scope
  const lacks: CaseFindings['lacks'] = []
  const had = async <A>(what: string, asked: Promise<A>): Promise<A | null> =>
    asked.catch((error: unknown) => {
      lacks.push({ what, failure: failureOf(error) })
      return null
    })
  const earlier = { ...scope, range: daysBefore(range) }
  const now = await had('Figures of these days', countedOf(account, scope, parts))
  const before = await had('Figures of the days before', countedOf(account, earlier, parts))
  const all = await had('Figures of the others', countedOf(account, wider(entry), parts))
  const daily = await had('Figures by day', dailyOf(account, scope, parts))
  for (const [what, counted] of [
    ['These days', now],
    ['The days before', before],
    ['The others', all],
  ] as const)
    if (counted && counted.missing.size > 0) lacks.push(lack(what, missingWords(counted.missing.size)))
  if (range.end >= dayAt(parts.now(), scope.zone))
    lacks.push(lack('The last day', `${range.end} was not over when the figures were fetched.`))
  const series = inOrder(family, daily?.series ?? [])
  return {
    now: now && sideOf(family, now, now.total),
    before: before && sideOf(family, before, before.total),
    others: now && all && sideOf(family, all, without(all.total, now.total)),
    headers: series.map(({ header }) => header),
    days: (daily?.days ?? []).map((day, place) => ({
      day,
      values: series.map(({ values }) => values[place] ?? null),
    })),
    lacks,
  }
}

const lack = (what: string, message: string): CaseFindings['lacks'][number] => ({
  what,
  failure: { kind: 'invalid', message },
})

const missingWords = (days: number) =>
  `${days} ${days === 1 ? 'day is' : 'days are'} missing: these figures are a part.`

async function overviewOf(
  account: AccountId,
  query: OverviewQuery,
  { ask }: FiguresParts,
): Promise<Overview> {
  const answer = await ask({ account, query, byHand: false })
  if (answer.kind !== 'overview') throw new TypeError('An overview was asked for')
  return answer
}

async function countedOf(account: AccountId, scope: CaseScope, parts: FiguresParts): Promise<Counted> {
  const answers: Overview[] = []
  for (const query of queriesOf(scope, false)) answers.push(await overviewOf(account, query, parts))
  const provenances = answers.map(({ provenance }) => provenance)
  return {
    range: scope.range,
    total: summed(answers.map(({ figures }) => figures.total)),
    fetchedAt: provenances.map(({ fetchedAt }) => fetchedAt).reduce((a, b) => (a < b ? a : b)),
    missing: new Set(provenances.flatMap(({ missing }) => missing)),
    restated: Math.max(0, ...provenances.map(({ restated }) => restated?.days ?? 0)),
    said: saidOf(scope, answers),
  }
}

/** Days that are missing and restated are counted by themselves. */
const saidElsewhere: ReadonlySet<FactKey> = new Set<FactKey>(['missing', 'restated'])

/** What has to be known of figures besides, as every export says it. */
function saidOf({ instances, range, zone }: CaseScope, answers: readonly Overview[]): CaseSide['said'] {
  const nameOf = (nth: number) => (instances.kind === 'all' ? '' : (instances.list[nth]?.name ?? ''))
  const [first, ...more] = answers.map(({ provenance }, nth) => ({
    ...{ of: nameOf(nth), provenance, range, zone },
  }))
  if (!first) return []
  return warningsOf(knownOf({ figures: [first, ...more] }))
    .filter(({ key }) => !saidElsewhere.has(key))
    .map(({ name, words }) => ({ name, words }))
}

async function dailyOf(account: AccountId, scope: CaseScope, { trend }: FiguresParts): Promise<Chart> {
  const answers: TrendAnswer[] = []
  for (const query of queriesOf(scope, true)) answers.push(await trend(account, query))
  const [first, ...more] = answers.map(({ chart }) => chart)
  if (!first) throw new DeskFailure({ kind: 'invalid', message: 'The case names no instance.' })
  if (more.length === 0) return first
  const days = daysOf(scope.range)
  const valueOf = (chart: Chart, header: string, day: Day): Count =>
    chart.series.find((each) => each.header === header)?.values[chart.days.indexOf(day)] ?? null
  return {
    days,
    series: first.series.map(({ header }) => ({
      header,
      values: days.map((day) => sumOf([first, ...more].map((chart) => valueOf(chart, header, day)))),
    })),
  }
}

/** Unknown as soon as a part is: null is not zero. */
const sumOf = (counts: readonly Count[]): Count =>
  counts.reduce<Count>((sum, each) => (sum === null || each === null ? null : sum + each), 0)

function summed(totals: readonly Totals[]): Totals {
  const [first = {}, ...more] = totals
  if (more.length === 0) return first
  const names = new Set(totals.flatMap((total) => Object.keys(total)))
  return Object.fromEntries(
    [...names].map((name) => [name, sumOf(totals.map((total) => total[name as keyof Totals] ?? null))]),
  )
}

/** As the family's tables have them; what those do not have comes last. Services give them in any order. */
function inOrder(family: CaseScope['family'], series: Chart['series']): Chart['series'] {
  const counts: readonly string[] = families[family].counts
  return [
    ...counts.flatMap((header) => series.find((each) => each.header === header) ?? []),
    ...series.filter(({ header }) => !counts.includes(header)),
  ]
}

const sideOf = (family: CaseScope['family'], counted: Counted, total: Totals): CaseSide => ({
  range: counted.range,
  figures: figuresOf(family, total).map(({ header, name, value, share }) => ({
    ...{ header, name, value, share },
  })),
  fetchedAt: counted.fetchedAt,
  missing: counted.missing.size,
  restated: counted.restated,
  said: counted.said,
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
