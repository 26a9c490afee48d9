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
import type { ReadTable, Sum } from './sums.ts'

/** With what rows are compared; `now` where that is not what is shown, because other days are compared. */
export type ComparedSums = Pick<ComparedTables, 'lengths'> & {
  readonly now: readonly ReadTable[] | null
  readonly before: readonly ReadTable[]
}

/** What a row is known by among those of its kind. */
export const keyIn = (prefix: string) =>
  `CASE ${prefix}kind WHEN 'text' THEN ${prefix}label ELSE ${prefix}id END`

/** A statement for some counts of each row, called `letter` and their place; null where a header is not there. */
export function countsOf(
  read: readonly ReadTable[],
  query: TableQuery,
  headers: readonly string[],
  letter: string,
  bind: Bind,
): string {
  const sum = sumOf(read, query, bind)
  const counts = headers.map((header, place) => {
    const column = sum.columns.find((sumColumn) => sumColumn.header === header)
    // A rule set that nobody broke has no column.
    const isRuleSet = query.rules && !headersOf(query.family, query.dimension).includes(header)
    const count = column?.alias ?? (isRuleSet && header !== sum.labelHeader ? '0::DOUBLE' : 'NULL::DOUBLE')
    return `${count} AS ${letter}${place}`
  })
  return `SELECT kind, label, id, name, ${[...counts, `${keyIn('')} AS key`].join(', ')} FROM (${sum.sql})`
}

/** A rate in percent, never rounded (src-shared/reports/rows.ts: rateOf). */
export const rateIn = (count: string, base: string): string =>
  `(CASE WHEN ${count} >= 0 AND ${base} > 0 THEN ${count} * 100 / ${base} END)`

/** The difference of two rates in percentage points. */
export const pointsIn = (now: readonly [string, string], before: readonly [string, string]): string =>
  `${rateIn(...now)} - ${rateIn(...before)}`

/** By how much a count has changed; per day where either side is of another number of days. */
export const differenceOf = (now: string, before: string, lengths: Lengths): string =>
  isPerDay(lengths)
    ? `${now} / ${lengths.now}::DOUBLE - ${before} / ${lengths.before}::DOUBLE`
    : `${now} - ${before}`

/**
 * The rows that are left by limits of figures, and the order in which they stand.
 * @param searched a statement for the rows of `sum`, or some of them
 */
export function rankedRows(
  searched: string,
  sum: Sum,
  query: TableQuery,
  bases: RateBases | null,
  compared: ComparedSums | null,
  bind: Bind,
): { readonly sql: string; readonly order: string } {
  const ranking = new Ranking(sum, query, bases, compared?.lengths ?? null)
  const order = ranking.order()
  const where = ranking.where(bind)
  const joined = compared ? ranking.joined(searched, compared, bind) : searched
  return { sql: where === '' ? joined : `SELECT * FROM (${joined}) WHERE ${where}`, order }
}

class Ranking {
  readonly #sum: Sum
  readonly #query: TableQuery
  readonly #bases: RateBases | null
  /** Of how many days both sides are; null where nothing is compared. */
  readonly #lengths: Lengths | null
  /** The counts that are compared, in the order in which they are joined. */
  readonly #compared: string[] = []

  constructor(sum: Sum, query: TableQuery, bases: RateBases | null, lengths: Lengths | null) {
    this.#sum = sum
    this.#query = query
    this.#bases = bases
    this.#lengths = lengths
  }

  /**
   * By up to three keys; ties by label, ascending. A key for a column that is not there is passed over; with none left the
   * usual sort holds. Null lies below every count, texts above.
   */
  order(): string {
    const { sort, family, dimension } = this.#query
    const keysFor = (keys: readonly ColumnSort[]) => keys.flatMap((key) => this.#keyFor(key) ?? [])
    const requested = keysFor(sort)
    const keys = requested.length > 0 ? requested : keysFor([usualSort(family, dimension)])
    return [...keys, 'name', 'id'].join(', ')
  }

  /** What has to hold of a row; nothing where all are left in. No figure is neither much nor little. */
  where(bind: Bind): string {
    return (this.#query.where ?? [])
      .flatMap(({ header, is, value }) => {
        const figure = this.#figure(header)
        return figure === undefined ? [] : [`${figure} ${is === 'at-least' ? '>=' : '<='} ${bind(value)}`]
      })
      .join(' AND ')
  }

  /** Rows with the counts that are compared beside them: of now `n0`, `n1` and so on, of before `b0`. */
  joined(searched: string, { now, before }: ComparedSums, bind: Bind): string {
    const headers = this.#compared
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
      ? `LEFT JOIN (${countsOf(now, this.#query, headers, 'n', bind)}) same ON ${side('same')}`
      : ''
    return `SELECT shown.*, ${[...earlier, ...nows.map((count, place) => `${count} AS n${place}`)].join(', ')}
      FROM (${searched}) shown
      LEFT JOIN (${countsOf(before, this.#query, headers, 'b', bind)}) earlier ON ${side('earlier')} ${same}`
  }

  #keyFor({ header, direction }: ColumnSort): string | undefined {
    const turn = direction === 'asc' ? 'ASC NULLS FIRST' : 'DESC NULLS LAST'
    const [label] = headersOf(this.#query.family, this.#query.dimension)
    if (header === label || header === this.#sum.labelHeader) return `name ${turn}`
    const column = this.#column(header)
    if (column?.texts) {
      const rank = `CASE WHEN ${column.alias}_text IS NOT NULL THEN 2 WHEN ${column.alias} IS NOT NULL THEN 1 ELSE 0 END`
      return [rank, column.alias, `${column.alias}_text`].map((key) => `${key} ${turn}`).join(', ')
    }
    if (!column && this.#rated(header) !== undefined && !this.#query.rates) return undefined
    const figure = this.#figure(header)
    return figure === undefined
      ? undefined
      : `${figure} ${turn === 'ASC NULLS FIRST' ? this.#upward(header) : turn}`
  }

  /** A change that is not known is no fall: it stands last, whichever way. */
  #upward(header: string): string {
    return this.#column(header) || changedHeader(header) === null ? 'ASC NULLS FIRST' : 'ASC NULLS LAST'
  }

  #column(header: string) {
    return this.#sum.columns.find((column) => column.header === header)
  }

  /** The count whose rate a header names. */
  #rated(header: string): string | undefined {
    const [, ...counts] = headersOf(this.#query.family, this.#query.dimension)
    return counts.find((count) => rateHeader(count) === header && this.#column(count))
  }

  /** What stands under a header, as an expression; undefined where nobody can tell. */
  #figure(header: string): string | undefined {
    const column = this.#column(header)
    if (column) return column.alias
    const { family, dimension } = this.#query
    const rated = this.#rated(header)
    if (rated !== undefined) {
      const [count, base] = [this.#column(rated), this.#column(baseOf(rated, family, dimension, this.#bases))]
      return count && base ? rateIn(count.alias, base.alias) : 'NULL'
    }
    const changed = changedHeader(header)
    return changed === null || !this.#lengths ? undefined : this.#change(changed, this.#lengths)
  }

  #change(header: string, lengths: Lengths): string | undefined {
    const rated = this.#rated(header)
    if (rated === undefined) {
      if (!this.#column(header)) return undefined
      const place = this.#join(header)
      return `(${differenceOf(`n${place}`, `b${place}`, lengths)})`
    }
    const base = shareBase(rated, this.#query.family, this.#query.dimension, this.#bases)
    if (base === null) return 'NULL'
    const [count, of] = [this.#join(rated), this.#join(base)]
    const points = pointsIn([`n${count}`, `n${of}`], [`b${count}`, `b${of}`])
    const min = this.#query.where?.find((limit) => limit.header === base && limit.is === 'at-least')?.value
    // A share of few says little: neither side may be less than what is asked of the rows.
    return min === undefined
      ? `(${points})`
      : `CASE WHEN least(n${of}, b${of}) >= ${Number(min)}::DOUBLE THEN ${points} END`
  }

  #join(header: string): number {
    const known = this.#compared.indexOf(header)
    return known >= 0 ? known : this.#compared.push(header) - 1
  }
}
