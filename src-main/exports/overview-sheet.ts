import type { ExportOrder } from '#shared/exports/order.ts'
import { firstDoubt, withDoubt } from '#shared/reports/answer.ts'
import type { PairedAnswer, ReportAnswer, OverviewReport } from '#shared/reports/answer.ts'
import type { Periods } from '#shared/reports/change.ts'
import { isSameRange } from '#shared/values/day.ts'
import {
  areFetchedTogether,
  changeIn,
  comparisonOf,
  figuresOf,
  isWholeIn,
} from '#shared/reports/overview-figures.ts'
import type { OverviewComparison } from '#shared/reports/overview-figures.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import { inPercent } from '#shared/reports/rows.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { families } from '#shared/api/dimensions.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { ExportColumn } from '#shared/exports/columns.ts'
import { changeMarks, commonFiltersOf } from './facts.ts'
import type { ComparedFact, Facts, FiguresOf, NamedAccount } from './facts.ts'
import type { TableReader } from './table-reader.ts'
import type { Sheet } from './table-writer.ts'

type Order = Extract<ExportOrder, { kind: 'overview' }>
const plain = [
  { header: 'Figure', kind: 'label' },
  { header: 'Count', kind: 'count' },
  { header: 'Rate', kind: 'rate' },
] as const

/** Columns of a comparison, with its notes in their headers. */
function comparedColumns(facts: readonly ComparedFact[]): readonly Omit<ExportColumn, 'place'>[] {
  const marks = facts.flatMap(({ periods, days }) =>
    periods.kind === 'periods' ? [changeMarks(periods, days)] : [],
  )
  const [first] = marks
  if (!first) return []
  const { count, rate, isDaily } = marks.find((mark) => mark.isDaily) ?? first
  return [
    { header: 'Count before', kind: 'count' },
    { header: `Count change${count}`, kind: isDaily ? 'daily' : 'change' },
    { header: `Count change %${count}`, kind: 'proportion' },
    { header: 'Rate before', kind: 'rate' },
    { header: `Rate change (points)${rate}`, kind: 'points' },
  ]
}

/** Cards of Overview as a table, with the answers that they come from. */
type OverviewSheet = Sheet & {
  readonly facts: Facts
  readonly rows: readonly TableRow[]
  readonly answers: readonly OverviewReport[]
}

/**
 * Reads the cards of Overview as a table: a row per figure of each family. Rates are shares of the requests.
 * @throws failures of reading
 */
export async function overviewSheet(
  reader: TableReader,
  account: NamedAccount,
  order: Order,
): Promise<OverviewSheet> {
  const { queries } = order
  const before: DayRange | null = order.before ?? null
  const read = await Promise.all(queries.map((query) => familyOf(reader, query, before)))
  const beside = comparedColumns(read.flatMap(({ compared }) => compared ?? []))
  const columns = [...plain, ...beside].map((column, place): ExportColumn => ({ ...column, place }))
  const rows = read.flatMap((family) => rowsOf(family))
  const answers = read.map(({ answer }) => answer)
  return { name: 'Overview', columns, rows, facts: factsOf(account, read, rows.length), answers }
}

type FamilyFigures = {
  readonly answer: OverviewReport
  readonly comparison: OverviewComparison | null
  readonly compared: ComparedFact | null
}

async function familyOf(
  reader: TableReader,
  query: OverviewQuery,
  before: DayRange | null,
): Promise<FamilyFigures> {
  if (before === null)
    return { answer: overviewIn(await reader.read(query)), comparison: null, compared: null }
  const { zone } = reader
  const periods = reader.periods(query.range, before)
  if (periods.kind === 'nothing')
    return {
      answer: overviewIn(await reader.read(query)),
      comparison: null,
      compared: { range: before, missing: [], provenance: null, periods, days: null },
    }
  const { paired, ...sides } = await sidesOf(reader, query, periods)
  const { shown, now } = sides
  const doubt = firstDoubt([now === shown ? null : now.provenance.doubt, paired?.doubt ?? null])
  const provenance = withDoubt(sides.before.provenance, doubt)
  return {
    answer: shown,
    comparison: comparisonOf(query.family, sides, zone, paired) ?? null,
    compared: {
      range: periods.before,
      missing: provenance.missing,
      provenance,
      periods,
      days: paired && paired.compared,
      isOfOtherMoment: !areFetchedTogether(zone, shown, now),
    },
  }
}

/** Maximum number of readings if figures change in between. */
const maxReadings = 3

type Sides = Readonly<Record<'shown' | 'now' | 'before', OverviewReport>>

/**
 * Reads a family's figures and the figures to compare. If days are missing, the common days are read separately. They are dropped if the
 * figures change with every reading.
 */
async function sidesOf(
  reader: TableReader,
  query: OverviewQuery,
  periods: Periods,
): Promise<Sides & { readonly paired: PairedAnswer | null }> {
  const over = async (range: DayRange) => overviewIn(await reader.read({ ...query, range }))
  const readAll = async (): Promise<Sides> => {
    const shown = await over(query.range)
    const before = await over(periods.before)
    return { shown, before, now: isSameRange(periods.now, query.range) ? shown : await over(periods.now) }
  }
  let sides = await readAll()
  for (let reading = 1; ; reading += 1) {
    if (isWholeIn(reader.zone, sides.now, sides.before)) return { ...sides, paired: null }
    const paired = await reader.paired(sides.now.query, periods.before)
    const after = await readAll()
    if (stampOf(after) === stampOf(sides)) return { ...sides, paired }
    sides = after
    if (reading === maxReadings)
      return { ...sides, paired: { ...paired, sides: null, compared: { ...paired.compared, days: 0 } } }
  }
}

/** Identifies figures by their days and fetch times. */
const stampOf = ({ shown, now, before }: Sides): string =>
  JSON.stringify(
    [shown, now, before].map(({ provenance: { fetchedAt, ages, missing } }) => [fetchedAt, ages, missing]),
  )

function overviewIn(answer: ReportAnswer): OverviewReport {
  if (answer.kind === 'overview') return answer
  throw new TypeError('An overview was asked for')
}

function rowsOf({ answer, comparison }: FamilyFigures): TableRow[] {
  const { family } = answer.query
  return figuresOf(family, answer.figures.total).map(({ name, header, value, share }) => {
    const change = changeIn(comparison, header)
    const changed = change && [
      change.before,
      change.difference,
      inPercent(change.proportion),
      change.rateBefore,
      change.points,
    ]
    const text = `${families[family].words}: ${name}`
    return { label: { kind: 'text', text }, cells: [value, inPercent(share), ...(changed ?? [])] }
  })
}

/** Facts about the figures of both families. */
function factsOf(
  account: NamedAccount,
  [first, ...others]: readonly FamilyFigures[],
  results: number,
): Facts {
  if (!first) throw new TypeError('There is nothing to export')
  const { query } = first.answer
  const known = ({ answer }: FamilyFigures): FiguresOf => ({
    title: families[answer.query.family].words,
    provenance: answer.provenance,
    range: answer.query.range,
    zone: account.dayZone,
  })
  return {
    account: account.name,
    report: 'Overview',
    path: 'overview',
    range: query.range,
    filters: commonFiltersOf(query),
    sort: [],
    figures: [known(first), ...others.map(known)],
    ratesBy: 'desk',
    results,
    all: null,
    compared: first.compared,
  }
}
