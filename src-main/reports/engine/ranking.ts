import { isPerDay } from '#shared/reports/change.ts'
import { changedHeader, usualSort } from '#shared/reports/query.ts'
import type { Lengths } from '#shared/reports/change.ts'
import type { ColumnSort, TableQuery } from '#shared/reports/query.ts'
import { baseOf, rateHeader, shareBase } from '#shared/reports/rows.ts'
import type { RateBases } from '#shared/reports/rows.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import type { ComparedTables } from './table-calls.ts'
import { sumOf } from './sums.ts'
import type { Bind } from '#main/analytics/statement.ts'
import type { LocatedTable, Sum } from './sums.ts'

/** Tables to compare rows with. `now` is null if the compared days are the days shown. */
export type ComparedSums = Pick<ComparedTables, 'lengths'> & {
  readonly now: readonly LocatedTable[] | null
  readonly before: readonly LocatedTable[]
}

/** SQL for the key of a row, unique per kind. */
export const keyIn = (prefix: string) =>
  `CASE ${prefix}kind WHEN 'text' THEN ${prefix}label ELSE ${prefix}id END`

/** Statement for some counts of each row, named `letter` plus index; null for a missing header. */
export function countsOf(
  read: readonly LocatedTable[],
  query: TableQuery,
  headers: readonly string[],
  letter: string,
  bind: Bind,
): string {
  const sum = sumOf(read, query, bind)
  const counts = headers.map((header, place) => {
    const column = sum.columns.find((sumColumn) => sumColumn.header === header)
    // A rule set that was not broken has no column.
    const isRuleSet = query.rules && !headersOf(query.family, query.dimension).includes(header)
    const count = column?.alias ?? (isRuleSet && header !== sum.labelHeader ? '0::DOUBLE' : 'NULL::DOUBLE')
    return `${count} AS ${letter}${place}`
  })
  return `SELECT kind, label, id, name, ${[...counts, `${keyIn('')} AS key`].join(', ')} FROM (${sum.sql})`
}

/** SQL for a rate in percent, not rounded (src-shared/reports/rows.ts: rateOf). */
export const rateIn = (count: string, base: string): string =>
  `(CASE WHEN ${count} >= 0 AND ${base} > 0 THEN ${count} * 100 / ${base} END)`

/** SQL for the difference of two rates in percentage points. */
export const pointsIn = (now: readonly [string, string], before: readonly [string, string]): string =>
  `${rateIn(...now)} - ${rateIn(...before)}`

/** SQL for the change of a count, per day if the sides have different numbers of days. */
export const differenceOf = (now: string, before: string, lengths: Lengths): string =>
  isPerDay(lengths)
    ? `${now} / ${lengths.now}::DOUBLE - ${before} / ${lengths.before}::DOUBLE`
    : `${now} - ${before}`

/** Rows of a query, and what its sort and limits refer to. */
type RowsToRank = {
  readonly sum: Sum
  readonly query: TableQuery
  readonly bases: RateBases | null
  readonly compared: ComparedSums | null
}

/**
 * Returns the rows that pass the limits of figures, and their order.
 * @param searched a statement for the rows of `sum`, or some of them
 */
export function rankedRows(
  rows: RowsToRank,
  searched: string,
  bind: Bind,
): { readonly sql: string; readonly order: string } {
  const { compared } = rows
  const ranking = new Ranking(rows)
  const order = ranking.order()
  const where = ranking.where(bind)
  const joined = compared ? ranking.joined(searched, compared, bind) : searched
  return { sql: where === '' ? joined : `SELECT * FROM (${joined}) WHERE ${where}`, order }
}

class Ranking {
  readonly #rows: RowsToRank
  /** Headers of the compared counts, in the order of their joined columns. */
  readonly #comparedHeaders: string[] = []

  constructor(rows: RowsToRank) {
    this.#rows = rows
  }

  /**
   * Up to three keys, then the label. Keys of missing columns are skipped; without any, the usual sort is used. Null sorts
   * below counts, text above.
   */
  order(): string {
    const { sort, family, dimension } = this.#rows.query
    const keysFor = (keys: readonly ColumnSort[]) => keys.flatMap((key) => this.#keyFor(key) ?? [])
    const requested = keysFor(sort)
    const keys = requested.length > 0 ? requested : keysFor([usualSort(family, dimension)])
    return [...keys, 'name', 'id'].join(', ')
  }

  /** Condition on rows; empty without limits. A null figure fails every limit. */
  where(bind: Bind): string {
    return (this.#rows.query.where ?? [])
      .flatMap(({ header, is, value }) => {
        const figure = this.#figure(header)
        return figure === undefined ? [] : [`${figure} ${is === 'at-least' ? '>=' : '<='} ${bind(value)}`]
      })
      .join(' AND ')
  }

  /** Rows joined with the compared counts: `n0`, `n1` and so on of now, `b0` and so on of before. */
  joined(searched: string, { now, before }: ComparedSums, bind: Bind): string {
    const headers = this.#comparedHeaders
    if (headers.length === 0) return searched
    const side = (name: string) => `${name}.kind = shown.kind AND ${name}.key = ${keyIn('shown.')}`
    const there = (name: string, letter: string) =>
      headers.map((_, place) => `CASE WHEN ${name}.kind IS NULL THEN 0 ELSE ${name}.${letter}${place} END`)
    const earlier = there('earlier', 'b').map((count, place) => `${count} AS b${place}`)
    const nows = now
      ? there('same', 'n')
      : headers
          .map((header) => this.#column(header)?.alias ?? 'NULL')
          .map((alias) => (alias === 'NULL' ? alias : `shown.${alias}`))
    const same = now
      ? `LEFT JOIN (${countsOf(now, this.#rows.query, headers, 'n', bind)}) same ON ${side('same')}`
      : ''
    return `SELECT shown.*, ${[...earlier, ...nows.map((count, place) => `${count} AS n${place}`)].join(', ')}
      FROM (${searched}) shown
      LEFT JOIN (${countsOf(before, this.#rows.query, headers, 'b', bind)}) earlier ON ${side('earlier')} ${same}`
  }

  #keyFor({ header, direction }: ColumnSort): string | undefined {
    const turn = direction === 'asc' ? 'ASC NULLS FIRST' : 'DESC NULLS LAST'
    const [label] = headersOf(this.#rows.query.family, this.#rows.query.dimension)
    if (header === label || header === this.#rows.sum.labelHeader) return `name ${turn}`
    const column = this.#column(header)
    if (column?.texts) {
      const rank = `CASE WHEN ${column.alias}_text IS NOT NULL THEN 2 WHEN ${column.alias} IS NOT NULL THEN 1 ELSE 0 END`
      return [rank, column.alias, `${column.alias}_text`].map((key) => `${key} ${turn}`).join(', ')
    }
    if (!column && this.#rated(header) !== undefined && !this.#rows.query.rates) return undefined
    const figure = this.#figure(header)
    return figure === undefined
      ? undefined
      : `${figure} ${turn === 'ASC NULLS FIRST' ? this.#upward(header) : turn}`
  }

  /** An unknown change is not a decrease: it sorts last in both directions. */
  #upward(header: string): string {
    return this.#column(header) || changedHeader(header) === null ? 'ASC NULLS FIRST' : 'ASC NULLS LAST'
  }

  #column(header: string) {
    return this.#rows.sum.columns.find((column) => column.header === header)
  }

  /** The count whose rate a header names. */
  #rated(header: string): string | undefined {
    const [, ...counts] = headersOf(this.#rows.query.family, this.#rows.query.dimension)
    return counts.find((count) => rateHeader(count) === header && this.#column(count))
  }

  /** SQL for the figure under a header; undefined if it cannot be computed. */
  #figure(header: string): string | undefined {
    const column = this.#column(header)
    if (column) return column.alias
    const { family, dimension } = this.#rows.query
    const rated = this.#rated(header)
    if (rated !== undefined) {
      const [count, base] = [
        this.#column(rated),
        this.#column(baseOf(rated, family, dimension, this.#rows.bases)),
      ]
      return count && base ? rateIn(count.alias, base.alias) : 'NULL'
    }
    const changed = changedHeader(header)
    const lengths = this.#rows.compared?.lengths
    return changed === null || !lengths ? undefined : this.#change(changed, lengths)
  }

  #change(header: string, lengths: Lengths): string | undefined {
    const rated = this.#rated(header)
    if (rated === undefined) {
      if (!this.#column(header)) return undefined
      const place = this.#join(header)
      return `(${differenceOf(`n${place}`, `b${place}`, lengths)})`
    }
    const base = shareBase(rated, this.#rows.query.family, this.#rows.query.dimension, this.#rows.bases)
    if (base === null) return 'NULL'
    const [count, of] = [this.#join(rated), this.#join(base)]
    const points = pointsIn([`n${count}`, `n${of}`], [`b${count}`, `b${of}`])
    const min = this.#rows.query.where?.find(
      (limit) => limit.header === base && limit.is === 'at-least',
    )?.value
    // A rate of a small volume means little, so both sides must reach the minimum that the query sets for the base.
    return min === undefined
      ? `(${points})`
      : `CASE WHEN least(n${of}, b${of}) >= ${Number(min)}::DOUBLE THEN ${points} END`
  }

  #join(header: string): number {
    const known = this.#comparedHeaders.indexOf(header)
    return known >= 0 ? known : this.#comparedHeaders.push(header) - 1
  }
}
