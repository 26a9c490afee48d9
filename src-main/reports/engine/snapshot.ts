import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { columnsFor } from '#shared/exports/columns.ts'
import type { ExportColumn } from '#shared/exports/columns.ts'
import { foundRow, isNarrowed, baseOf, rateHeader, withRates } from '#shared/reports/rows.ts'
import type { RateBases } from '#shared/reports/rows.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { Cell, Table, TableRow } from '#shared/api/answers.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import { csvForms, spreadsheetSafeSql } from '#shared/values/delimited.ts'
import type { DelimitedForm } from '#shared/values/delimited.ts'
import type { AllCells, EngineSnapshot, SnapshotParams } from './table-calls.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import { numberFrom, Statement, textList } from '#main/analytics/statement.ts'
import type { Bind } from '#main/analytics/statement.ts'
import { rowsFound, tableOf } from './table-answers.ts'
import { keyIn, rateIn } from './ranking.ts'
import type { ComparedSums } from './ranking.ts'
import { sumOf } from './sums.ts'
import type { LocatedTable, Sum, SumColumn } from './sums.ts'

/** Compared tables: for the order of the rows, and for display beside them. */
type SnapshotSides = {
  readonly ranked: ComparedSums | null
  readonly beside: ComparedSums | null
}

/**
 * Writes every row of a query to a file in the engine's temporary folder, with one statement over one list of files. The lines
 * are CSV, or JSON for further processing (src-shared/exports/columns.ts).
 * @throws errors of the engine, DeskFailure `cancelled`; no file remains
 */
export async function snapshotFrom(
  database: EngineDatabase,
  read: readonly LocatedTable[],
  { query, bases = null, columns: asked, standardOnly, form, shared = [] }: SnapshotParams,
  { ranked, beside }: SnapshotSides,
): Promise<EngineSnapshot> {
  const statement = new Statement()
  const { select: found, order, ...rest } = rowsFound(read, query, bases, ranked, statement)
  const sum = standardOnly ? onlyStandard(rest.sum, query) : rest.sum
  const table = tableOf(sum, query, bases, [])
  const [raw, rates] = [tableOf(sum, { ...query, rates: false }, null, []), ratesIn(sum, query, bases)]
  const overall = await overallOf(database, found, statement, {
    sums: isNarrowed(query) ? sum.columns : [],
    // Without chosen columns, rates without information are left out, which requires all rows.
    rates: asked === null ? emptyByAll(table, rates) : [],
  })
  const shown = asked ?? table.headers.filter((header) => !overall.empty.has(header))
  const columns = columnsFor(table.headers, shown)
  const sides = beside && sidesOf(beside, query, statement.bind)
  const isShared = query.dimension === 'sessions' ? isSharedSql(shared, statement.bind) : null
  const cells =
    form === 'rows' ? jsonLine(sum, sides, isShared) : csvLine(sum, rates, columns, csvForms[form], isShared)
  const path = join(database.temporary, `export-${randomBytes(8).toString('hex')}`)
  const rated = ['*', ...(form === 'rows' ? [] : rates).map(({ sql }, nth) => `${sql} AS r${nth}`)].join(', ')
  const select = `SELECT ${cells} FROM (SELECT ${rated} FROM (${found})) ${sides?.joins ?? ''} ORDER BY ${order}`
  mkdirSync(database.temporary, { recursive: true, mode: 0o700 })
  try {
    const target = statement.bind(path)
    // The values are complete lines already, so quoting is disabled.
    const copy = `COPY (${select}) TO ${target} (FORMAT csv, HEADER false, QUOTE '', DELIMITER '\u0001')`
    const [[written] = []] = await database.columns(copy, statement.bound)
    const rows = Number(written ?? 0)
    const row = overall.sums && withRatesOf(raw, query, bases, foundRow(rows, overall.sums))
    return {
      ...{ path, rows, columns, table, foundTotal: row, raw: raw.headers },
      ...{ total: sum.total, sides: sides?.all ?? null },
    }
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}

const withRatesOf = (raw: Table, query: TableQuery, bases: RateBases | null, row: TableRow): TableRow =>
  query.rates
    ? (withRates({ ...raw, rows: [row] }, query.family, query.dimension, bases).rows[0] ?? row)
    : row

function onlyStandard(sum: Sum, { family, dimension }: TableQuery): Sum {
  const named = headersOf(family, dimension)
  const columns = sum.columns.filter(({ header }) => named.includes(header))
  const places = columns.map((column) => sum.columns.indexOf(column))
  const all = sum.all && { ...sum.all, cells: places.map((place) => sum.all?.cells[place] ?? null) }
  return { ...sum, columns, all }
}

type RateOf = { readonly header: string; readonly sql: string }

/** Rates of a sum's counts, with the names and formulas of withRates (src-shared/reports/rows.ts). */
function ratesIn(
  { columns }: Sum,
  { family, dimension, rates }: TableQuery,
  bases: RateBases | null,
): RateOf[] {
  if (!rates) return []
  const counts = headersOf(family, dimension).slice(1)
  return columns.flatMap(({ header, alias }) => {
    if (!counts.includes(header)) return []
    const base = columns.find((column) => column.header === baseOf(header, family, dimension, bases))
    return [{ header: rateHeader(header), sql: base ? rateIn(alias, base.alias) : 'NULL::DOUBLE' }]
  })
}

/** Rates that may have no information: the aggregate is null or 100 %. `isFull`: the result if no row has the rate. */
function emptyByAll(
  { headers, all }: Table,
  rates: readonly RateOf[],
): (RateOf & { readonly isFull: boolean })[] {
  return rates.flatMap((rateOf) => {
    const rate = all?.cells[headers.indexOf(rateOf.header) - 1] ?? null
    return rate === null || rate === 100 ? [{ ...rateOf, isFull: rate === 100 }] : []
  })
}

/** Facts about all rows that are needed before writing: their sums, and the rates without information. */
async function overallOf(
  database: EngineDatabase,
  found: string,
  { bound }: Statement,
  { sums, rates }: { readonly sums: readonly SumColumn[]; readonly rates: ReturnType<typeof emptyByAll> },
): Promise<{ readonly sums: readonly Cell[] | null; readonly empty: ReadonlySet<string> }> {
  if (sums.length + rates.length === 0) return { sums: null, empty: new Set() }
  const full = rates.map(({ sql, isFull }) => `coalesce(bool_and(${sql} = 100), ${isFull})`)
  const sql = `SELECT ${[...sums.map(({ alias }) => `sum(${alias})`), ...full].join(', ')} FROM (${found})`
  const columns = await database.columns(sql, bound)
  const values = columns.map(([value]) => value)
  return {
    sums: sums.length === 0 ? null : sums.map((_, place) => numberFrom(values[place])),
    empty: new Set(rates.flatMap(({ header }, nth) => (values[sums.length + nth] === true ? header : []))),
  }
}

const kindOfNumber = (alias: string) => `CASE WHEN isfinite(${alias}) THEN ${alias} END`

/** SQL for a number with digits and a dot, never an exponent; null if not finite (src-shared/values/delimited.ts). */
function plainNumberSql(value: string): string {
  const fraction = `CASE WHEN contains(${value}::VARCHAR, 'e')
    THEN rtrim(printf('%.20f', ${value}), '0') ELSE ${value}::VARCHAR END`
  return `CASE WHEN abs(${value}) <= ${Number.MAX_SAFE_INTEGER} AND ${value} = trunc(${value})
    THEN ${value}::BIGINT::VARCHAR WHEN NOT isfinite(${value}) THEN NULL
    WHEN ${value} = trunc(${value}) THEN printf('%.0f', ${value}) ELSE ${fraction} END`
}

const quotedSql = (text: string): string => `'"' || replace(${spreadsheetSafeSql(text)}, '"', '""') || '"'`

/** SQL for whether another instance has the same name, among the rows or the known shared names. */
const isSharedSql = (shared: readonly string[], bind: Bind): string =>
  `(kind = 'instance' AND label <> '' AND (list_contains(${bind(textList(shared))}::VARCHAR[], label) OR
    min(id) OVER (PARTITION BY kind, label) <> max(id) OVER (PARTITION BY kind, label)))`

/** SQL for a line of CSV in a form of `csvForms`. Rates are in the columns `r0`, `r1` and so on. */
function csvLine(
  sum: Sum,
  rates: readonly RateOf[],
  columns: readonly ExportColumn[],
  { between, decimal }: DelimitedForm,
  isShared: string | null,
): string {
  const name =
    isShared === null ? 'name' : `CASE WHEN ${isShared} THEN name || ' (' || id || ')' ELSE name END`
  const numberOf = (value: string) =>
    decimal === '.' ? plainNumberSql(value) : `replace(${plainNumberSql(value)}, '.', '${decimal}')`
  const cells = columns.map(({ header, place }) => {
    if (place === 0) return quotedSql(name)
    const column = sum.columns.find((sumColumn) => sumColumn.header === header)
    if (!column) return numberOf(`r${rates.findIndex((rate) => rate.header === header)}`)
    const number = numberOf(column.alias)
    const text = `${column.alias}_text`
    return column.texts ? `CASE WHEN ${text} IS NULL THEN ${number} ELSE ${quotedSql(text)} END` : number
  })
  // `concat` writes null as an empty cell.
  return `concat(${cells.join(`, '${between}', `)}, chr(13))`
}

/** SQL for a line of JSON: label, cells, and the cells of compared rows. */
function jsonLine({ columns }: Sum, sides: Sides | null, isShared: string | null): string {
  const cells = columns.map(({ alias, texts }) =>
    texts ? `coalesce(to_json(${alias}_text), to_json(${kindOfNumber(alias)}))` : kindOfNumber(alias),
  )
  const kind = isShared === null ? 'kind' : `CASE WHEN ${isShared} THEN 'shared' ELSE kind END`
  const parts = [kind, 'label', 'id', `json_array(${cells.join(', ')})`, ...(sides?.cells ?? [])]
  return `json_array(${parts.join(', ')})::VARCHAR`
}

type Sides = {
  readonly joins: string
  /** Per side, the counts of a row; null without such a row. */
  readonly cells: readonly string[]
  readonly all: { readonly now: AllCells | null; readonly before: AllCells }
}

function sidesOf({ now, before }: ComparedSums, query: TableQuery, bind: Bind): Sides {
  const there = sideOf('before', before, query, bind)
  const here = now && sideOf('same', now, query, bind)
  return {
    joins: `${there.join} ${here?.join ?? ''}`,
    cells: [there.cells, ...(here ? [here.cells] : [])],
    all: { now: here && here.all, before: there.all },
  }
}

function sideOf(side: string, read: readonly LocatedTable[], query: TableQuery, bind: Bind) {
  const sum = sumOf(read, query, bind)
  const names = sum.columns.map((_, place) => `${side}_${place}`)
  const counts = sum.columns.map(({ alias }, place) => `${alias} AS ${names[place]}`)
  const known = [`kind AS ${side}_kind`, `${keyIn('')} AS ${side}_key`, ...counts].join(', ')
  return {
    join: `LEFT JOIN (SELECT ${known} FROM (${sum.sql})) ON ${side}_kind = kind AND ${side}_key = ${keyIn('')}`,
    cells: `CASE WHEN ${side}_kind IS NULL THEN NULL ELSE json_array(${names.map(kindOfNumber).join(', ')}) END`,
    all: {
      headers: [sum.labelHeader, ...sum.columns.map(({ header }) => header)],
      cells: sum.all && sum.all.cells,
    },
  }
}
