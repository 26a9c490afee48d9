import type { CaseEntry, CaseFindings, CaseScope, CaseSide } from '#shared/cases/case.ts'
import { failureOf, invalid } from '#shared/api/failure.ts'
import type { Provenance, ReportAnswer, TrendAnswer } from '#shared/reports/answer.ts'
import { warningsOf } from '#shared/reports/figure-facts.ts'
import type { FactKey } from '#shared/reports/figure-facts.ts'
import { figuresOf } from '#shared/reports/overview-figures.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import { normalise, plainTable } from '#shared/reports/query.ts'
import { unsettledOf } from '#shared/reports/answer.ts'
import type { Cell, Chart, Count, Totals } from '#shared/api/answers.ts'
import type { Failure, FailureKind } from '#shared/api/failure.ts'
import { families } from '#shared/api/dimensions.ts'
import { addDays, daysBetween, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { AccountId, Instant, InstanceId } from '#shared/values/ids.ts'
import { knownOf } from '#main/exports/facts.ts'
import type { Reports } from '#main/reports/figures.ts'
import { limits } from '#shared/api/parameters.ts'

/** What cases ask of figures. */
export type CaseReports = Pick<Reports, 'ask' | 'trend' | 'instances' | 'confirm'>

type OfFigures = Pick<CaseFindings, 'now' | 'before' | 'others' | 'headers' | 'days' | 'lacks'>
type Overview = Extract<ReportAnswer, { kind: 'overview' }>

/** What the service counted over some days, of one instance or of several together. */
type Counted = {
  readonly range: DayRange
  readonly total: Totals
  readonly fetchedAt: Instant
  readonly missing: ReadonlySet<Day>
  readonly restated: number
  readonly notOver: readonly Day[]
  /** Why figures could not be renewed; null where they were, or did not have to be. */
  readonly failure: Failure | null
  readonly said: CaseSide['said']
}

/** Under which names a case lacks each part of its figures: all of it, or days of it. */
const lackNames = {
  now: ['Figures of these days', 'These days'],
  before: ['Figures of the days before', 'The days before'],
  others: ['Figures of the others', 'The others'],
  daily: ['Figures by day', 'By day'],
} as const

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
  reports: CaseReports,
): Promise<OfFigures> {
  const { scope } = entry
  const { family, range } = scope
  const lacks: CaseFindings['lacks'] = []
  const had = async <A>(what: string, request: Promise<A>): Promise<A | null> =>
    request.catch((error: unknown) => {
      lacks.push({ what, failure: failureOf(error) })
      return null
    })
  const earlier = { ...scope, range: daysBefore(range) }
  const now = await had(lackNames.now[0], countedOf(account, scope, reports))
  const before = await had(lackNames.before[0], countedOf(account, earlier, reports))
  const all = await had(lackNames.others[0], countedOf(account, wider(entry), reports))
  const daily = await had(lackNames.daily[0], dailyOf(account, scope, reports))
  for (const [what, counted] of [
    [lackNames.now[1], now],
    [lackNames.before[1], before],
    [lackNames.others[1], all],
    // Days that the figures themselves are missing are told of with those.
    [lackNames.daily[1], now && daily && daily.missing.size > now.missing.size ? daily : null],
  ] as const)
    if (counted && counted.missing.size > 0)
      lacks.push(lack(what, missingWords(counted.missing.size), counted.failure?.kind))
  const open = new Set([now, before, all].flatMap((counted) => counted?.notOver ?? []))
  if (open.size > 0) lacks.push(lack('The last day', notOverWords([...open].sort())))
  const series = inOrder(family, daily?.chart.series ?? [])
  return {
    now: now && sideOf(family, now, now.total),
    before: before && sideOf(family, before, before.total),
    others: now && all && sideOf(family, all, without(all.total, now.total)),
    headers: series.map(({ header }) => header),
    days: (daily?.chart.days ?? []).map((day, place) => ({
      day,
      values: series.map(({ values }) => values[place] ?? null),
    })),
    lacks,
  }
}

const lack = (
  what: string,
  message: string,
  kind: FailureKind = 'invalid',
): CaseFindings['lacks'][number] => ({ what, failure: { kind, message } })

const missingWords = (days: number) =>
  `${days} ${days === 1 ? 'day is' : 'days are'} missing: these figures are a part.`

const notOverWords = (days: readonly Day[]) =>
  `${days.join(', ')} ${days.length === 1 ? 'was' : 'were'} still in progress when the figures were updated.`

async function overviewOf(account: AccountId, query: OverviewQuery, reports: CaseReports): Promise<Overview> {
  const answer = await reports.ask({ account, query, force: false })
  if (answer.kind !== 'overview') throw new TypeError('An overview was asked for')
  return answer
}

async function countedOf(account: AccountId, scope: CaseScope, reports: CaseReports): Promise<Counted> {
  const answers: Overview[] = []
  for (const query of queriesOf(scope, false)) answers.push(await overviewOf(account, query, reports))
  const provenances = answers.map(({ provenance }) => provenance)
  return {
    range: scope.range,
    total: summed(answers.map(({ figures }) => figures.total)),
    fetchedAt: provenances.map(({ fetchedAt }) => fetchedAt).reduce((a, b) => (a < b ? a : b)),
    missing: new Set(provenances.flatMap(({ missing }) => missing)),
    restated: Math.max(0, ...provenances.map(({ restated }) => restated?.days ?? 0)),
    notOver: provenances.flatMap((provenance) => unsettledOf(provenance, scope.range, scope.zone).open),
    failure: firstFailure(provenances),
    said: saidOf(scope, answers),
  }
}

/** Days that are missing and restated are counted separately; one that was not over limits the case, and is said once for all of it. */
const saidElsewhere: ReadonlySet<FactKey> = new Set<FactKey>(['missing', 'restated', 'notOver'])

/** What has to be known of figures besides, as every export says it. */
function saidOf({ instances, range, zone }: CaseScope, answers: readonly Overview[]): CaseSide['said'] {
  const nameOf = (nth: number) => (instances.kind === 'all' ? '' : (instances.list[nth]?.name ?? ''))
  const [first, ...more] = answers.map(({ provenance }, nth) => ({
    ...{ title: nameOf(nth), provenance, range, zone },
  }))
  if (!first) return []
  return warningsOf(knownOf({ figures: [first, ...more] }))
    .filter(({ key }) => !saidElsewhere.has(key))
    .map(({ name, words }) => ({ name, words }))
}

type Daily = Pick<Counted, 'missing' | 'failure'> & { readonly chart: Chart }

async function dailyOf(account: AccountId, scope: CaseScope, reports: CaseReports): Promise<Daily> {
  const answers: TrendAnswer[] = []
  for (const query of queriesOf(scope, true))
    answers.push(await reports.trend({ account, query, force: false }))
  const provenances = answers.map(({ provenance }) => provenance)
  return {
    chart: addedUp(
      scope.range,
      answers.map(({ chart }) => chart),
    ),
    missing: new Set(provenances.flatMap(({ missing }) => missing)),
    failure: firstFailure(provenances),
  }
}

function addedUp(range: DayRange, [first, ...more]: readonly Chart[]): Chart {
  if (!first) throw invalid('The case names no instance.')
  if (more.length === 0) return first
  const days = daysOf(range)
  const valueOf = (chart: Chart, header: string, day: Day): Count =>
    chart.series.find((item) => item.header === header)?.values[chart.days.indexOf(day)] ?? null
  return {
    days,
    series: first.series.map(({ header }) => ({
      header,
      values: days.map((day) => sumOf([first, ...more].map((chart) => valueOf(chart, header, day)))),
    })),
  }
}

const firstFailure = (provenances: readonly Pick<Provenance, 'failure'>[]): Failure | null =>
  provenances.find(({ failure }) => failure !== null)?.failure ?? null

/** Unknown as soon as a part is: null is not zero. */
const sumOf = (cells: readonly (Cell | undefined)[]): Count =>
  cells.reduce<Count>((sum, cell) => (sum === null || typeof cell !== 'number' ? null : sum + cell), 0)

function summed(totals: readonly Totals[]): Totals {
  const [first = {}, ...more] = totals
  if (more.length === 0) return first
  const names = new Set(totals.flatMap((total) => Object.keys(total)))
  return Object.fromEntries([...names].map((name) => [name, sumOf(totals.map((total) => total[name]))]))
}

/** As the family's tables have them; what those do not have comes last. Services give them in any order. */
function inOrder(family: CaseScope['family'], series: Chart['series']): Chart['series'] {
  const counts: readonly string[] = families[family].counts
  return [
    ...counts.flatMap((header) => series.find((item) => item.header === header) ?? []),
    ...series.filter(({ header }) => !counts.includes(header)),
  ]
}

const sideOf = (family: CaseScope['family'], counted: Counted, total: Totals): CaseSide => ({
  range: counted.range,
  figures: figuresOf(family, total).map(({ header, name, value, share }) => ({
    ...{ header, name, share },
    value: typeof value === 'number' ? value : null,
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

/** An instance of which a case counts traffic; `requests` by the tables, null where they do not say. */
export type Concerned = { readonly id: InstanceId; readonly name: string; readonly requests: Count }

/**
 * The instances that have traffic of a scope: those it names, else those with requests in the table of instances. Where that table does
 * not tell of every request, all that the account sees are concerned.
 * @throws whatever asking throws
 */
export async function instancesConcerned(
  account: AccountId,
  scope: CaseScope,
  reports: CaseReports,
): Promise<readonly Concerned[]> {
  const table = await tableOf(account, scope, reports)
  if (scope.instances.kind === 'some')
    return scope.instances.list.map(({ id, name }) => {
      const found = table.rows.find((row) => row.id === id)
      return { id, name: found?.name ?? name, requests: found?.requests ?? (table.isWhole ? 0 : null) }
    })
  const withTraffic = table.rows.filter(({ requests }) => requests !== 0)
  if (table.isWhole) return withTraffic
  const { answer } = await reports.instances({ account, name: null, page: 1, limit: limits.rowsPerPage })
  const more = answer.instances.filter(({ id, all }) => !all && !table.rows.some((row) => row.id === id))
  return [...withTraffic, ...more.map(({ id, name }) => ({ id, name: name || id, requests: null }))]
}

type InstanceTable = { readonly rows: readonly Concerned[]; readonly isWhole: boolean }

async function tableOf(account: AccountId, scope: CaseScope, reports: CaseReports): Promise<InstanceTable> {
  const { family, source, campaign, range } = scope
  const query: TableQuery = {
    ...plainTable,
    ...{ family, range, source, campaign, dimension: 'sessions', limit: limits.rowsPerPage },
  }
  const answer = await reports.ask({ account, query, force: false })
  if (answer.kind !== 'table') throw new TypeError('A table was asked for')
  const { figures, provenance } = answer
  const place = figures.table.headers.indexOf('Requests') - 1
  const countIn = (cells: readonly unknown[] | undefined): Count => {
    const cell = cells?.[place]
    return typeof cell === 'number' ? cell : null
  }
  const rows = figures.table.rows.flatMap(({ label, cells }) =>
    label.kind === 'instance'
      ? [{ id: label.id, name: label.name || label.id, requests: countIn(cells) }]
      : [],
  )
  const sum = rows.reduce((all, { requests }) => all + (requests ?? 0), 0)
  const isWhole = provenance.missing.length === 0 && sum === countIn(figures.table.all?.cells)
  // Each once, whatever a service sends: a raw report is asked for each of them.
  const isFirst = ({ id }: Concerned, place: number) => rows.findIndex((row) => row.id === id) === place
  return { rows: rows.filter(isFirst), isWhole }
}

/** Under which name a case lacks the instances with traffic. */
export const lackOfInstances = 'Instances with traffic'

/** The parts of findings that the service's figures make: under which names each is lacking, and how much of it is there. */
const parts: readonly {
  readonly lacks: readonly string[]
  readonly size: (found: CaseFindings) => number
}[] = [
  { lacks: lackNames.now, size: ({ now }) => daysIn(now) },
  { lacks: lackNames.before, size: ({ before }) => daysIn(before) },
  { lacks: lackNames.others, size: ({ others }) => daysIn(others) },
  { lacks: lackNames.daily, size: ({ days }) => days.filter(hasValue).length },
  { lacks: [lackOfInstances], size: ({ instances }) => instances.length },
]

const hasValue = ({ values }: CaseFindings['days'][number]): boolean => values.some((value) => value !== null)

/** Days of which there are figures. */
const daysIn = (side: CaseSide | null): number =>
  side === null ? 0 : daysBetween(side.range.start, side.range.end) + 1 - side.missing

/**
 * Why new findings must not stand in the place of those that there are: figures that these have could not be had, or of fewer days.
 * @param had findings of the same scope
 */
export function lostFigures(had: CaseFindings, found: CaseFindings): Failure | null {
  for (const { lacks, size } of parts) {
    const lack = found.lacks.find(({ what }) => lacks.includes(what))
    if (lack && size(found) < size(had)) return unchangedFailure(had, lack.failure)
  }
  return null
}

function unchangedFailure({ now, madeAt, zone }: CaseFindings, failure: Failure): Failure {
  const stored = `the case keeps figures from ${momentIn(now?.fetchedAt ?? madeAt, zone)}.`
  if (failure.kind === 'offline')
    return { ...failure, message: `The service is offline: ${stored} Update again when it is back.` }
  const message = `${failure.message} T${stored.slice(1)} Update again later, or start a new case without them.`
  // Days that are missing without a failure: nothing that a person entered is wrong.
  return { ...failure, kind: failure.kind === 'invalid' ? 'not-found' : failure.kind, message }
}

const momentIn = (instant: number, zone: string): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
    .format(instant)
    // The engine's own narrow space is none that a person types or searches for.
    .replace('\u202f', ' ')
