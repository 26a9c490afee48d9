import { labelText } from '#shared/reports/rows.ts'
import { normalise, queryKey, usualSort } from '#shared/reports/query.ts'
import type { ReportQuery, TableQuery } from '#shared/reports/query.ts'
import type { OverviewAnswer, TableAnswer, Table, TableRow } from '#shared/api/answers.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import type { AnswerFor, ArgumentsFor, EndpointPath, OverviewPath, TablePath } from '#shared/api/endpoints.ts'
import { tablePath } from '#shared/api/endpoints.ts'
import { limits } from '#shared/api/limits.ts'
import type { SortKey } from '#shared/api/parameters.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { CallOptions, ServiceClient } from '#main/api/client.ts'

/**
 * The number that a service gives the first of a table's standard headers, the label's. The specification shows
 * column numbers in its default alone (`1:desc`) and does not say what they count from.
 */
export type FirstColumn = 0 | 1

/** The call that answers a query: its path and its arguments, defaults left out. */
type ReportCall =
  | { readonly kind: 'overview'; readonly path: OverviewPath; readonly arguments: ArgumentsFor<OverviewPath> }
  | { readonly kind: 'table'; readonly path: TablePath; readonly arguments: ArgumentsFor<TablePath> }

/** Whether the service can sort so: by columns of the specification, which alone have numbers. */
export function isSortOfService({ family, dimension, sort }: TableQuery): boolean {
  const standard = headersOf(family, dimension)
  return sort.every(({ header }) => standard.includes(header))
}

/** The sort by the service's numbers; none where that means the same. */
function sortFor(query: TableQuery, first: FirstColumn): SortKey[] {
  const standard = headersOf(query.family, query.dimension)
  // Counted from 1 the service's own default is the label, so the usual sort has to be said.
  const sort = query.sort.length > 0 || first === 0 ? query.sort : [usualSort(query.family, query.dimension)]
  return sort.map(({ header, direction }) => {
    const place = standard.indexOf(header)
    if (place < 0) throw new RangeError(`The service cannot sort by ${header}`)
    return { column: place + first, direction }
  })
}

/**
 * The call for a query.
 * @param first what this account's service counts columns from
 * @throws RangeError where the family does not offer the dimension, or the service cannot sort so
 */
export function callFor(request: ReportQuery, first: FirstColumn = 0): ReportCall {
  const query = normalise(request)
  const common = {
    start: query.range.start,
    end: query.range.end,
    ...(query.instance !== null && { instance: query.instance }),
    ...(query.source !== null && { source: query.source }),
    ...(query.campaign !== null && { campaign: query.campaign }),
    ...(query.chart && { chart: true }),
  }
  if (query.kind === 'overview')
    return { kind: 'overview', path: `${query.family}/overview`, arguments: common }
  const path = tablePath(query.family, query.dimension)
  if (path === undefined) throw new RangeError(`${query.family} has no table ${query.dimension}`)
  const sort = sortFor(query, first)
  return {
    kind: 'table',
    path,
    arguments: {
      ...common,
      ...query.filters,
      ...(query.rates && { rates: true }),
      ...(query.rules && { rules: true }),
      ...(query.search !== null && { search: query.search }),
      ...(query.startsWith && { startswith: true }),
      ...(sort.length > 0 && { sort }),
      ...(query.page !== 1 && { page: query.page }),
      ...(query.limit !== limits.rowsPerPageByDefault && { limit: query.limit }),
    },
  }
}

/** Reads the text of an answer; it throws where the text is none. */
export type Decode = <P extends EndpointPath>(path: P, text: string) => AnswerFor<P>

/** What the service answers to one call. */
export type Figures =
  | { readonly kind: 'overview'; readonly answer: OverviewAnswer }
  | { readonly kind: 'table'; readonly answer: TableAnswer }

export type Reply = { readonly text: string; readonly fetchedAt: Instant; readonly figures: Figures }

/** A query in the form in which it is asked and kept. */
type Question = {
  readonly key: string
  readonly path: OverviewPath | TablePath
  readonly range: DayRange
  /** The sort as it is sent. */
  readonly sort: readonly SortKey[]
  /** Asks the service. @throws what the client throws */
  readonly ask: (client: ServiceClient, options: CallOptions) => Promise<Reply>
}

/**
 * @param first what the account's service counts columns from
 * @throws RangeError where the family does not offer the dimension, or the service cannot sort so
 */
export function questionFor(request: ReportQuery, first: FirstColumn): Question {
  const query = normalise(request)
  const call = callFor(query, first)
  const about = { key: queryKey(query), range: query.range, path: call.path }
  if (call.kind === 'overview') {
    const wrap = (answer: OverviewAnswer): Figures => ({ kind: 'overview', answer })
    return { ...about, sort: [], ...asking(call.path, call.arguments, wrap) }
  }
  const wrap = (answer: TableAnswer): Figures => ({ kind: 'table', answer })
  return { ...about, sort: call.arguments.sort ?? [], ...asking(call.path, call.arguments, wrap) }
}

function asking<P extends EndpointPath>(
  path: P,
  given: ArgumentsFor<P>,
  wrap: (answer: AnswerFor<P>) => Figures,
): Pick<Question, 'ask'> {
  return {
    ask: async (client, options) => {
      const { answer, text, receivedAt } = await client.call(path, given, options)
      return { text, fetchedAt: receivedAt, figures: wrap(answer) }
    },
  }
}

/** Reads the figures of a query from a kept text. @throws where it is no such answer */
export function readFigures(query: ReportQuery, decode: Decode, text: string): Figures {
  if (query.kind === 'overview') return { kind: 'overview', answer: decode(`${query.family}/overview`, text) }
  const path = tablePath(query.family, query.dimension)
  if (path === undefined) throw new RangeError(`${query.family} has no table ${query.dimension}`)
  return { kind: 'table', answer: decode(path, text) }
}

/** What the specification says that holds where no sort is asked for. */
const byDefault: SortKey = { column: 1, direction: 'desc' }

/**
 * Learns from an answer what its service counts columns from: the only reading under which the rows stand in the
 * order that was asked for. Null where both readings fit, or neither.
 * @param standard the headers that a sort can name, the label's first
 * @param sort as it was sent; its first key tells
 */
export function firstColumnOf(
  table: Table,
  standard: readonly string[],
  sort: readonly SortKey[],
): FirstColumn | null {
  const { column, direction } = sort[0] ?? byDefault
  const fits = ([0, 1] as const).filter((first) => {
    const header = standard[column - first]
    const place = header === undefined ? -1 : table.headers.indexOf(header)
    return place >= 0 && standInOrder(table.rows, place, direction)
  })
  // One row, or rows that are all alike, stand in every order.
  return fits.length === 1 && table.rows.length > 1 ? (fits[0] ?? null) : null
}

/**
 * Whether rows may have been sorted by a column. The order of labels is left open, so any usual one will do; and so is
 * where null stands among counts, so rows without one are passed over.
 */
function standInOrder(rows: readonly TableRow[], place: number, direction: SortKey['direction']): boolean {
  const turn = direction === 'asc' ? 1 : -1
  if (place > 0) {
    const counts = rows.map(({ cells }) => cells[place - 1]).filter((cell) => typeof cell === 'number')
    return isSorted(counts, (one, other) => turn * (one - other))
  }
  const labels = rows.map(({ label }) => labelText(label))
  const letters = (one: string, other: string) => turn * order(one, other)
  return [labels, labels.map((label) => label.toLowerCase())].some((items) => isSorted(items, letters))
}

function isSorted<T>(values: readonly T[], compare: (one: T, other: T) => number): boolean {
  return values.every((value, index) => {
    const before = values[index - 1]
    return before === undefined || compare(before, value) <= 0
  })
}

const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
