import { isRate } from '../../../src-shared/reports/rates.ts'
import type { TableQuery } from '../../../src-shared/reports/query.ts'
import type { Totals } from '../../../src-shared/service/answers.ts'
import { headersOf } from '../../../src-shared/service/dimensions.ts'
import type { DayRange } from '../../../src-shared/values/day.ts'
import { joinOrders } from './column-order.ts'
import { MergedColumn } from './merged-column.ts'
import type { Head } from './packed-head.ts'
import { packLabel } from './packed-rows.ts'
import type { UnpackedRows } from './packed-rows.ts'
import { aggregatePlace, RowsIndex } from './rows-index.ts'
import { sumOfTotals } from './totals.ts'

/** A kept table, read: whole where it has its rows. Pages are unpacked as they are walked through. */
export type ReadBlock = {
  readonly range: DayRange
  readonly head: Head
  readonly pages: Iterable<UnpackedRows>
}

/** What decides how tables of a subject add up. */
export type SubjectKind = Pick<TableQuery, 'family' | 'dimension' | 'rules'>

/** The sum of whole tables. Rows lie at places from 1 on; at place 0 lies the aggregate row. */
export type Merged = {
  readonly labelHeader: string
  readonly columns: readonly MergedColumn[]
  readonly index: RowsIndex
  /** Whether every table told its aggregate row. */
  readonly hasAll: boolean
  readonly total: Totals
  /** Each table's days and totals, by day. */
  readonly parts: readonly { readonly range: DayRange; readonly total: Totals }[]
}

/** Where the cells of a row of one block belong; undefined for rates, which never add up. */
type Columns = readonly (MergedColumn | undefined)[]

/**
 * Sums whole tables of one subject, row by row and column by column, both by name. A row stands in the sum where it stands
 * in any of them.
 * @throws RangeError where two of the blocks have a day in common, or there is none
 */
export function merge(unordered: readonly ReadBlock[], kind: SubjectKind): Merged {
  const blocks = inOrder(unordered)
  const standard = headersOf(kind.family, kind.dimension).slice(1)
  const index = new RowsIndex()
  const columns = new Map<string, MergedColumn>()
  const orders: string[][] = []

  const columnFor = (header: string): MergedColumn => {
    const known = columns.get(header)
    if (known) return known
    const isStandard = standard.includes(header)
    const made = new MergedColumn(header, isStandard)
    made.extend(index.size)
    // The tables before had no such column: that rule set was not broken in them.
    if (kind.rules && !isStandard && orders.length > 0) made.addZero(made.values.keys())
    columns.set(header, made)
    return made
  }

  const add = (rows: UnpackedRows, places: Int32Array, into: Columns) => {
    for (const column of columns.values()) column.extend(index.size)
    for (const [place, column] of into.entries()) {
      const figures = rows.columns[place]
      if (figures) column?.add(places, figures)
    }
    for (const [place, row, text] of rows.texts) into[place]?.setText(places[row] ?? 0, text)
    if (!kind.rules) return
    const given = new Set(into)
    for (const column of columns.values())
      if (!given.has(column) && !standard.includes(column.header)) column.addZero(places)
  }

  for (const { head, pages } of blocks) {
    const headers = head.headers.slice(1)
    const into = headers.map((header, place) =>
      isRate(header, head.headers) || headers.indexOf(header) !== place ? undefined : columnFor(header),
    )
    const all = aggregateOf(head)
    if (all) {
      index.labels[aggregatePlace] = all.labels[0] ?? [null]
      add(all, Int32Array.of(aggregatePlace), into)
    }
    for (const page of pages) {
      const places = Int32Array.from(page.labels, (label) => index.take(label))
      add(page, places, into)
    }
    orders.push(into.flatMap((column) => (column && !standard.includes(column.header) ? column.header : [])))
  }

  const ordered = [...standard, ...joinOrders(orders)].flatMap((header) => columns.get(header) ?? [])
  if (blocks.length > 1) for (const column of ordered) column.dropTexts()
  return {
    labelHeader: blocks.at(-1)?.head.headers[0] ?? '',
    columns: blocks.length > 1 ? ordered.filter(({ isOdd }) => !isOdd) : ordered,
    index,
    hasAll: blocks.every(({ head }) => head.all !== null),
    total: sumOfTotals(blocks.map(({ head }) => head.total)),
    parts: blocks.map(({ range, head }) => ({ range, total: head.total })),
  }
}

/** Blocks by their days. */
export function inOrder<B extends { readonly range: DayRange }>(blocks: readonly B[]): B[] {
  if (blocks.length === 0) throw new RangeError('There is nothing to compute from')
  const ordered = [...blocks].sort((one, other) => (one.range.start < other.range.start ? -1 : 1))
  for (const [place, { range }] of ordered.entries()) {
    const next = ordered[place + 1]
    if (next && next.range.start <= range.end)
      throw new RangeError(`Two tables have ${next.range.start} in common`)
  }
  return ordered
}

/** The aggregate row, as a page of one row. */
function aggregateOf({ all }: Head): UnpackedRows | undefined {
  if (!all) return undefined
  return {
    labels: [packLabel(all.label)],
    columns: all.cells.map((cell) => Float64Array.of(typeof cell === 'number' ? cell : Number.NaN)),
    texts: all.cells.flatMap((cell, column) =>
      typeof cell === 'string' ? [[column, 0, cell] as const] : [],
    ),
  }
}
