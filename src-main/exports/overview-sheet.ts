import type { ExportOrder } from '../../src-shared/exports/order.ts'
import type { ReportAnswer } from '../../src-shared/reports/answer.ts'
import { changeIn, figuresOf } from '../../src-shared/reports/overview-figures.ts'
import type { Comparison } from '../../src-shared/reports/overview-figures.ts'
import type { OverviewQuery } from '../../src-shared/reports/query.ts'
import type { TableRow } from '../../src-shared/service/answers.ts'
import { families } from '../../src-shared/service/families.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import type { ExportColumn } from './columns.ts'
import { commonFiltersOf } from './facts.ts'
import type { ComparedFact, Facts, FiguresOf, Owner } from './facts.ts'
import type { PageReader } from './page-reader.ts'
import type { Sheet } from './table-writer.ts'

type Order = Extract<ExportOrder, { what: 'overview' }>
type Overview = Extract<ReportAnswer, { kind: 'overview' }>
type Reader = Pick<PageReader, 'read' | 'paired'>

const percent = (share: number | null) => (share === null ? null : Math.round(share * 10_000) / 100)

const plain = [
  { header: 'Figure', kind: 'label' },
  { header: 'Count', kind: 'count' },
  { header: 'Rate', kind: 'rate' },
] as const

const compared = [
  { header: 'Count before', kind: 'count' },
  { header: 'Count change', kind: 'change' },
  { header: 'Count change %', kind: 'proportion' },
  { header: 'Rate before', kind: 'rate' },
  { header: 'Rate change (points)', kind: 'points' },
] as const

/**
 * The cards of Overview as a table: a row for each figure of each family; rates are shares of its requests.
 * @throws what asking throws
 */
export async function overviewSheet(
  reader: Reader,
  account: Owner,
  order: Order,
): Promise<Sheet & { readonly rows: readonly TableRow[] }> {
  const { queries } = order
  const before: DayRange | null = order.before ?? null
  const read = await Promise.all(queries.map((query) => familyOf(reader, query, before)))
  const columns = [...plain, ...(before ? compared : [])].map((column, place): ExportColumn => ({
    ...column,
    place,
  }))
  const rows = read.flatMap((family) => rowsOf(family))
  return { name: 'Overview', columns, rows, facts: factsOf(account, read, rows.length) }
}

type FamilyFigures = {
  readonly answer: Overview
  readonly comparison: Comparison | null
  readonly compared: ComparedFact | null
}

async function familyOf(
  reader: Reader,
  query: OverviewQuery,
  before: DayRange | null,
): Promise<FamilyFigures> {
  const answer = overviewIn(await reader.read(query))
  if (before === null) return { answer, comparison: null, compared: null }
  const { family } = query
  const earlier = overviewIn(await reader.read({ ...query, range: before }))
  const { missing } = earlier.provenance
  const figures = (of: Overview) => figuresOf(family, of.figures.total)
  if (answer.provenance.missing.length + missing.length === 0) {
    const comparison = { now: figures(answer), before: figures(earlier) }
    return { answer, comparison, compared: { range: before, missing, days: null } }
  }
  const { sides, compared: days } = await reader.paired(query, before, [])
  const comparison = sides && {
    now: figuresOf(family, sides.now.total),
    before: figuresOf(family, sides.before.total),
  }
  return { answer, comparison, compared: { range: before, missing, days } }
}

function overviewIn(answer: ReportAnswer): Overview {
  if (answer.kind === 'overview') return answer
  throw new TypeError('An overview was asked for')
}

function rowsOf({ answer, comparison }: FamilyFigures): TableRow[] {
  const { family } = answer.query
  return figuresOf(family, answer.figures.total).map(({ name, header, value, share }) => {
    const change = changeIn(comparison, header)
    const told = change && [
      change.before,
      change.difference,
      percent(change.proportion),
      change.rateBefore,
      change.points,
    ]
    const text = `${families[family].words}: ${name}`
    return { label: { kind: 'text', text }, cells: [value, percent(share), ...(told ?? [])] }
  })
}

/** What is to be known of both families' figures together. */
function factsOf(account: Owner, [first, ...others]: readonly FamilyFigures[], results: number): Facts {
  if (!first) throw new TypeError('There is nothing to export')
  const { query } = first.answer
  const known = ({ answer }: FamilyFigures): FiguresOf => ({
    of: families[answer.query.family].words,
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
