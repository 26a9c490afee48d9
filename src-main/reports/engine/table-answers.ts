import type { RowsOfLabels } from '#shared/reports/answer.ts'
import { labelKey, foundRow, withRates } from '#shared/reports/rows.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { RateBases } from '#shared/reports/rows.ts'
import type { Cell, Chart, Label, Table, TableAnswer, TableRow } from '#shared/api/answers.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { Narrowed } from './table-calls.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import { numberFrom, searchableSql, Statement, textFrom, textList } from '#main/analytics/statement.ts'
import type { Bind, Value } from '#main/analytics/statement.ts'
import { rankedRows } from './ranking.ts'
import type { ComparedSums } from './ranking.ts'
import { isLarge, sumOf } from './sums.ts'
import type { LocatedTable, Sum } from './sums.ts'
import { chartOf } from './totals.ts'

/** Finds the rows of a page. */
type FindPage = (
  database: EngineDatabase,
  rows: FoundRows,
  query: TableQuery,
  wanted: { readonly sums: boolean },
) => Promise<FoundPage>

/** The rows of a page, with the number and the sums of all rows of the query. */
type FoundPage = {
  readonly columns: Columns
  readonly results: number
  /** By column; empty if not requested. */
  readonly sums: readonly (number | null)[]
}

/** Computes the answer that the service would give (specification: direct and script reporting endpoints). */
export async function tableFrom(...params: PageParams): Promise<TableAnswer> {
  return (await pageFrom(params, { sums: false })).answer
}

/** Computes an answer, and the sum of the rows that match a search or limits. */
export async function narrowedFrom(...params: PageParams): Promise<Narrowed> {
  const { answer, sum, sums } = await pageFrom(params, { sums: true })
  const [, , query, bases] = params
  const row = foundRow(answer.query.results, sums)
  return { answer, foundTotal: tableOf(sum, query, bases, [row]).rows[0] ?? row }
}

type PageParams = [
  database: EngineDatabase,
  read: readonly LocatedTable[],
  query: TableQuery,
  bases: RateBases | null,
  compared?: ComparedSums | null,
  find?: FindPage,
]

async function pageFrom(
  [
    database,
    read,
    query,
    bases,
    compared = null,
    find = isLarge(read) ? inSteps : inOneStatement,
  ]: PageParams,
  wanted: { readonly sums: boolean },
): Promise<{ readonly answer: TableAnswer; readonly sum: Sum; readonly sums: readonly (number | null)[] }> {
  const found = rowsFound(read, query, bases, compared, new Statement())
  const { columns, results, sums } = await find(database, found, query, wanted)
  const { sum } = found
  return {
    answer: {
      total: sum.total,
      table: tableOf(sum, query, bases, rowsFrom(sum, columns)),
      chart: query.chart ? dailyChart(read, query) : null,
      query: { results, pages: Math.ceil(results / query.limit), echo: {} },
      unknown: {},
    },
    sum,
    // There is nothing to sum.
    sums: results === 0 ? [] : sums,
  }
}

const firstOf = ({ page, limit }: TableQuery): number => (page - 1) * limit
const sumsIn = ({ columns }: Sum): string[] => columns.map(({ alias }) => `sum(${alias})`)

/** Finds a page with one statement, which holds all figures of every row in memory. */
export const inOneStatement: FindPage = async (
  database,
  { sum, select, order, statement },
  query,
  wanted,
) => {
  const first = firstOf(query)
  const overAll = ['count(*)', ...(wanted.sums ? sumsIn(sum) : [])]
  const windows = overAll.map((value) => `${value} OVER ()`)
  const rows = `SELECT ${[...rowColumns(sum), ...windows].join(', ')} FROM (${select})
    ORDER BY ${order} LIMIT ${statement.bind(query.limit)} OFFSET ${statement.bind(first)}`
  const columns = await database.columns(rows, statement.bound)
  const isEmpty = (columns[0]?.length ?? 0) === 0
  // A page after the last one has no row with the sums of all rows.
  const [counts, ...sums] =
    isEmpty && first > 0
      ? await database.columns(`SELECT ${overAll.join(', ')} FROM (${select})`, statement.bound)
      : columns.slice(-overAll.length)
  return { columns, results: Number(counts?.[0] ?? 0), sums: sums.map((items) => numberFrom(items?.[0])) }
}

/**
 * Finds a page in four statements: the number of rows, their sums, the labels on the page, and the figures of these labels.
 * Each holds only the columns it needs, so that millions of rows fit in memory. One statement would spill to disk several
 * times.
 */
export const inSteps: FindPage = async (database, rows, query, wanted) => {
  const { sum, select, order, statement, isAll } = rows
  const [count] = await database.columns(`SELECT count(*) FROM (${select})`, statement.bound)
  // The sums need no grouping by row, unless the query excludes rows.
  const summed = `SELECT ${sumsIn(sum).join(', ')} FROM (${isAll ? sum.unsummed : select})`
  const sums = wanted.sums && sum.columns.length > 0 ? await database.columns(summed, statement.bound) : []
  const named = `SELECT kind, label, id FROM (${select})
    ORDER BY ${order} LIMIT ${statement.bind(query.limit)} OFFSET ${statement.bind(firstOf(query))}`
  const [kinds = [], names = [], ids = []] = await database.columns(named, statement.bound)
  const keys = kinds.map((kind, nth) => labelKey(labelFrom(kind, names[nth] ?? null, ids[nth] ?? null)))
  const place = `list_position(${statement.bind(textList(keys))}::VARCHAR[], ${keyOfRow})`
  const figures = `SELECT ${rowColumns(sum).join(', ')} FROM (${sum.sql})
    WHERE ${isOneOf(keys, statement.bind)} ORDER BY ${place}`
  const columns = keys.length === 0 ? [] : await database.columns(figures, statement.bound)
  return { columns, results: Number(count?.[0] ?? 0), sums: sums.map((items) => numberFrom(items[0])) }
}

/** Statements for the rows of a query, and their order. */
type FoundRows = {
  readonly sum: Sum
  readonly select: string
  readonly order: string
  /** Collects the bound values. */
  readonly statement: Statement
  /** Whether the query excludes no row of `sum`. */
  readonly isAll: boolean
}

export function rowsFound(
  read: readonly LocatedTable[],
  query: TableQuery,
  bases: RateBases | null,
  compared: ComparedSums | null,
  statement: Statement,
): FoundRows {
  const { bind } = statement
  const plain = read.every(({ head }) => head.plain)
  const folded = read.some(({ head }) => head.folded ?? true)
  const met = query.search === null ? '' : isMet(query, { name: plain ? 'label' : 'name', folded }, bind)
  const sum = sumOf(read, query, bind, plain ? met : '')
  const conditions = [
    ...(plain || met === '' ? [] : [met]),
    ...(query.without ? [`NOT ${isOneOf(query.without, bind)}`] : []),
  ]
  const searched =
    conditions.length === 0 ? sum.sql : `SELECT * FROM (${sum.sql}) WHERE ${conditions.join(' AND ')}`
  const ranked = rankedRows({ sum, query, bases, compared }, searched, bind)
  const isAll = conditions.length === 0 && (query.where ?? []).length === 0
  return { sum, select: ranked.sql, order: ranked.order, statement, isAll }
}

/** Chart of tables of single days, from their totals; null if a table has several days. */
function dailyChart(read: readonly LocatedTable[], { family, dimension }: TableQuery): Chart | null {
  const parts = read.map(({ table, head }) => ({ range: table.range, total: head.total }))
  const daily = parts.every(({ range }) => range.start === range.end)
  return daily ? chartOf(parts, family, dimension) : null
}

/** Returns the rows of these labels, with the columns of an answer to the query. */
export async function rowsFor(
  database: EngineDatabase,
  read: readonly LocatedTable[],
  {
    query,
    labels,
    bases,
  }: {
    readonly query: TableQuery
    readonly labels: readonly string[]
    readonly bases: RateBases | null
  },
): Promise<RowsOfLabels> {
  const statement = new Statement()
  const sum = sumOf(read, query, statement.bind)
  const wanted = isOneOf(labels, statement.bind)
  const sql = `SELECT ${rowColumns(sum).join(', ')} FROM (${sum.sql}) WHERE ${wanted}`
  const rows = rowsFrom(sum, await database.columns(sql, statement.bound))
  const table = tableOf(sum, query, bases, rows)
  const places = new Map(table.rows.map(({ label, cells }) => [labelKey(label), cells]))
  return {
    headers: table.headers,
    all: table.all && table.all.cells,
    rows: labels.map((label) => places.get(label) ?? null),
  }
}

/** Returns the sorted distinct labels of tables. Skips tables whose rows have ids. */
export async function namesIn(
  database: EngineDatabase,
  read: readonly LocatedTable[],
  max: number,
): Promise<readonly string[]> {
  const { bound, bind } = new Statement()
  const places = new Set(read.filter(({ head }) => head.plain).map(({ place }) => place))
  const parts = [...places].map(
    (place) => `SELECT label FROM read_parquet(${bind(place)}, hive_partitioning = false)`,
  )
  if (parts.length === 0) return []
  const sql = `SELECT DISTINCT label FROM (${parts.join(' UNION ALL ')}) WHERE label <> '' ORDER BY label LIMIT ${bind(max)}`
  const [names = []] = await database.columns(sql, bound)
  return names.map(textFrom)
}

/** SQL for the key of a row (src-shared/reports/rows.ts: labelKey). */
const keyOfRow = `CASE kind WHEN 'all' THEN 'all' WHEN 'text' THEN 'text ' || label ELSE 'instance ' || id END`

/** SQL for whether a row has one of these keys. */
const isOneOf = (keys: readonly string[], bind: Bind): string =>
  `list_contains(${bind(textList(keys))}::VARCHAR[], ${keyOfRow})`

/** Columns that a statement selects for each row, the label first. */
const rowColumns = ({ columns }: Sum): string[] => [
  'kind',
  'label',
  'id',
  ...columns.flatMap(({ alias, texts }) => (texts ? [alias, `${alias}_text`] : [alias])),
]

function rowsFrom({ columns }: Sum, [kinds = [], labels = [], ids = [], ...found]: Columns): TableRow[] {
  let place = 0
  const cells = columns.map(({ texts }) => {
    const numbers = found[place++] ?? []
    const words = texts ? (found[place++] ?? []) : []
    return (row: number): Cell => (typeof words[row] === 'string' ? words[row] : numberFrom(numbers[row]))
  })
  return kinds.map((kind, row) => ({
    label: labelFrom(kind, labels[row] ?? null, ids[row] ?? null),
    cells: cells.map((cell) => cell(row)),
  }))
}

type Columns = readonly (readonly Value[])[]

/** Builds a label from its columns: the kind, the text or the instance's name, and the instance's id. */
export function labelFrom(kind: Value, label: Value, id: Value): Label {
  if (kind === 'text') return { kind, text: textFrom(label) }
  if (kind === 'instance') return { kind, id: textFrom(id) as InstanceId, name: textFrom(label) }
  return { kind: 'all', name: typeof label === 'string' ? label : null }
}

/** Builds the table of a sum, with rates if the query requests them. */
export function tableOf(
  { labelHeader, columns, all }: Sum,
  query: TableQuery,
  bases: RateBases | null,
  rows: readonly TableRow[],
): Table {
  const table = { headers: [labelHeader, ...columns.map(({ header }) => header)], all, rows }
  return query.rates ? withRates(table, query.family, query.dimension, bases) : table
}

/**
 * SQL for whether a name contains the search text or starts with it, ignoring case. Names whose lower case differs between the
 * engine and JavaScript are stored in `folded`.
 * @param names their column, and whether any of them is stored in `folded`
 */
function isMet(
  { search, startsWith }: TableQuery,
  names: { readonly name: string; readonly folded: boolean },
  bind: Bind,
): string {
  const wanted = (search ?? '').toLowerCase()
  const bound = bind(wanted)
  const isIn = (text: string) =>
    `${startsWith ? 'starts_with' : 'contains'}(${searchableSql(text, wanted)}, ${bound})`
  const own = isIn(`lower(${names.name})`)
  // Reading the second column of names takes 1.5 times as long.
  return names.folded ? `CASE WHEN folded IS NULL THEN ${own} ELSE ${isIn('folded')} END` : own
}
