import type { RowsOfLabels } from '../../../src-shared/reports/answer.ts'
import type { TableQuery } from '../../../src-shared/reports/query.ts'
import { withRates } from '../../../src-shared/reports/rates.ts'
import type { Cell, Table, TableAnswer, TableRow } from '../../../src-shared/service/answers.ts'
import type { Merged, ReadBlock, SubjectKind } from './merge.ts'
import { merge } from './merge.ts'
import { namesOf, orderOf, ranksOf } from './order-rows.ts'
import { unpackLabel } from './packed-rows.ts'
import { Recent } from './recent.ts'
import { aggregatePlace } from './rows-index.ts'
import { chartOf } from './totals.ts'

/** How many orders of one table are remembered: those of the last sorts and searches. */
const ordersRemembered = 8

/** A sum of whole tables that answers queries. What a page took to find is remembered for the next page. */
export class SummedTable {
  readonly #merged: Merged
  readonly #orders = new Recent<Uint32Array>(ordersRemembered)
  #names: string[] | undefined
  #ranks: Uint32Array | undefined

  /** @throws what merge throws, and what walking through the pages throws */
  constructor(blocks: readonly ReadBlock[], kind: SubjectKind) {
    this.#merged = merge(blocks, kind)
  }

  get merged(): Merged {
    return this.#merged
  }

  /** About how many bytes it takes: labels are half a hundred letters or less. */
  get weight(): number {
    const { index, columns } = this.#merged
    return index.size * (200 + columns.length * 8)
  }

  /** What each row is called, by place. */
  get names(): readonly string[] {
    return (this.#names ??= namesOf(this.#merged))
  }

  /** Answers as the service would (specification: direct and script reporting endpoints). */
  answer(query: TableQuery): TableAnswer {
    const { total, parts } = this.#merged
    const order = this.#order(query)
    const places = order.subarray((query.page - 1) * query.limit, query.page * query.limit)
    return {
      total,
      table: this.#table(
        query,
        Array.from(places, (place) => this.#row(place)),
      ),
      chart:
        query.chart && parts.every(({ range }) => range.start === range.end)
          ? chartOf(parts, query.family, query.dimension)
          : null,
      query: { results: order.length, pages: Math.ceil(order.length / query.limit), echo: {} },
      unknown: {},
    }
  }

  /** The rows of these labels, with the columns that an answer to the query has. */
  rowsOf(query: TableQuery, labels: readonly string[]): RowsOfLabels {
    const places = labels.map((label) => this.#merged.index.placeOf(label))
    const found = places.flatMap((place) => (place === undefined ? [] : this.#row(place)))
    const { headers, all, rows } = this.#table(query, found)
    const cells = rows.values()
    return {
      headers,
      all: all && all.cells,
      rows: places.map((place) => (place === undefined ? null : (cells.next().value?.cells ?? null))),
    }
  }

  #table(query: TableQuery, rows: readonly TableRow[]): Table {
    const { labelHeader, columns, hasAll } = this.#merged
    const table: Table = {
      headers: [labelHeader, ...columns.map(({ header }) => header)],
      all: hasAll ? this.#row(aggregatePlace) : null,
      rows,
    }
    return query.rates ? withRates(table, query.family, query.dimension) : table
  }

  #row(place: number): TableRow {
    const { index, columns } = this.#merged
    const cells: Cell[] = columns.map((column) => column.cell(place))
    return { label: unpackLabel(index.labels[place] ?? [null]), cells }
  }

  #order(query: TableQuery): Uint32Array {
    const { search, startsWith, sort, rates } = query
    return this.#orders.take(JSON.stringify([search, startsWith, sort, rates]), () => {
      this.#ranks ??= ranksOf(this.names)
      return orderOf(this.#merged, query, this.names, this.#ranks)
    })
  }
}
