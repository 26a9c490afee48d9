import { textList } from '#main/analytics/statement.ts'
import type { Bind } from '#main/analytics/statement.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { HistoryPath, TableId, Head, StoredColumn } from '#main/analytics/history-layout.ts'
import type { Cell, TableRow, Totals } from '#shared/api/answers.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { byCodePoints } from '#shared/values/text.ts'
import { readHead } from '#main/analytics/history-layout.ts'
import { labels } from './staging.ts'
import { sumOfDays } from './totals.ts'

/**
 * One order for the columns of several tables that does not contradict any of theirs; where they leave it open, the
 * smaller header first. Tables that contradict each other get an order all the same.
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

/** Thrown where kept tables have no rows where rows are needed. */
export class MissingFilesError extends Error {
  readonly tables: readonly TableId[]

  constructor(tables: readonly TableId[]) {
    super('Kept tables cannot be read')
    this.name = 'MissingFilesError'
    this.tables = tables
  }
}

/** What decides how tables of a subject add up. */
type SubjectKind = Pick<TableQuery, 'family' | 'dimension' | 'rules'>

/** A table with its head read, and where its file lies on this machine. */
export type ReadTable = { readonly table: StoredTable; readonly head: Head; readonly place: string }

/** Cells of a table, labels among them, from which on each thread would take tens of megabytes to sum its rows. */
const manyCells = 1_000_000

/** Whether tables are better summed by one thread, and in steps: what threads sum side by side is held by each of them. */
export const isLarge = (read: readonly ReadTable[]): boolean =>
  read.some(({ table, head }) => table.rows * (head.columns.length + labels.length) > manyCells)

/** A column of a sum, in the order in which an answer has them. */
export type SumColumn = {
  readonly header: string
  /** What it is called in a statement. */
  readonly alias: string
  /** Whether its cells may be texts: only where one table is the sum. */
  readonly texts: boolean
}

/** The sum of whole tables of one subject, as a statement to go on from. */
export type Sum = {
  readonly labelHeader: string
  readonly columns: readonly SumColumn[]
  /** Whether every row is named by a text. */
  readonly plain: boolean
  /** Gives a row for each label: `kind`, `label`, `id`, `name`, and the columns; `folded` where it is not plain. */
  readonly sql: string
  /** Gives the rows of each table with the columns, as they are before they are summed. */
  readonly unsummed: string
  /** The aggregate row; null where a table has none. */
  readonly all: TableRow | null
  readonly total: Totals
}

/**
 * Tables with their heads, by their days.
 * @param placeOf where a file lies on this machine
 * @throws MissingFilesError, and RangeError where two have a day in common or there is none
 */
export function readTables(
  tables: readonly StoredTable[],
  placeOf: (path: HistoryPath) => string,
): ReadTable[] {
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
 * Sums whole tables, row by row and column by column, both by name. A row stands in the sum where it stands in any of
 * them. Nulls stay out of sums; a sum of nothing but nulls is null.
 * @param only a condition on the rows of a plain table, which may then be left out before they are summed
 */
export function sumOf(read: readonly ReadTable[], kind: SubjectKind, bind: Bind, only = ''): Sum {
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
  const sums = columns.flatMap(({ alias, texts }) => [
    `sum(${alias}) AS ${alias}`,
    ...(texts ? [`any_value(${alias}_text) AS ${alias}_text`] : []),
  ])
  const unsummed = parts.join(' UNION ALL ')
  const from = `FROM (${unsummed})`
  const sql = plain
    ? `SELECT 'text' AS kind, label, '' AS id, label AS name, ${sums.join(', ')}
       ${from} GROUP BY label`
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

/** The columns of a sum: those of the specification first, then what services added, in an order that fits all. */
function columnsOf(read: readonly ReadTable[], { family, dimension, rules }: SubjectKind) {
  const standard = headersOf(family, dimension).slice(1)
  const isOne = read.length === 1
  const usable = ({ header, texts, type }: StoredColumn) =>
    isOne || standard.includes(header) || (!texts && type === 'integer')
  const stored = read.flatMap(({ head }) => head.columns)
  const odd = new Set(stored.filter((column) => !usable(column)).map(({ header }) => header))
  const known = new Set(stored.map(({ header }) => header))
  // Of a count that some days lack, the sum would be that of a part of the days. A rule set that was not broken has no column.
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
  // A rule set without a column was not broken; whatever else a table has no column for is not known of it.
  const missing = (header: string) => (rules && !standard.includes(header) ? 0 : null)
  return { columns, missing }
}

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
  /** Says which days of a file are meant, where not all of it is. */
  readonly filtered: ((bind: Bind) => string) | null
}

/** Files that are read together: those of the same columns; and each by itself of which only some days are meant. */
function partsOf(read: readonly ReadTable[]): Part[] {
  const files = new Map<string, ReadTable[]>()
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

/** The sum of the aggregate rows; null where a table has none. */
function aggregateOf(
  read: readonly ReadTable[],
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
