import type { CaseEntry, CaseFindings, CaseScope, CaseSide } from '#shared/cases/case.ts'
import { DeskFailure, failureOf, invalid } from '#shared/api/failure.ts'
import { unsettledOf } from '#shared/reports/answer.ts'
import type { Moment, OverviewReport, TableReport, TrendAnswer } from '#shared/reports/answer.ts'
import { warningsOf } from '#shared/reports/figure-facts.ts'
import type { FactKey } from '#shared/reports/figure-facts.ts'
import { figuresOf } from '#shared/reports/overview-figures.ts'
import { instanceText } from '#shared/api/instance-names.ts'
import type { Cell, Chart, Count, Totals } from '#shared/api/answers.ts'
import type { Failure, FailureKind } from '#shared/api/failure.ts'
import { families } from '#shared/api/dimensions.ts'
import { addDays, daysBetween, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant, InstanceId } from '#shared/values/ids.ts'
import { knownOf } from '#main/exports/facts.ts'
import type { Reports } from '#main/reports/reports.ts'
import { portionsOf } from '#main/reports/coverage/plan.ts'
import { Gathering, tableOf } from './case-gathering.ts'
import type { AnyGatheredPart, CaseSources, GatheringTime, GatheredPart } from './case-gathering.ts'
import { limits } from '#shared/api/parameters.ts'

/** A missing part of a case, and the failure that explains it. */
export type Gap = CaseFindings['lacks'][number]

type OfFigures = Pick<CaseFindings, 'now' | 'before' | 'others' | 'headers' | 'days' | 'lacks'> & {
  /** Instances with traffic in the scope; empty if unavailable, with the reason in `instanceGaps`. */
  readonly concerned: readonly Concerned[]
  readonly instanceGaps: readonly Gap[]
  readonly gathered: GatheringTime | null
}

/** Counts of the service over some days, of one instance or of several. */
type Counted = {
  readonly range: DayRange
  readonly total: Totals
  readonly fetchedAt: Instant
  readonly missing: number
  readonly restated: number
  readonly notOver: readonly Day[]
  /** Failure of the last refresh; null if there was none. */
  readonly failure: Failure | null
  readonly said: CaseSide['said']
}

/** Names of missing figures: of a whole part, and of days in it. */
const gapNames = {
  now: ['Figures of these days', 'These days'],
  before: ['Figures of the days before', 'The days before'],
  others: ['Figures of the others', 'The others'],
  daily: ['Figures by day', 'By day'],
} as const

/** The same number of days, immediately before. */
const daysBefore = ({ start, end }: DayRange): DayRange => ({
  start: addDays(start, -daysBetween(start, end) - 1),
  end: addDays(start, -1),
})

/** The larger scope that a case is compared with. */
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

/**
 * Reads the figures of a case: its scope over its days, over the days before, and all other traffic. `lacks` lists figures that are missing
 * or of another time.
 * @throws DeskFailure `cancelled` if the signal aborts the wait
 */
export async function figuresOfCase(entry: CaseEntry, sources: CaseSources): Promise<OfFigures> {
  const { scope } = entry
  const earlier = { ...scope, range: daysBefore(scope.range) }
  const gathering = new Gathering(sources, scope.zone)
  const parts = {
    now: gathering.overviews(scope),
    before: gathering.overviews(earlier),
    all: gathering.overviews(wider(entry)),
    daily: gathering.trends(scope),
    table: gathering.table(scope),
  }
  const { now: ofNow, before: ofBefore, all: ofAll, daily, table } = parts
  await gathering.readAnew([ofNow, ofAll, daily, table])
  await gathering.read([ofBefore])
  const [now, before] = [countedOf(scope, ofNow), countedOf(earlier, ofBefore)]
  const others = await othersOf(entry, gathering, { now: ofNow, all: ofAll })
  const chart = chartOf(scope, daily)
  const series = inOrder(scope.family, chart?.series ?? [])
  const gaps = [
    ...failuresOf(parts),
    ...missingDayGaps(gapNames.now[1], now),
    ...(gathering.common(ofNow).moment === 'several' ? [gapOf(gapNames.now[1], unlikeInstances)] : []),
    ...missingDayGaps(gapNames.before[1], before),
    ...others.gaps,
    ...mismatchGaps(gathering, ofNow, [gapNames.daily[1], daily]),
    ...mismatchGaps(gathering, ofNow, [requestsGap, table]),
    ...stillRefreshing(parts),
    ...openDays([now, before, countedOf(wider(entry), ofAll)]),
  ]
  return {
    now: now && sideOf(scope.family, now),
    before: before && sideOf(scope.family, before),
    others: others.counted && sideOf(scope.family, others.counted),
    headers: series.map(({ header }) => header),
    days: (chart?.days ?? []).map((day, place) => ({
      day,
      values: series.map(({ values }) => values[place] ?? null),
    })),
    lacks: gaps,
    ...(await concernedOrGap(scope, sources, table)),
    gathered: gathering.time,
  }
}

export const gapOf = (what: string, message: string, kind: FailureKind = 'invalid'): Gap => ({
  what,
  failure: { kind, message },
})

const missingWords = (days: number) =>
  `${days} ${days === 1 ? 'day is' : 'days are'} missing: these figures are a part.`

const notOverWords = (days: readonly Day[]) =>
  `${days.join(', ')} ${days.length === 1 ? 'was' : 'were'} still in progress when the figures were updated.`

type CaseAnswers = Readonly<Record<'now' | 'before' | 'all' | 'daily' | 'table', AnyGatheredPart>>

const partNames = { ...gapNames, all: gapNames.others } as const
const figureParts = ['now', 'before', 'all', 'daily'] as const

const failuresOf = (parts: CaseAnswers): readonly Gap[] =>
  figureParts.flatMap((part) => {
    const { failure } = parts[part]
    return failure ? [{ what: partNames[part][0], failure }] : []
  })

/** Parts that were still being refreshed when the wait ended. */
const stillRefreshing = (parts: CaseAnswers): readonly Gap[] => [
  ...figureParts.flatMap((part) =>
    parts[part].isRefreshing ? [gapOf(partNames[part][1], refreshingWords)] : [],
  ),
  ...(parts.table.isRefreshing ? [gapOf(requestsGap, refreshingWords)] : []),
]

const unlikeInstances = 'The instances are from different times. Counts may have changed in between.'
const refreshingWords = 'Newer figures did not arrive within a minute. These are older.'

const missingDayGaps = (what: string, counted: Counted | null): readonly Gap[] =>
  counted && counted.missing > 0 ? [gapOf(what, missingWords(counted.missing), counted.failure?.kind)] : []

function openDays(sides: readonly (Counted | null)[]): readonly Gap[] {
  const open = new Set(sides.flatMap((counted) => counted?.notOver ?? []))
  return open.size > 0 ? [gapOf('The last day', notOverWords([...open].sort()))] : []
}

/** Reasons why days or instances do not add up to the total. */
function mismatchGaps(
  gathering: Gathering,
  total: AnyGatheredPart,
  [what, part]: readonly [what: string, part: AnyGatheredPart],
): readonly Gap[] {
  if (!total.isThere || !part.isThere) return []
  const { moment, isEven } = gathering.common(total, part)
  const isShort = [...part.missing].some((day) => !total.missing.has(day))
  const mismatch = mismatchWords('the total', moment)
  return [
    // Days that the total lacks too are reported with the total.
    ...(isShort ? [gapOf(what, missingWords(part.missing.size), part.unrenewed?.kind)] : []),
    ...(!isEven && !isShort ? [gapOf(what, 'Includes days that the total lacks.')] : []),
    ...(mismatch === null ? [] : [gapOf(what, mismatch, part.unrenewed?.kind)]),
  ]
}

/** Warning about figures of another time than the figures beside them; null if there is none. */
const mismatchWords = (beside: string, moment: Moment): string | null =>
  ({
    one: null,
    settled: `From another time than ${beside}. The days were settled, and no change in between is known.`,
    several: `From another time than ${beside}. Counts may have changed in between.`,
  })[moment]

type Others = { readonly counted: Counted | null; readonly gaps: readonly Gap[] }

/** All traffic outside the scope of a case, over the common days. Requires figures of one time. */
async function othersOf(
  entry: CaseEntry,
  gathering: Gathering,
  { now, all }: { readonly now: GatheredPart<OverviewReport>; readonly all: GatheredPart<OverviewReport> },
): Promise<Others> {
  const whole = countedOf(wider(entry), all)
  if (!now.isThere || whole === null) return { counted: null, gaps: [] }
  const none = (message: string): Others => ({
    counted: null,
    gaps: [gapOf(gapNames.others[0], message, (now.unrenewed ?? all.unrenewed)?.kind)],
  })
  const { days, missing, isEven } = gathering.common(now, all)
  // If one side lacks days of the other, both are read again over their common days.
  const pairs = isEven
    ? [{ now, all }]
    : portionsOf(days, false).map((range) => ({
        now: gathering.overviews({ ...entry.scope, range }),
        all: gathering.overviews({ ...wider(entry), range }),
      }))
  if (!isEven) await gathering.read(pairs.flatMap((pair) => [pair.now, pair.all]))
  const found = pairs.map((pair) => gathering.common(pair.now, pair.all))
  const isComplete = pairs.every((pair) => pair.now.isThere && pair.all.isThere)
  if (days.length === 0 || !isComplete || (!isEven && found.some((common) => common.missing.length > 0)))
    return none('These figures and those of all traffic are of different days.')
  const moments = new Set(found.map(({ moment }) => moment))
  if (moments.has('several')) return none('These figures and those of all traffic are from different times.')
  const totalOf = (side: 'now' | 'all') =>
    summed(pairs.flatMap((pair) => pair[side].answers.map(({ figures }) => figures.total)))
  const counted = {
    ...whole,
    total: without(totalOf('all'), totalOf('now')),
    fetchedAt: instantOf(
      Math.min(...[...now.aged, ...all.aged].map(({ provenance }) => provenance.fetchedAt)),
    ),
    missing: missing.length,
  }
  const mismatch = moments.has('settled') ? mismatchWords('these days', 'settled') : null
  return {
    counted,
    gaps: [
      ...missingDayGaps(gapNames.others[1], counted),
      ...(mismatch === null ? [] : [gapOf(gapNames.others[1], mismatch)]),
    ],
  }
}

/** Null if a part is unavailable. */
function countedOf(scope: CaseScope, part: GatheredPart<OverviewReport>): Counted | null {
  const { answers, isThere, missing, unrenewed } = part
  if (!isThere) return null
  const provenances = answers.map(({ provenance }) => provenance)
  return {
    range: scope.range,
    total: summed(answers.map(({ figures }) => figures.total)),
    fetchedAt: instantOf(Math.min(...provenances.map(({ fetchedAt }) => fetchedAt))),
    missing: missing.size,
    restated: Math.max(0, ...provenances.map(({ restated }) => restated?.days ?? 0)),
    notOver: provenances.flatMap((provenance) => unsettledOf(provenance, scope.range, scope.zone).open),
    failure: unrenewed,
    said: saidOf(scope, answers),
  }
}

/** Missing and restated days have counts of their own; unfinished days are reported once for the whole case. */
const saidElsewhere: ReadonlySet<FactKey> = new Set<FactKey>(['missing', 'restated', 'notOver'])

/** Further warnings about figures, as in exports. */
function saidOf({ instances, range, zone }: CaseScope, answers: readonly OverviewReport[]): CaseSide['said'] {
  const nameOf = (nth: number) => (instances.kind === 'all' ? '' : (instances.list[nth]?.name ?? ''))
  const [first, ...more] = answers.map(({ provenance }, nth) => ({
    ...{ title: nameOf(nth), provenance, range, zone },
  }))
  if (!first) return []
  return warningsOf(knownOf({ figures: [first, ...more] }))
    .filter(({ key }) => !saidElsewhere.has(key))
    .map(({ name, words }) => ({ name, words }))
}

const chartOf = ({ range }: CaseScope, { answers }: GatheredPart<TrendAnswer>): Chart | null =>
  answers.length === 0
    ? null
    : addedUp(
        range,
        answers.map(({ chart }) => chart),
      )

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

/** Null if a part is null: null is not zero. */
const sumOf = (cells: readonly (Cell | undefined)[]): Count =>
  cells.reduce<Count>((sum, cell) => (sum === null || typeof cell !== 'number' ? null : sum + cell), 0)

function summed(totals: readonly Totals[]): Totals {
  const [first = {}, ...more] = totals
  if (more.length === 0) return first
  const names = new Set(totals.flatMap((total) => Object.keys(total)))
  return Object.fromEntries([...names].map((name) => [name, sumOf(totals.map((total) => total[name]))]))
}

/** In the order of the family's tables, with other series last. Services use any order. */
function inOrder(family: CaseScope['family'], series: Chart['series']): Chart['series'] {
  const counts: readonly string[] = families[family].counts
  return [
    ...counts.flatMap((header) => series.find((item) => item.header === header) ?? []),
    ...series.filter(({ header }) => !counts.includes(header)),
  ]
}

const sideOf = (family: CaseScope['family'], counted: Counted): CaseSide => ({
  range: counted.range,
  figures: figuresOf(family, counted.total).map(({ header, name, value, share }) => ({
    ...{ header, name, share },
    value: typeof value === 'number' ? value : null,
  })),
  fetchedAt: counted.fetchedAt,
  missing: counted.missing,
  restated: counted.restated,
  said: counted.said,
})

/** Subtracts a part from all traffic; null if either is unknown or the part is larger. */
const without = (all: Totals, part: Totals): Totals =>
  Object.fromEntries(
    Object.entries(all).map(([name, value]) => {
      const taken = part[name as keyof Totals]
      const rest = typeof value === 'number' && typeof taken === 'number' ? value - taken : null
      return [name, rest !== null && rest >= 0 ? rest : null]
    }),
  )

/** An instance with traffic in a case. `requests` is null if the tables do not contain the number. */
export type Concerned = { readonly id: InstanceId; readonly name: string; readonly requests: Count }

/**
 * Returns the instances of a scope that have traffic: its own list, else instances with requests in the table. If that table does not
 * account for all requests, all instances of the account are included.
 * @throws failures of the requests
 */
export async function instancesConcerned(
  account: AccountId,
  scope: CaseScope,
  reports: Reports,
): Promise<readonly Concerned[]> {
  const sources = { account, reports }
  return await concernedIn(scope, sources, await tableOf(sources, scope, false))
}

async function concernedOrGap(
  scope: CaseScope,
  sources: CaseSources,
  { answers: [answer], failure }: GatheredPart<TableReport>,
): Promise<Pick<OfFigures, 'concerned' | 'instanceGaps'>> {
  try {
    if (!answer) throw new DeskFailure(failure ?? { kind: 'not-found', message: 'No table came.' })
    return { concerned: await concernedIn(scope, sources, answer), instanceGaps: [] }
  } catch (error) {
    return { concerned: [], instanceGaps: [{ what: instancesGap, failure: failureOf(error) }] }
  }
}

async function concernedIn(
  scope: CaseScope,
  { account, reports }: Pick<CaseSources, 'account' | 'reports'>,
  answer: TableReport,
): Promise<readonly Concerned[]> {
  const table = instancesIn(answer)
  if (scope.instances.kind === 'some')
    return scope.instances.list.map(({ id, name }) => {
      const found = table.rows.find((row) => row.id === id)
      return { id, name: found?.name ?? name, requests: found?.requests ?? (table.isWhole ? 0 : null) }
    })
  const withTraffic = table.rows.filter(({ requests }) => requests !== 0)
  if (table.isWhole) return withTraffic
  const found = await reports.instances({ account, name: null, page: 1, limit: limits.rowsPerPage })
  const more = found.answer.instances.filter(
    ({ id, all }) => !all && !table.rows.some((row) => row.id === id),
  )
  return [
    ...withTraffic,
    ...more.map((instance) => ({ id: instance.id, name: instanceText(instance), requests: null })),
  ]
}

function instancesIn({ figures, provenance }: TableReport): {
  readonly rows: readonly Concerned[]
  readonly isWhole: boolean
} {
  const place = figures.table.headers.indexOf('Requests') - 1
  const countIn = (cells: readonly unknown[] | undefined): Count => {
    const cell = cells?.[place]
    return typeof cell === 'number' ? cell : null
  }
  const rows = figures.table.rows.flatMap(({ label, cells }) =>
    label.kind === 'instance' ? [{ id: label.id, name: instanceText(label), requests: countIn(cells) }] : [],
  )
  const sum = rows.reduce((all, { requests }) => all + (requests ?? 0), 0)
  const isWhole = provenance.missing.length === 0 && sum === countIn(figures.table.all?.cells)
  // Without duplicates: one raw report is requested per instance.
  const isFirst = ({ id }: Concerned, place: number) => rows.findIndex((row) => row.id === id) === place
  return { rows: rows.filter(isFirst), isWhole }
}

/** Name of missing instances with traffic. */
const instancesGap = 'Instances with traffic'
/** Name of requests by instance that do not add up to the total. */
const requestsGap = 'By instance'

/** Parts of findings with figures of the service: the names of missing figures, and the amount that is present. */
const parts: readonly {
  readonly gaps: readonly string[]
  readonly size: (found: CaseFindings) => number
}[] = [
  { gaps: gapNames.now, size: ({ now }) => daysIn(now) },
  { gaps: gapNames.before, size: ({ before }) => daysIn(before) },
  { gaps: gapNames.others, size: ({ others }) => daysIn(others) },
  { gaps: gapNames.daily, size: ({ days }) => days.filter(hasValue).length },
  { gaps: [instancesGap], size: ({ instances }) => instances.length },
]

const hasValue = ({ values }: CaseFindings['days'][number]): boolean => values.some((value) => value !== null)

/** Number of days with figures. */
const daysIn = (side: CaseSide | null): number =>
  side === null ? 0 : daysBetween(side.range.start, side.range.end) + 1 - side.missing

/**
 * Failure if new findings lack figures that the stored findings have; null if they may replace the stored ones.
 * @param had findings of the same scope
 */
export function lostFigures(had: CaseFindings, found: CaseFindings): Failure | null {
  for (const { gaps, size } of parts) {
    const gap = found.lacks.find(({ what }) => gaps.includes(what))
    if (gap && size(found) < size(had)) return unchangedFailure(had, gap.failure)
  }
  return null
}

function unchangedFailure({ now, madeAt, zone }: CaseFindings, failure: Failure): Failure {
  const from = momentIn(now?.fetchedAt ?? madeAt, zone)
  if (failure.kind === 'offline') {
    const message = `The service is offline: the case keeps figures from ${from}. Update again when it is back.`
    return { ...failure, message }
  }
  const message = `${failure.message} The case keeps figures from ${from}. Update again later, or start a new case without them.`
  // Missing days without a failure are not caused by the user's input.
  return { ...failure, kind: failure.kind === 'invalid' ? 'not-found' : failure.kind, message }
}

const momentIn = (instant: number, zone: string): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
    .format(instant)
    // ICU's narrow space is a character that nobody types or searches.
    .replace('\u202f', ' ')
