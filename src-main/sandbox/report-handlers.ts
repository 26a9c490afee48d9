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
import { Refusal, encodedText } from './contracts.ts'
import type { Behaviour, SandboxRequest, SandboxHandler } from './contracts.ts'
import { ruleSets, ALL_INSTANCES, nameOfInstance } from './events/catalogue.ts'
import type { Events } from './events/events.ts'
import { hash32 } from './events/random.ts'
import { byCodePoints } from '#shared/values/text.ts'
import { matcher, pageOf } from './paging.ts'
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
import type { Figure, EventCounts, Grouping, Selection } from './counts.ts'
import { checkWindow } from './rights.ts'

/** A column after the label: its header and cells. */
type Column = {
  readonly header: string
  readonly cell: (counts: EventCounts, row: number) => Figure | string
}

type Additions = { readonly rates: Behaviour['rates']; readonly rules: boolean }

/** Returns a rate column, in percent with two decimals; null if a count is unknown or the base is zero. */
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
 * Returns the columns after the label. With `rates`, a rate follows each specified count, of Requests (or of Responses
 * without Requests). With `rules`, each rule set that the selection broke has a column.
 * @param sum counts of all rows, which determine the broken rule sets
 */
function columnsOf(family: Family, dimension: Dimension, additions: Additions, sum: EventCounts): Column[] {
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

/** Sorting of a table. */
type SortColumns = {
  /** Standard headers, and the number of the first. */
  readonly headers: readonly string[]
  readonly from: 0 | 1
  readonly labelSort: Behaviour['labelSort']
  /** Order of rows that the sort leaves equal. */
  readonly ties: (row: number) => number
}

const byDefault: readonly SortKey[] = [{ column: 1, direction: 'desc' }]

/** Returns the sort values of a header by row: the label's rank, or the count. Null sorts below all counts. */
function sortValues(
  found: readonly number[],
  header: string,
  isLabel: boolean,
  counts: EventCounts,
  rows: Grouping,
): ArrayLike<number> {
  if (isLabel) return rows.ranks
  const read = countUnder(header)
  const values = new Float64Array(rows.labels.length)
  for (const row of found) values[row] = read(counts, row) ?? -1
  return values
}

/**
 * Sorts rows by up to three keys. Column numbers refer to the standard headers, even if rates are inserted.
 * @throws Refusal 400 if the table lacks a column or cannot sort by it
 */
function sortRows(
  found: readonly number[],
  sort: readonly SortKey[] = byDefault,
  { headers, from, labelSort, ties }: SortColumns,
  counts: EventCounts,
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

/** Series of a chart by family, in another order than the table's (field notes: additions to tables). */
const charted: Readonly<Record<Family, readonly string[]>> = {
  direct: ['Suspect', 'Non-Suspect'],
  script: ['Bad', 'Warning', 'Good', 'Responses', 'Requests', 'Mobile', 'Ad Blocker'],
}

/** Returns a chart as arrays: a header, then one row per day. Filters apply, but search does not. */
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
  return [['Date', ...headers].map(encodedText), ...rows]
}

/** Returns the member `chart`, if requested and supported. */
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

/** Returns the label cells. Instances are encoded JSON objects; otherwise rows are text, and `all` is false. */
function labelCells(dimension: Dimension, events: Events, request: SandboxRequest, rows: Grouping) {
  const isInstance = dimensionEntry(dimension).label === 'instance'
  const instance = (id: number | string, name: string) => encodedText(JSON.stringify({ id, name }))
  return {
    all: isInstance ? instance(ALL_INSTANCES, ALL_INSTANCES) : false,
    row: (row: number) => {
      const named = isInstance ? events.instances[row] : undefined
      return named
        ? instance(wireId(named.id, request), nameOfInstance(named, request.behaviour.oneName))
        : encodedText(rows.labels[row] as string)
    },
  }
}

/** Returns the rows with events that match the search, sorted. */
function rowsFound(
  counts: EventCounts,
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

/** Number of answers, and of consecutive answers while `growing` is on. */
type Answers = { count: number; growing: number }

/** Counts an answer and returns its events. */
function spanNow(events: Events, request: SandboxRequest, answers: Answers) {
  answers.count += 1
  answers.growing = request.behaviour.growing ? answers.growing + 1 : 0
  return countedSpan(events, request, answers.growing)
}

/** Handles a table (specification: table). */
function tableHandler(
  events: Events,
  family: Family,
  dimension: Dimension,
  answers: Answers,
): SandboxHandler {
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
        headers: [headers[0] as string, ...columns.map((column) => column.header)].map(encodedText),
        all: [labels.all, ...columns.map(({ cell }) => cell(sum, 0))],
        rows: items.map((row) => [labels.row(row), ...columns.map(({ cell }) => cell(counts, row))]),
      },
      ...chartMember(request, events, selection, family, dimension),
      query: { ...request.echo, ...pages },
    }
  }
}

/** Handles an overview: `total` and, if requested, `chart`. */
function overviewHandler(events: Events, family: Family, answers: Answers): SandboxHandler {
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

/** Returns the handlers of the 16 tables and two overviews. */
export function reportHandlers(events: Events): ReadonlyMap<string, SandboxHandler> {
  const answers: Answers = { count: 0, growing: 0 }
  const tables = familyNames.flatMap((family) =>
    dimensionNames.flatMap((dimension): [string, SandboxHandler][] => {
      const path = tablePath(family, dimension)
      return path ? [[path, tableHandler(events, family, dimension, answers)]] : []
    }),
  )
  const overviews = familyNames.map((family): [string, SandboxHandler] => [
    `${family}/overview`,
    overviewHandler(events, family, answers),
  ])
  return new Map([...tables, ...overviews])
}
