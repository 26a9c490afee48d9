import type { Totals } from '#shared/api/answers.ts'
import { otherLabel } from '#shared/reports/answer.ts'
import type { Provenance, ReportAnswer, TableReport, TrendAnswer } from '#shared/reports/answer.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { addDays, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { Served, ServiceInProcess } from '#test/helpers/service-in-process.ts'
import { countedOf, labels } from './growing-counts.ts'
import type { Counted, GrowingCounts, Levels, Part } from './growing-counts.ts'

export type Scope = readonly InstanceId[]

const minute = 60_000
/** Longest gathering that counts as one moment, in milliseconds. */
const gathering = 5 * minute

export const nothing: Counted = { good: 0, bad: 0 }
export const sumOf = (all: readonly Counted[]): Counted =>
  all.reduce((sum, { good, bad }) => ({ good: sum.good + good, bad: sum.bad + bad }), nothing)
export const countedIn = ({ good, bad }: Totals): Counted => ({
  good: Number(good ?? 0),
  bad: Number(bad ?? 0),
})
export const isSame = (one: Counted, other: Counted) => one.good === other.good && one.bad === other.bad

export const partOf = ({ instance, source, campaign }: ReportQuery): Part => ({
  ...(instance !== null && { instance }),
  ...(source !== null && { source }),
  ...(campaign !== null && { campaign }),
})

/** Rows of a table, each with what it counts; `rest` is null for a row of everything else that is not known. */
export type CountedRow = { readonly label: string; readonly counted: Counted | null }

/** Dimensions whose rows the oracle knows. */
export type RowsBy = keyof typeof labels
export const isRowsBy = (dimension: string): dimension is RowsBy => Object.hasOwn(labels, dimension)
const partName = {
  sources: 'source',
  campaigns: 'campaign',
  devices: 'device',
  sessions: 'instance',
} as const
const rowPart = (by: RowsBy, label: string): Part => ({ [partName[by]]: label })

/** Levels that each day may have in a figure. */
export type Choices = readonly (readonly [Day, readonly number[]])[]

/** Every combination of levels. */
export function* readingsOf(choices: Choices): Iterable<Levels> {
  const [first, ...more] = choices
  if (!first) return void (yield new Map())
  const [day, levels] = first
  for (const rest of readingsOf(more)) for (const level of levels) yield new Map([[day, level], ...rest])
}

export const subsetsOf = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  items
    .reduce<readonly (readonly T[])[]>((all, item) => all.flatMap((some) => [some, [...some, item]]), [[]])
    .filter((some) => some.length > 0)

/** Knows what the service counted at each time, and which answers it gave of which scope. */
export class Oracle {
  readonly counts: GrowingCounts
  /** How many wrong figures were let pass, because nobody could have noticed: they must stay rare. */
  excused = 0
  readonly #service: ServiceInProcess

  constructor(counts: GrowingCounts, service: ServiceInProcess) {
    this.counts = counts
    this.#service = service
  }

  /** Scopes that the token has seen. */
  scopes(): readonly Scope[] {
    const found = new Map(this.#service.served.map(({ instances }) => [instances.join(' '), instances]))
    return [...found.values()]
  }

  /** All levels that days have had. */
  anyOf(days: readonly Day[]): Choices {
    return days.map((day) => [day, this.counts.levelsOf(day, -Infinity)])
  }

  /** Levels that the days of an answer may have by its provenance. Runs of days tell when the oldest of them was fetched. */
  choicesOf({ provenance, composed, range }: Dated): Choices {
    const { ages = [{ range, fetchedAt: provenance.fetchedAt }], missing, from } = provenance
    return daysOf(range).flatMap((day) => {
      const age = ages.find((item) => day >= item.range.start && day <= item.range.end)
      if (missing.includes(day) || !age) return []
      const isExact = !composed && (from !== 'computed' || age.range.start === age.range.end)
      const spread = composed ? gathering : 2 * minute
      const levels = this.counts.levelsOf(day, age.fetchedAt, age.fetchedAt + (isExact ? 0 : spread))
      // Settled days stand together, whenever they were fetched.
      const settled = Math.max(age.fetchedAt, Date.parse(`${addDays(day, 3)}T00:00:00Z`))
      const isLater = !isExact && settled <= this.counts.clock.now()
      const later = isLater ? this.counts.levelsOf(day, settled) : []
      return [[day, [...new Set([...levels, ...later])]] as const]
    })
  }

  /** The scope and the levels of which some figures are; null where there are none. */
  find(
    choices: Choices,
    isOf: (scope: Scope, levels: Levels) => boolean,
    scopes = this.scopes(),
  ): { readonly scope: Scope; readonly levels: Levels } | null {
    for (const levels of readingsOf(choices))
      for (const scope of scopes) if (isOf(scope, levels)) return { scope, levels }
    return null
  }

  /**
   * Whether wrong figures of some days may be of two scopes without anyone noticing: the token saw others between two checks that saw
   * the same, and the app sent one less than a minute before it asked, and one less than a minute after the answer came.
   */
  isExcused(days: readonly Day[]): boolean {
    const { served } = this.#service
    const checks = served.filter(({ path }) => path === 'interface/instances')
    /** Whether the checks around an answer, from this one on, all saw the same, which is not what the answer is of. */
    const isHidden = (answer: Served, place: number, first: number) => {
      const before = checks[first]
      if (!before || before.sentAfter > place || answer.sentAt - before.sentAt > minute) return false
      const next = checks.findIndex((check, nth) => nth > first && served.indexOf(check) > place)
      const after = checks[next]
      if (!after || after.sentAt - answer.arrivedAt > minute || !isOther(before, answer)) return false
      return checks.slice(first, next + 1).every((check) => !isOther(check, before))
    }
    const isFound = served.some(
      (answer, place) =>
        answer.range !== null &&
        daysOf(answer.range).some((day) => days.includes(day)) &&
        checks.some((_, first) => isHidden(answer, place, first)),
    )
    if (isFound) this.excused += 1
    return isFound
  }
}

const isOther = (one: Served, other: Served) => one.instances.join(' ') !== other.instances.join(' ')

type Dated = {
  readonly provenance: Pick<Provenance, 'ages' | 'fetchedAt' | 'missing' | 'from'>
  /** Whether it is put together of answers that may be of several times. */
  readonly composed: boolean
  readonly range: DayRange
}

/** Whether the rows of a table are those of a scope at these levels, and all that count anything. */
export function areRowsOf(
  by: RowsBy,
  rows: readonly CountedRow[],
  of: { readonly scope: Scope; readonly levels: Levels; readonly part: Part; readonly isWhole: boolean },
): boolean {
  const { scope, levels, part, isWhole } = of
  const known: readonly string[] = labels[by]
  const countedAs = (label: string) => countedOf(scope, levels, { ...part, ...rowPart(by, label) })
  const isRight = rows.every(
    ({ label, counted }) => !known.includes(label) || (counted !== null && isSame(countedAs(label), counted)),
  )
  const lacks = (label: string) =>
    !isSame(countedAs(label), nothing) && !rows.some((row) => row.label === label)
  // Rows of a narrowed table are other than its columns say: what limits them limits the rows too.
  const named = known.filter((label) => (part[partName[by]] ?? label) === label)
  return isRight && (!isWhole || !named.some(lacks))
}

/**
 * What is wrong with an answer; null where its figures are of one scope and, day by day, of the moment that it tells.
 * @param scopes of which they may be; any that the token has seen where left out
 */
export function wrongInAnswer(
  oracle: Oracle,
  answer: ReportAnswer,
  scopes?: readonly Scope[],
): string | null {
  const { figures, provenance, query } = answer
  if (provenance.doubt !== null) return null
  if (provenance.restated !== null && !wasRestated(oracle, query.range))
    return 'it says that days were restated'
  const by = answer.kind === 'table' && isRowsBy(answer.query.dimension) ? answer.query.dimension : null
  const rows = answer.kind === 'table' ? rowsIn(answer) : []
  const composed = by === 'sources' || by === 'campaigns'
  const total = countedIn(figures.total)
  if (by !== null && rows.every(({ counted }) => counted !== null)) {
    const added = sumOf(rows.map(({ counted }) => counted ?? nothing))
    if (!isSame(added, total)) return 'its rows do not add up'
  }
  const part = partOf(query)
  const isWhole = provenance.composed === undefined
  const choices = oracle.choicesOf({ provenance, composed, range: query.range })
  const found = oracle.find(
    choices,
    (scope, levels) =>
      isSame(countedOf(scope, levels, part), total) &&
      (by === null || areRowsOf(by, rows, { scope, levels, part, isWhole })),
    scopes,
  )
  if (found)
    return rows.some(({ label }) => label === otherLabel) && isWhole ? 'it has a rest of nothing' : null
  return oracle.isExcused(daysOf(query.range)) ? null : 'it is of no scope and moment'
}

export const wasRestated = ({ counts }: Oracle, range: DayRange) =>
  daysOf(range).some((day) => counts.restated.has(day))

function rowsIn({ figures }: TableReport): readonly CountedRow[] {
  const column = (header: string) => figures.table.headers.indexOf(header) - 1
  const [good, bad] = [column('Good'), column('Bad')]
  return figures.table.rows.map(({ label, cells }) => ({
    label: label.kind === 'text' ? label.text : label.kind === 'instance' ? label.id : '',
    counted: cells[good] === null ? null : { good: Number(cells[good]), bad: Number(cells[bad]) },
  }))
}

/** What is wrong with figures by day; null where each day is right, and all are of one scope. */
export function wrongInTrend(
  oracle: Oracle,
  { chart, provenance }: TrendAnswer,
  query: ReportQuery,
): string | null {
  const valuesOf = (name: string) => chart.series.find(({ header }) => header === name)?.values ?? []
  const [good, bad] = [valuesOf('Good'), valuesOf('Bad')]
  const part = partOf(query)
  const days = chart.days.filter((_, place) => typeof good[place] === 'number')
  const choices = oracle.choicesOf({ provenance, composed: false, range: query.range })
  const found = oracle.find(choices, (scope, levels) =>
    days.every((day) => {
      const place = chart.days.indexOf(day)
      const level = levels.get(day)
      const told = { good: Number(good[place]), bad: Number(bad[place]) }
      return level !== undefined && isSame(countedOf(scope, new Map([[day, level]]), part), told)
    }),
  )
  return found || provenance.doubt !== null || oracle.isExcused(days) ? null : 'its days are of no scope'
}
