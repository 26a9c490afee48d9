import type { Cell, Count, Label, Table, TableAnswer, TableRow } from '../api/answers.ts'
import { changeOf } from './change.ts'
import type { Change, Lengths } from './change.ts'
import type { TableQuery } from './query.ts'
import { isRate } from './rates.ts'
import type { BaseOf } from './rates.ts'

/** A row's name as people read it. An instance is called by its name, or by its id where it has none. */
export function labelText(label: Label): string {
  switch (label.kind) {
    case 'all':
      return label.name ?? 'All'
    case 'instance':
      return label.name === '' ? label.id : label.name
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
  readonly found: TableRow | null
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
  if (!isNarrowed(query)) return { all, found: null }
  const everything = trait === 'everything' ? all : null
  if (query.page === 1 && rows.length === results) {
    const sums = sumOfRows(table)
    const isSum = (cell: Cell, place: number) =>
      isRate(headers[place + 1] ?? '', headers) || cell === sums[place]
    // The service's row has rates too.
    return { all: everything, found: foundRow(results, all?.cells.every(isSum) ? all.cells : sums) }
  }
  if (all === null || trait === 'everything') return { all: everything, found: null }
  if (trait === 'found') return { all: null, found: foundRow(results, all.cells) }
  return { all: null, found: { label: { kind: 'text', text: asSentWords }, cells: all.cells } }
}

/** What stood in the rows of a table before. */
export type RowsBefore = {
  /** The cells of a row: null where there was no such row, undefined while that is not known. */
  readonly of: (row: TableRow) => readonly Cell[] | null | undefined
  /** Where a header stands among them; -1 where it does not. */
  readonly placeOf: (header: string) => number
  /** What is compared of a row under a header: its cell that is shown, or where other days are compared another. */
  readonly nowOf: (row: TableRow, header: string, shown: Cell | undefined) => Cell | undefined
  /** How many days either side is of; null while that is not known. */
  readonly lengths: Lengths | null
}

/** A figure of a table: `cells[place]` stands in it. */
export type TableFigure = { readonly header: string; readonly place: number }

/** A count that is compared, and what its rate is a share of; null where it has none that says something. */
export type ComparedFigure = { readonly count: TableFigure; readonly base: TableFigure | null }

/** A count of a table that is compared, by its header. */
export function comparedFigure(headers: readonly string[], header: string, baseOf: BaseOf): ComparedFigure {
  const figureOf = (wanted: string): TableFigure => ({
    header: wanted,
    place: headers.indexOf(wanted, 1) - 1,
  })
  const base = baseOf(header)
  return {
    count: figureOf(header),
    base: base !== null && headers.includes(base, 1) ? figureOf(base) : null,
  }
}

/** The changes of one row, by figure; undefined while they are not known. */
export type RowChanges = (figure: ComparedFigure) => Change | undefined

const waiting: RowChanges = () => undefined

/** How a row has changed. */
export function changesOf(row: TableRow, before: RowsBefore | null): RowChanges {
  const then = before?.of(row)
  if (!before || then === undefined) return waiting
  const nowAt = ({ header, place }: TableFigure) => before.nowOf(row, header, row.cells[place])
  const thenAt = ({ header }: TableFigure) => then?.[before.placeOf(header)]
  return ({ count, base }) =>
    changeOf(
      count.header,
      { count: nowAt(count), of: base ? nowAt(base) : null },
      then && { count: thenAt(count), of: base ? thenAt(base) : null },
      { lengths: before.lengths },
    )
}
