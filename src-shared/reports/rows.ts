import type { Cell, Table, TableAnswer, Count, Label, TableRow } from '../api/answers.ts'
import { headersOf } from '../api/dimensions.ts'
import type { Dimension, Family } from '../api/dimensions.ts'
import { instanceText } from '../api/instance-names.ts'
import type { TableQuery } from './query.ts'

/** Returns the header of a count's rate (field notes: additions to tables). */
export const rateHeader = (header: string): string => `${header} Rate`

/** Whether a header is the rate of another column of the table. */
export function isRate(header: string, headers: readonly string[]): boolean {
  return headers.some((value) => rateHeader(value) === header)
}

/** Whether a table includes rates from the service. */
export function hasRates({ headers }: Pick<Table, 'headers'>): boolean {
  const all = new Set(headers)
  return headers.some((header) => all.has(rateHeader(header)))
}

/**
 * Base of each count's rate by header, inferred from an account's answers. `unexplained`: no count of the table
 * explains the rates.
 */
export type RateBases = 'unexplained' | Readonly<Record<string, string>>

/** Default base of rates: Requests, or Responses if the dimension has no Requests. */
export const rateBase = (family: Family, dimension: Dimension): string =>
  headersOf(family, dimension)[1] ?? ''

/**
 * Returns a count as a share of another in percent, not rounded. Null if a count is unknown, the base is not
 * positive, or the count is negative.
 */
export function rateOf(count: Cell | undefined, base: Cell | undefined): number | null {
  if (typeof count !== 'number' || typeof base !== 'number' || !(count >= 0 && base > 0)) return null
  return (count * 100) / base
}

/** Converts a share between 0 and 1 to percent, without binary rounding noise. */
export const inPercent = (share: number | null): number | null =>
  share === null ? null : Number((share * 100).toPrecision(15))

/** Returns the base of a count's rate, among the counts of a dimension. */
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
 * Returns the base of a count's rate. Null if the rate is meaningless: always 100 %, of an unspecified count, or
 * unexplained by any count.
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

/** Returns the base of a count's rate; null without a meaningful rate. */
export type BaseOf = (header: string) => string | null

/** Returns the bases for all counts of a dimension. */
export const basesFor =
  (
    { family, dimension }: { readonly family: Family; readonly dimension: Dimension },
    bases: RateBases | null,
  ): BaseOf =>
  (header) =>
    shareBase(header, family, dimension, bases)

/** Returns the bases that an account's answers have shown. */
export const basesOf = (
  account: { readonly rateBases?: { readonly [F in Family]?: RateBases | undefined } } | null | undefined,
  query: { readonly family: Family; readonly dimension: Dimension },
): BaseOf => basesFor(query, account?.rateBases?.[query.family] ?? null)

/**
 * Returns the headers of meaningless rates: 100 % in every row.
 * @param rows the rows at hand
 * @param ratesBy the service's rates are rounded, so their 100 may be less than all
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
 * Adds the desk's rates to a table: a `"<Column> Rate"` after each count of the specification. Their base is Requests
 * (Responses for referrers), unless `bases` differs. For tables of summed counts without the service's rates.
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
  /** Index of the base of each column's rate; undefined without a rate. */
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

/** Removes the service's rates, because rates do not add up. */
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

/** Returns the maximum error of rates rounded to the service's number of decimals. */
const rounding = (rates: readonly number[]): number => {
  const decimals = Math.max(0, ...rates.map((rate) => String(rate).split('.')[1]?.length ?? 0))
  return 0.500_001 / 10 ** Math.min(2, decimals)
}

/**
 * Infers the bases of the service's rates from a table. For each count it tries the previous base, the default, and
 * then all counts. The first base that explains every rate wins.
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
    /** Returns how many rates a base explains; null if it contradicts one. */
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
    // The table lacks the previous base, so it proves nothing.
    if (known[header] !== undefined && under(likely) < 0) continue
    const offered = [likely, rateBase(family, dimension), ...headers].filter((value) => under(value) >= 0)
    const base =
      offered.find((value) => (explained(value) ?? 0) > 0) ?? (explained(likely) === 0 ? likely : undefined)
    if (base === undefined) return 'unexplained'
    bases[header] = base
  }
  return bases
}

/** Returns a row's label as text. */
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

/** Returns the key that identifies a row. Rows of different days with the same key are the same row. */
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

/** Returns the visible part of a row's key: its text, or the instance's id. */
export const keyText = (key: string): string => key.replace(/^(text|instance) /, '')

/** What the service's row for all covers in a search. The specification leaves it open, so answers decide. */
export const searchedAlls = ['everything', 'found'] as const
export type SearchedAll = (typeof searchedAlls)[number]

/** Maximum number of rows that a query excludes. */
export const maxLeftOut = 50

/** Rows above a table: the total of everything, and of the matching rows. Null if unknown. */
type Aggregates = {
  readonly all: TableRow | null
  /** May also be a total of which it is unknown which of the two it is. */
  readonly matching: TableRow | null
}

/** Whether a query excludes rows. */
export const isNarrowed = ({
  search,
  where,
  without,
}: Pick<TableQuery, 'search' | 'where' | 'without'>): boolean =>
  search !== null || where !== undefined || without !== undefined

/** Returns the label of the total of matching rows: `Found, 17 rows`. */
export const foundWords = (rows: number): string =>
  `Found, ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`

/** Sums the rows by column. Nulls are skipped; a sum of only nulls is null, as is the sum of a rate. */
export function sumOfRows({ headers, rows }: Pick<Table, 'headers' | 'rows'>): Cell[] {
  return headers.slice(1).map((header, place) => {
    if (isRate(header, headers)) return null
    return rows.reduce<Count>((sum, { cells }) => {
      const cell = cells[place]
      return typeof cell === 'number' ? (sum ?? 0) + cell : sum
    }, null)
  })
}

/** Returns the total row of the matching rows. */
export const foundRow = (rows: number, cells: readonly Cell[]): TableRow => ({
  label: { kind: 'text', text: foundWords(rows) },
  cells,
})

/** Label of the service's total if it is unknown whether it covers everything or the matching rows. */
export const asSentWords = 'Total as sent'

/** Whether a row is that unclassified total. */
export const isAsSent = ({ label }: TableRow): boolean => label.kind === 'text' && label.text === asSentWords

/**
 * Returns the rows above a page. In a search, the service's row for all covers everything or the matching rows.
 * @param trait which of the two it covers; null if unknown
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
    // The service's row also has rates.
    return { all: everything, matching: foundRow(results, all?.cells.every(isSum) ? all.cells : sums) }
  }
  if (all === null || trait === 'everything') return { all: everything, matching: null }
  if (trait === 'found') return { all: null, matching: foundRow(results, all.cells) }
  return { all: null, matching: { label: { kind: 'text', text: asSentWords }, cells: all.cells } }
}

/** Whether there are counts and all are zero. */
export function countsNothing(cells: Iterable<Cell>): boolean {
  const counts = [...cells].filter((cell) => typeof cell === 'number')
  return counts.length > 0 && counts.every((count) => count === 0)
}
