import type { Cell, Table, TableAnswer, Count, Label, TableRow } from '../api/answers.ts'
import { headersOf } from '../api/dimensions.ts'
import type { Dimension, Family } from '../api/dimensions.ts'
import { instanceText } from '../api/instance-names.ts'
import type { TableQuery } from './query.ts'

/** What a count's rate is called (field notes: additions to tables). */
export const rateHeader = (header: string): string => `${header} Rate`

/** Whether a header is that of a rate of another one of the same table. */
export function isRate(header: string, headers: readonly string[]): boolean {
  return headers.some((value) => rateHeader(value) === header)
}

/** Whether a table has rates that the service gave. */
export function hasRates({ headers }: Pick<Table, 'headers'>): boolean {
  const all = new Set(headers)
  return headers.some((header) => all.has(rateHeader(header)))
}

/**
 * What each count's rate is a share of, by header, as an account's service was seen to give them; `unexplained` where its
 * rates are shares of none of its counts.
 */
export type RateBases = 'unexplained' | Readonly<Record<string, string>>

/** What a family's rates are shares of unless its service shows otherwise: Requests, or Responses where a dimension has no Requests. */
export const rateBase = (family: Family, dimension: Dimension): string =>
  headersOf(family, dimension)[1] ?? ''

/**
 * The share of a count in another, in percent and never rounded: whoever writes it does that. Null where either is not known, there is
 * nothing to share, or the count is below zero.
 */
export function rateOf(count: Cell | undefined, base: Cell | undefined): number | null {
  if (typeof count !== 'number' || typeof base !== 'number' || !(count >= 0 && base > 0)) return null
  return (count * 100) / base
}

/** A share between 0 and 1 in percent, without what binary fractions add behind the last digit. */
export const inPercent = (share: number | null): number | null =>
  share === null ? null : Number((share * 100).toPrecision(15))

/** What the rate of a count is a share of, among the counts of a dimension. */
export function baseOf(
  header: string,
  family: Family,
  dimension: Dimension,
  bases: RateBases | null,
): string {
  const learnt = bases === null || bases === 'unexplained' ? undefined : bases[header]
  const offered = learnt !== undefined && headersOf(family, dimension).includes(learnt)
  return offered ? learnt : rateBase(family, dimension)
}

/**
 * What the rate of a count is a share of; null where it has none that says something: it would be 100 % of itself, nobody
 * specified the count, or the service's rates are shares of no count.
 */
export function shareBase(
  header: string,
  family: Family,
  dimension: Dimension,
  bases: RateBases | null,
): string | null {
  if (bases === 'unexplained' || !headersOf(family, dimension).includes(header, 1)) return null
  const base = baseOf(header, family, dimension, bases)
  return base === header ? null : base
}

/** Of which count the rate of another is a share; null where it has none that says something. */
export type BaseOf = (header: string) => string | null

/** The same for all counts of a dimension. */
export const basesFor =
  (
    { family, dimension }: { readonly family: Family; readonly dimension: Dimension },
    bases: RateBases | null,
  ): BaseOf =>
  (header) =>
    shareBase(header, family, dimension, bases)

/** The same as far as an account's service has shown it. */
export const basesOf = (
  account: { readonly rateBases?: { readonly [F in Family]?: RateBases | undefined } } | null | undefined,
  query: { readonly family: Family; readonly dimension: Dimension },
): BaseOf => basesFor(query, account?.rateBases?.[query.family] ?? null)

/**
 * The headers of rates that say nothing: those that are 100 % of all rows, and of each of them.
 * @param rows as many as are at hand
 * @param ratesBy who computed them: a service rounds, so that its 100 may be less than all
 */
export function emptyRates(
  { headers, all, rows }: Table,
  ratesBy: 'service' | 'desk' | 'nobody' = 'desk',
): ReadonlySet<string> {
  if (ratesBy === 'service') return new Set()
  const isFull = (cell: Cell | undefined) => cell !== null && cell !== undefined && Number(cell) === 100
  const cells = [...(all ? [all] : []), ...rows].map((row) => row.cells)
  return new Set(
    headers.filter((header, place) => {
      if (!isRate(header, headers)) return false
      const column = cells.map((cell) => cell[place - 1] ?? null)
      return column.some(isFull) && column.every((cell) => cell === null || isFull(cell))
    }),
  )
}

/**
 * A table with the desk's own rates: a `"<Column> Rate"` directly after each count of the specification, of Requests
 * (of Responses for referrers) unless `bases` say otherwise. For a table whose counts are summed already, and to which the service gave no rates.
 */
export function withRates(
  table: Table,
  family: Family,
  dimension: Dimension,
  bases: RateBases | null = null,
): Table {
  const counts = new Set(headersOf(family, dimension).slice(1))
  const headers = table.headers.flatMap((header, place) =>
    place > 0 && counts.has(header) ? [header, rateHeader(header)] : [header],
  )
  /** For each column where that stands of which its rate is a share; undefined where it has no rate. */
  const shares = table.headers
    .slice(1)
    .map((header) =>
      counts.has(header) ? table.headers.indexOf(baseOf(header, family, dimension, bases)) - 1 : undefined,
    )
  const cellsWith = (cells: readonly Cell[]): Cell[] =>
    cells.flatMap((cell, column) => {
      const base = shares[column]
      return base === undefined ? [cell] : [cell, rateOf(cell, cells[base])]
    })
  return {
    headers,
    all: table.all && { ...table.all, cells: cellsWith(table.all.cells) },
    rows: table.rows.map((row) => ({ ...row, cells: cellsWith(row.cells) })),
  }
}

/** An answer without the rates that the service gave: rates do not add up. */
export function withoutRates(answer: TableAnswer): TableAnswer {
  const { headers, all, rows } = answer.table
  const stays = headers.map((header) => !isRate(header, headers))
  if (stays.every(Boolean)) return answer
  const cellsOf = <C>(cells: readonly C[]) => cells.filter((_, column) => stays[column + 1])
  const table: Table = {
    headers: headers.filter((_, place) => stays[place]),
    all: all && { ...all, cells: cellsOf(all.cells) },
    rows: rows.map((row) => ({ ...row, cells: cellsOf(row.cells) })),
  }
  return { ...answer, table }
}

/** How far two shares may lie apart that are rounded to as many decimals as the service gives. */
const rounding = (rates: readonly number[]): number => {
  const decimals = Math.max(0, ...rates.map((rate) => String(rate).split('.')[1]?.length ?? 0))
  return 0.500_001 / 10 ** Math.min(2, decimals)
}

/**
 * Learns from a table with the service's own rates what they are shares of: for each count what was known before, the usual
 * one, or else the first of its counts that explains every rate.
 */
export function basesIn(
  table: Table,
  family: Family,
  dimension: Dimension,
  before: RateBases | null = null,
): RateBases {
  const headers = headersOf(family, dimension).slice(1)
  const rows = [...table.rows, ...(table.all ? [table.all] : [])].map(({ cells }) => cells)
  const under = (header: string) => table.headers.indexOf(header) - 1
  const numbers = (column: number) =>
    rows.map((cells) => cells[column]).map((cell) => (typeof cell === 'number' ? cell : null))
  const known = before === 'unexplained' ? {} : (before ?? {})
  const bases: Record<string, string> = { ...known }
  for (const header of headers) {
    const place = under(rateHeader(header))
    if (under(header) < 0 || place < 0) continue
    const counts = numbers(under(header))
    const rates = numbers(place)
    const roundings = rounding(rates.filter((rate) => rate !== null))
    /** How many rates a base explains; null where it contradicts one. */
    const explained = (base: string): number | null => {
      const denominators = numbers(under(base))
      let found = 0
      for (const [row, rate] of rates.entries()) {
        const [count = null, whole = null] = [counts[row], denominators[row]]
        if (rate === null || count === null || whole === null || whole === 0) continue
        if (Math.abs(rate - (count * 100) / whole) > roundings) return null
        found += 1
      }
      return found
    }
    const likely = known[header] ?? rateBase(family, dimension)
    // Of what this table does not count, it tells nothing.
    if (known[header] !== undefined && under(likely) < 0) continue
    const offered = [likely, rateBase(family, dimension), ...headers].filter((value) => under(value) >= 0)
    const base =
      offered.find((value) => (explained(value) ?? 0) > 0) ?? (explained(likely) === 0 ? likely : undefined)
    if (base === undefined) return 'unexplained'
    bases[header] = base
  }
  return bases
}

/** A row's name as people read it. */
export function labelText(label: Label): string {
  switch (label.kind) {
    case 'all':
      return label.name ?? 'All'
    case 'instance':
      return instanceText(label)
    case 'text':
      return label.text
  }
}

/** What tells rows apart: two rows with one key are the same row of different days. */
export function labelKey(label: Label): string {
  switch (label.kind) {
    case 'all':
      return 'all'
    case 'instance':
      return `instance ${label.id}`
    case 'text':
      return `text ${label.text}`
  }
}

/** What is read of a row's key: its text, or the instance's id. */
export const keyText = (key: string): string => key.replace(/^(text|instance) /, '')

/** What a service's row for all is about under a search: the specification leaves it open, so it is learnt. */
export const searchedAlls = ['everything', 'found'] as const
export type SearchedAll = (typeof searchedAlls)[number]

/** So many rows are left out of a table at most. */
export const maxLeftOut = 50

/** The rows that stand above a table's: everything, and what a search or limits found; null where that is not known. */
type Aggregates = {
  readonly all: TableRow | null
  /** Also a total of which it is not known which of both it is. */
  readonly matching: TableRow | null
}

/** Whether a query leaves rows out. */
export const isNarrowed = ({
  search,
  where,
  without,
}: Pick<TableQuery, 'search' | 'where' | 'without'>): boolean =>
  search !== null || where !== undefined || without !== undefined

/** What the row is called that adds up the rows that were found: `Found, 17 rows`. */
export const foundWords = (rows: number): string =>
  `Found, ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`

/** Adds rows up, count by count. Null stays out of sums; a sum of nothing but nulls is null. Rates do not add up. */
export function sumOfRows({ headers, rows }: Pick<Table, 'headers' | 'rows'>): Cell[] {
  return headers.slice(1).map((header, place) => {
    if (isRate(header, headers)) return null
    return rows.reduce<Count>((sum, { cells }) => {
      const cell = cells[place]
      return typeof cell === 'number' ? (sum ?? 0) + cell : sum
    }, null)
  })
}

/** The row that adds up the rows that were found. */
export const foundRow = (rows: number, cells: readonly Cell[]): TableRow => ({
  label: { kind: 'text', text: foundWords(rows) },
  cells,
})

/** What the service's total is called of which it is not known whether it is of everything or of what was found. */
export const asSentWords = 'Total as sent'

/** Whether a row is a total of which that is not known. */
export const isAsSent = ({ label }: TableRow): boolean => label.kind === 'text' && label.text === asSentWords

/**
 * The rows above a service's page: under a search its row for all is everything, or what was found.
 * @param trait which of both; null where that is not known yet
 */
export function aggregatesOf(
  query: Pick<TableQuery, 'search' | 'where' | 'without' | 'page'>,
  { table, query: { results } }: Pick<TableAnswer, 'table' | 'query'>,
  trait: SearchedAll | null,
): Aggregates {
  const { all, headers, rows } = table
  if (!isNarrowed(query)) return { all, matching: null }
  const everything = trait === 'everything' ? all : null
  if (query.page === 1 && rows.length === results) {
    const sums = sumOfRows(table)
    const isSum = (cell: Cell, place: number) =>
      isRate(headers[place + 1] ?? '', headers) || cell === sums[place]
    // The service's row has rates too.
    return { all: everything, matching: foundRow(results, all?.cells.every(isSum) ? all.cells : sums) }
  }
  if (all === null || trait === 'everything') return { all: everything, matching: null }
  if (trait === 'found') return { all: null, matching: foundRow(results, all.cells) }
  return { all: null, matching: { label: { kind: 'text', text: asSentWords }, cells: all.cells } }
}

/** Whether these are counts of which none counts anything. */
export function countsNothing(cells: Iterable<Cell>): boolean {
  const counts = [...cells].filter((cell) => typeof cell === 'number')
  return counts.length > 0 && counts.every((count) => count === 0)
}
