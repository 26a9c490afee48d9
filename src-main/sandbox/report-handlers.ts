import {
  headersOf,
  dimensionEntry,
  totalsOf,
  dimensionNames,
  families,
  familyNames,
} from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import { tablePath } from '#shared/api/endpoints.ts'
import type { tableParameters } from '#shared/api/endpoints.ts'
import { limits } from '#shared/api/parameters.ts'
import type { SortKey, ArgumentsOf } from '#shared/api/parameters.ts'
import { dayToWire, daysOf } from '#shared/values/day.ts'
import { wireId } from './encoding.ts'
import { Refusal, encoded } from './contracts.ts'
import type { Behaviour, SandboxRequest, Handler } from './contracts.ts'
import { ruleSets, ALL_INSTANCES, nameOfInstance } from './events/catalogue.ts'
import type { Events } from './events/events.ts'
import { hash32 } from './events/random.ts'
import { byCodePoints, matcher, pageOf } from './paging.ts'
import {
  countUnder,
  SLOTS,
  slots,
  rangeOf,
  countedSpan,
  countEvents,
  eventsIn,
  totalOf,
  grouping,
  selectionFor,
  sumOf,
} from './counts.ts'
import type { Figure, Counts, Grouping, Selection } from './counts.ts'
import { checkWindow } from './rights.ts'

/** A column after the label: its title, and what stands in a row of it. */
type Column = {
  readonly header: string
  readonly cell: (counts: Counts, row: number) => Figure | string
}

type Additions = { readonly rates: Behaviour['rates']; readonly rules: boolean }

/** The share of one figure in another, in percent with two decimals; null where there is nothing to share. */
function rateColumn(header: string, base: string, written: 'numbers' | 'texts'): Column {
  const part = countUnder(header)
  const whole = countUnder(base)
  return {
    header: `${header} Rate`,
    cell: (counts, row) => {
      const total = whole(counts, row)
      const count = part(counts, row)
      if (total === null || total === 0 || count === null) return null
      const percent = Math.round((count * 10_000) / total) / 100
      return written === 'numbers' ? percent : percent.toFixed(2)
    },
  }
}

const ruleColumn = (bit: number, code: string): Column => ({
  header: code,
  cell: (counts, row) => counts[row * SLOTS + slots.rules + bit] as number,
})

/**
 * The columns after the label: the counts of the specification; with `rates` a rate directly after each count, of
 * Requests (of Responses where there are no Requests); with `rules` one for each rule set that the selection broke at all.
 * @param sum the tally of all rows, which says which rule sets were broken
 */
function columnsOf(family: Family, dimension: Dimension, additions: Additions, sum: Counts): Column[] {
  const headers = headersOf(family, dimension).slice(1)
  const base = headers[0] as string
  const counts = headers.flatMap((header): Column[] => {
    const count = { header, cell: countUnder(header) }
    return additions.rates === 'none' ? [count] : [count, rateColumn(header, base, additions.rates)]
  })
  const broken = ruleSets
    .flatMap(({ code }, bit) => (sum[slots.rules + bit] ? [ruleColumn(bit, code)] : []))
    .sort((one, other) => byCodePoints(one.header, other.header))
  return additions.rules ? [...counts, ...broken] : counts
}

/** By what a table can be sorted. */
type SortColumns = {
  /** The standard headers, and the number of the first. */
  readonly headers: readonly string[]
  readonly from: 0 | 1
  readonly labelSort: Behaviour['labelSort']
  /** Places by which rows are told apart that the sort leaves equal. */
  readonly ties: (row: number) => number
}

const byDefault: readonly SortKey[] = [{ column: 1, direction: 'desc' }]

/** What a header sorts by, for each row that was found: the label's rank, or the count; null is less than any count. */
function sortValues(
  found: readonly number[],
  header: string,
  isLabel: boolean,
  counts: Counts,
  rows: Grouping,
): ArrayLike<number> {
  if (isLabel) return rows.ranks
  const read = countUnder(header)
  const values = new Float64Array(rows.labels.length)
  for (const row of found) values[row] = read(counts, row) ?? -1
  return values
}

/**
 * Sorts rows by up to three keys; a column is a place among the standard headers, whether or not rates stand between
 * them.
 * @throws Refusal 400 for a column that the table does not have, or cannot be sorted by
 */
function sortRows(
  found: readonly number[],
  sort: readonly SortKey[] = byDefault,
  { headers, from, labelSort, ties }: SortColumns,
  counts: Counts,
  rows: Grouping,
): number[] {
  const keys = sort.flatMap(({ column, direction }) => {
    const header = headers[column - from]
    const isRefused = column === from && labelSort === 'refused'
    if (header === undefined || isRefused) throw new Refusal(400, `sort: the table has no column ${column}`)
    if (column === from && labelSort === 'ignored') return []
    return {
      values: sortValues(found, header, column === from, counts, rows),
      turn: direction === 'asc' ? 1 : -1,
    }
  })
  return [...found].sort((one, other) => {
    for (const { values, turn } of keys) {
      const difference = (values[one] as number) - (values[other] as number)
      if (difference !== 0) return difference * turn
    }
    return ties(one) - ties(other)
  })
}

/** What a chart shows of each family, in an order that is not the table's (field notes: additions to tables). */
const charted: Readonly<Record<Family, readonly string[]>> = {
  direct: ['Suspect', 'Non-Suspect'],
  script: ['Bad', 'Warning', 'Good', 'Responses', 'Requests', 'Mobile', 'Ad Blocker'],
}

/** Rows of arrays: a header, then one for each day of the range. Filters apply; search does not. */
function dailyRows(
  request: SandboxRequest,
  events: Events,
  selection: Selection,
  family: Family,
  dimension: Dimension | undefined,
): unknown[][] {
  const counts = dimension ? headersOf(family, dimension) : families[family].counts
  const headers = charted[family].filter((value) => counts.some((header) => header === value))
  const readings = headers.map(countUnder)
  const rows = daysOf(rangeOf(request)).map((day) => {
    const { first, end } = events.span({ start: day, end: day })
    const sum = countEvents(selection, first, end)
    return [String(dayToWire(day)), ...readings.map((read) => read(sum, 0))]
  })
  return [['Date', ...headers].map(encoded), ...rows]
}

/** The member `chart` of an answer, where it was asked for and this service gives it. */
function chartMember(
  request: SandboxRequest,
  events: Events,
  selection: Selection,
  family: Family,
  dimension: Dimension | undefined,
): { readonly chart?: unknown } {
  if (request.parameters['chart'] !== true) return {}
  switch (request.behaviour.charts) {
    case 'none':
      return {}
    case 'unknown-shape':
      return { chart: { kind: 'line', points: { '1': [2, 3] } } }
    case 'direct-overview':
      if (request.path !== 'direct/overview') return {}
      return { chart: dailyRows(request, events, selection, family, dimension) }
    case 'all':
      return { chart: dailyRows(request, events, selection, family, dimension) }
  }
}

/** The first cell of each row, and of the row `all`: for sessions an encoded JSON object, elsewhere text and false. */
function labelCells(dimension: Dimension, events: Events, request: SandboxRequest, rows: Grouping) {
  const isInstance = dimensionEntry(dimension).label === 'instance'
  const instance = (id: number | string, name: string) => encoded(JSON.stringify({ id, name }))
  return {
    all: isInstance ? instance(ALL_INSTANCES, ALL_INSTANCES) : false,
    row: (row: number) => {
      const named = isInstance ? events.instances[row] : undefined
      return named
        ? instance(wireId(named.id, request), nameOfInstance(named, request.behaviour.oneName))
        : encoded(rows.labels[row] as string)
    },
  }
}

/** Rows that stand for events and are met by the search, sorted. */
function rowsFound(
  counts: Counts,
  rows: Grouping,
  columns: SortColumns,
  { search, startswith, sort }: ArgumentsOf<typeof tableParameters>,
): number[] {
  const isMet = matcher(search, startswith ?? false)
  const found = [...rows.labels.keys()].filter(
    (row) => eventsIn(counts, row) > 0 && isMet(rows.labels[row] as string),
  )
  return sortRows(found, sort, columns, counts, rows)
}

/** How many answers were given, and how many of them since today grows with each. */
type Answers = { count: number; growing: number }

/** The events of an answer that is given now. */
function spanNow(events: Events, request: SandboxRequest, answers: Answers) {
  answers.count += 1
  answers.growing = request.behaviour.growing ? answers.growing + 1 : 0
  return countedSpan(events, request, answers.growing)
}

/** Answers a family's table by one dimension (specification: table). */
function tableHandler(events: Events, family: Family, dimension: Dimension, answers: Answers): Handler {
  const rows = grouping(dimension)
  const headers = headersOf(family, dimension)
  return (request) => {
    checkWindow(rangeOf(request), request.behaviour.windows.tables)
    const parameters = request.parameters as ArgumentsOf<typeof tableParameters>
    const selection = selectionFor(request, events, family, dimension)
    const { first, end } = spanNow(events, request, answers)
    const counts = countEvents(selection, first, end, rows)
    const { sortColumnsFrom: from, labelSort, ties, rowsPerPage } = request.behaviour
    const salt = answers.count
    const rank = (row: number) => rows.ranks[row] as number
    const shuffled = (row: number) => hash32(rank(row), salt)
    const sortable = { headers, from, labelSort, ties: ties === 'shuffled' ? shuffled : rank }
    const found = rowsFound(counts, rows, sortable, parameters)
    const { limit = limits.rowsPerPageByDefault } = parameters
    const { items, counts: pages } = pageOf(found, {
      ...parameters,
      limit: Math.min(limit, rowsPerPage ?? limit),
    })
    const sum = sumOf(
      counts,
      request.behaviour.searchedAll === 'found' && parameters.search ? found : undefined,
    )
    const additions = {
      rates: parameters.rates ? request.behaviour.rates : 'none',
      rules: (parameters.rules ?? false) && request.behaviour.rules,
    } as const
    const columns = columnsOf(family, dimension, additions, sum)
    const labels = labelCells(dimension, events, request, rows)
    return {
      total: totalOf(totalsOf(family, dimension), sum),
      table: {
        headers: [headers[0] as string, ...columns.map((column) => column.header)].map(encoded),
        all: [labels.all, ...columns.map(({ cell }) => cell(sum, 0))],
        rows: items.map((row) => [labels.row(row), ...columns.map(({ cell }) => cell(counts, row))]),
      },
      ...chartMember(request, events, selection, family, dimension),
      query: { ...request.echo, ...pages },
    }
  }
}

/** Answers a family's overview: `total` and, where asked for, `chart`. */
function overviewHandler(events: Events, family: Family, answers: Answers): Handler {
  return (request) => {
    checkWindow(rangeOf(request), request.behaviour.windows.overview)
    const selection = selectionFor(request, events, family, undefined)
    const { first, end } = spanNow(events, request, answers)
    return {
      total: totalOf(totalsOf(family), countEvents(selection, first, end)),
      ...chartMember(request, events, selection, family, undefined),
      query: request.echo,
    }
  }
}

/** The handlers of the 16 tables and the two overviews, made from the interface as data. */
export function reportHandlers(events: Events): ReadonlyMap<string, Handler> {
  const answers: Answers = { count: 0, growing: 0 }
  const tables = familyNames.flatMap((family) =>
    dimensionNames.flatMap((dimension): [string, Handler][] => {
      const path = tablePath(family, dimension)
      return path ? [[path, tableHandler(events, family, dimension, answers)]] : []
    }),
  )
  const overviews = familyNames.map((family): [string, Handler] => [
    `${family}/overview`,
    overviewHandler(events, family, answers),
  ])
  return new Map([...tables, ...overviews])
}
