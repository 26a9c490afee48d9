import { textList } from '#main/analytics/statement.ts'
import type { Bind } from '#main/analytics/statement.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { HistoryPath, TableId, Head, CountColumn } from '#main/analytics/history-layout.ts'
import type { Cell, TableRow, Totals } from '#shared/api/answers.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { byCodePoints } from '#shared/values/text.ts'
import { readHead } from '#main/analytics/history-layout.ts'
import { labels } from './staging.ts'
import { sumOfDays } from './totals.ts'

/**
 * Merges the column orders of several tables. Ambiguous positions are sorted by code points. Contradictory orders are merged
 * too.
 */
export function joinOrders(orders: readonly (readonly string[])[]): string[] {
  const before = new Map<string, Set<string>>()
  for (const order of orders) {
    for (const [place, header] of order.entries()) {
      const earlier = before.get(header) ?? new Set<string>()
      before.set(header, earlier)
      const previous = order[place - 1]
      if (previous !== undefined) earlier.add(previous)
    }
  }
  const waiting = [...before.keys()].sort(byCodePoints)
  const placed = new Set<string>()
  while (waiting.length > 0) {
    const free = waiting.findIndex((header) =>
      [...(before.get(header) ?? [])].every((value) => placed.has(value)),
    )
    const [next] = waiting.splice(Math.max(0, free), 1)
    if (next !== undefined) placed.add(next)
  }
  return [...placed]
}

/** Thrown if stored tables lack the rows that are needed. */
export class MissingFilesError extends Error {
  readonly tables: readonly TableId[]

  constructor(tables: readonly TableId[]) {
    super('Kept tables cannot be read')
    this.name = 'MissingFilesError'
    this.tables = tables
  }
}

/** Properties that determine how tables of a subject are summed. */
type SubjectKind = Pick<TableQuery, 'family' | 'dimension' | 'rules'>

/** A table with its parsed head and the absolute path of its file. */
export type LocatedTable = { readonly table: StoredTable; readonly head: Head; readonly place: string }

/** Number of cells, including labels, above which each thread would need tens of megabytes to sum the rows. */
const manyCells = 1_000_000

/** Whether tables are summed with one thread and in steps, because parallel threads would each hold all rows. */
export const isLarge = (read: readonly LocatedTable[]): boolean =>
  read.some(({ table, head }) => table.rows * (head.columns.length + labels.length) > manyCells)

/**
 * Whether tables are a single one in which no label repeats, so that its rows need no grouping. A table with repeated labels has a
 * doubt; a composed table may have a name that is also the label of its remainder.
 */
export function hasDistinctLabels(read: readonly LocatedTable[]): boolean {
  const [only, another] = read
  return !another && only?.table.doubt === null && only.head.plain && !only.head.composed
}

/** A column of a sum, in the order of an answer. */
export type SumColumn = {
  readonly header: string
  /** Name in statements. */
  readonly alias: string
  /** Whether cells may be texts: only if the sum is a single table. */
  readonly texts: boolean
}

/** The sum of whole tables of one subject, as SQL. */
export type Sum = {
  readonly labelHeader: string
  readonly columns: readonly SumColumn[]
  /** Whether every label is a text. */
  readonly plain: boolean
  /** Selects one row per label: `kind`, `label`, `id`, `name` and the columns; also `folded` if not plain. */
  readonly sql: string
  /** Selects the columns of all rows before they are summed. */
  readonly unsummed: string
  /** Sum of the aggregate rows; null if a table has none. */
  readonly all: TableRow | null
  readonly total: Totals
}

/**
 * Parses the heads of tables and sorts the tables by their days.
 * @param placeOf absolute path of a file
 * @throws MissingFilesError; RangeError without tables, or if two tables share a day
 */
export function readTables(
  tables: readonly StoredTable[],
  placeOf: (path: HistoryPath) => string,
): LocatedTable[] {
  if (tables.length === 0) throw new RangeError('There is nothing to compute from')
  const ordered = [...tables].sort((one, other) => (one.range.start < other.range.start ? -1 : 1))
  const read = ordered.map((table, place) => {
    const next = ordered[place + 1]
    if (next && next.range.start <= table.range.end)
      throw new RangeError(`Two tables have ${next.range.start} in common`)
    return { table, head: table.whole ? readHead(table.head) : undefined }
  })
  const missing = read.filter(({ head }) => head === undefined)
  if (missing.length > 0) throw new MissingFilesError(missing.map(({ table }) => table.id))
  return read.flatMap(({ table, head }) => (head ? { table, head, place: placeOf(table.file.path) } : []))
}

/**
 * Sums whole tables by row label and column header. A row is in the sum if it is in any table. Nulls are ignored; a sum of only
 * nulls is null.
 * @param only a condition that filters the rows of a plain table before they are summed
 */
export function sumOf(read: readonly LocatedTable[], kind: SubjectKind, bind: Bind, only = ''): Sum {
  const { columns, missing } = columnsOf(read, kind)
  const plain = read.every(({ head }) => head.plain)
  const parts = partsOf(read).map(({ head, files, filtered }) => {
    const cells = columns.map((column) => cellIn(head, column, missing))
    const label = plain ? 'label' : 'kind, label, label_id, folded, day'
    const days = filtered ? ` WHERE ${filtered(bind)}` : ''
    const where = only === '' ? days : `${days}${filtered ? ' AND' : ' WHERE'} ${only}`
    const list = bind(textList(files))
    return `SELECT ${[label, ...cells].join(', ')} FROM read_parquet(${list}::VARCHAR[], hive_partitioning = false)${where}`
  })
  const isDistinct = hasDistinctLabels(read)
  const sums = columns.flatMap(({ alias, texts }) => [
    isDistinct ? alias : `sum(${alias}) AS ${alias}`,
    ...(texts ? [isDistinct ? `${alias}_text` : `any_value(${alias}_text) AS ${alias}_text`] : []),
  ])
  const unsummed = parts.join(' UNION ALL ')
  const from = `FROM (${unsummed})`
  const sql = plain
    ? `SELECT 'text' AS kind, label, '' AS id, label AS name, ${sums.join(', ')}
       ${from}${isDistinct ? '' : ' GROUP BY label'}`
    : `SELECT *, CASE WHEN kind = 'instance' AND label = '' THEN id ELSE coalesce(label, 'All') END AS name FROM (
         SELECT kind, CASE kind WHEN 'text' THEN label WHEN 'instance' THEN label_id ELSE '' END AS id,
           arg_max_null(label, day) AS label, arg_max_null(folded, day) AS folded, ${sums.join(', ')}
         ${from} GROUP BY ALL)`
  return {
    labelHeader: read.at(-1)?.head.headers[0] ?? '',
    columns,
    plain,
    sql,
    unsummed,
    all: aggregateOf(read, columns, missing),
    total: sumOfDays(read.map(({ head }) => head.total)),
  }
}

/** Columns of a sum: those of the specification first, then the service's additional ones in a merged order. */
function columnsOf(read: readonly LocatedTable[], { family, dimension, rules }: SubjectKind) {
  const standard = headersOf(family, dimension).slice(1)
  const isOne = read.length === 1
  const usable = ({ header, texts, type }: CountColumn) =>
    isOne || standard.includes(header) || (!texts && type === 'integer')
  const stored = read.flatMap(({ head }) => head.columns)
  const odd = new Set(stored.filter((column) => !usable(column)).map(({ header }) => header))
  const known = new Set(stored.map(({ header }) => header))
  // A count that some days lack is left out, because its sum would be incomplete. A rule set that was not broken has no column.
  const isReported = (header: string) =>
    (rules && !standard.includes(header)) ||
    read.every(({ head }) => head.columns.some((column) => column.header === header))
  const orders = read.map(({ head }) =>
    head.columns.map(({ header }) => header).filter((header) => !standard.includes(header)),
  )
  const headers = [...standard.filter((header) => known.has(header)), ...joinOrders(orders)]
  const columns = headers
    .filter((header) => !odd.has(header) && isReported(header))
    .map((header, place): SumColumn => {
      const texts = isOne && stored.some((column) => column.header === header && column.texts)
      return { header, alias: `c${place}`, texts }
    })
  // A missing rule-set column means zero; any other missing column means unknown.
  const missing = (header: string) => (rules && !standard.includes(header) ? 0 : null)
  return { columns, missing }
}

/** Selects a column's number, or what a table without it says. */
function cellIn(
  head: Head,
  { header, alias, texts }: SumColumn,
  missing: (header: string) => 0 | null,
): string {
  const column = head.columns.find((storedColumn) => storedColumn.header === header)
  if (!column) return `${missing(header) === 0 ? '0' : 'NULL'}::DOUBLE AS ${alias}`
  const number = `"${column.name}"::DOUBLE AS ${alias}`
  return texts ? `${number}, "${column.name}_text" AS ${alias}_text` : number
}

type Part = {
  readonly head: Head
  readonly files: readonly string[]
  /** Condition on the days of a file; null if all its days are wanted. */
  readonly filtered: ((bind: Bind) => string) | null
}

/** Groups files with the same columns, which are read together. Files of which only some days are wanted are separate. */
function partsOf(read: readonly LocatedTable[]): Part[] {
  const files = new Map<string, LocatedTable[]>()
  for (const readTable of read) files.set(readTable.place, [...(files.get(readTable.place) ?? []), readTable])
  const parts: Part[] = []
  const together = new Map<string, { readonly head: Head; readonly files: string[] }>()
  for (const [place, tables] of files) {
    const [first] = tables
    if (!first) continue
    const { head, table } = first
    if (tables.length < table.file.tables) {
      const days = textList(tables.map((readTable) => readTable.table.range.start))
      parts.push({ head, files: [place], filtered: (bind) => `list_contains(${bind(days)}::DATE[], day)` })
      continue
    }
    const columns = JSON.stringify(head.columns)
    const known = together.get(columns) ?? { head, files: [] }
    known.files.push(place)
    together.set(columns, known)
  }
  return [...parts, ...[...together.values()].map((part) => ({ ...part, filtered: null }))]
}

/** SQL for the key of a row of `cellsOf` (src-shared/reports/rows.ts: labelKey). */
export const keySql = `CASE kind WHEN 'all' THEN 'all' ELSE kind || ' ' || key END`

/**
 * Selects the cells of all rows by day: kind, key, name, day, and the counts in the order of the headers.
 * @param missing what a table without a column says
 */
export function cellsOf(
  read: readonly LocatedTable[],
  headers: readonly string[],
  missing: 0 | null,
  bind: Bind,
): string {
  const parts = partsOf(read).map(({ head, files, filtered }) => {
    const cells = headers.map((header, nth) =>
      cellIn(head, { header, alias: `c${nth}`, texts: false }, () => missing),
    )
    const key = "CASE kind WHEN 'text' THEN label WHEN 'instance' THEN label_id ELSE '' END AS key"
    const list = bind(textList(files))
    return `SELECT ${['kind', key, 'label AS name', 'day', ...cells].join(', ')}
      FROM read_parquet(${list}::VARCHAR[], hive_partitioning = false)${filtered ? ` WHERE ${filtered(bind)}` : ''}`
  })
  return parts.join(' UNION ALL ')
}

/** Sum of the aggregate rows; null if a table has none. */
function aggregateOf(
  read: readonly LocatedTable[],
  columns: readonly SumColumn[],
  missing: (header: string) => 0 | null,
): TableRow | null {
  const rows = read.map(({ head }) => head.all)
  const last = rows.at(-1)
  if (!last || rows.some((row) => row === null)) return null
  const cells = columns.map(({ header, texts }): Cell => {
    const found = read.map(({ head }) => {
      const place = head.headers.indexOf(header)
      return place < 1 ? missing(header) : (head.all?.cells[place - 1] ?? null)
    })
    const [only] = found
    if (texts || (found.length === 1 && typeof only === 'string')) return only ?? null
    const numbers = found.filter((cell) => typeof cell === 'number')
    return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0)
  })
  return { label: last.label, cells }
}
