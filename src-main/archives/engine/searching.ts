import { readRange, writeNetwork } from '#shared/archives/network.ts'
import type { UnreadableLines, Facet, Facets, RowsCondition } from '#shared/archives/rows.ts'
import { isNamedAdditional } from '#shared/archives/rows-file.ts'
import type { RowsColumn } from '#shared/archives/rows-file.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import type { SearchParams, SearchedFile, UnreadableParams, FacetsParams } from './rows-engine.ts'
import { rowsAt } from './rows-pages.ts'
import { countFrom, searchableSql, textFrom } from '#main/analytics/statement.ts'
import { BoundQuery } from './bound-query.ts'
import type { Reading } from './bound-query.ts'
import { addressRoles, columnsOf, folded, isInNetworks } from './relation.ts'

/** Roles of columns that are searched: addresses, ids, pages and user agents. Additional columns that the user named are searched too. */
const searched: ReadonlySet<string> = new Set([
  'remote_address',
  'requesting_remote_address',
  'exid',
  'response_id',
  'app_id',
  'device_id',
  'click_id',
  'sub_id',
  'location',
  'page',
  'referrer',
  'user_agent',
  'requesting_user_agent',
])

/** Roles of columns that describe a row. */
const telling: ReadonlySet<string> = new Set(['timestamp', 'result', 'source', 'campaign', 'country'])

/** Maximum number of columns searched in a table that has none of these roles. */
const maxSearched = 50

function searchedColumns({ columns }: RowsEntry): readonly RowsColumn[] {
  const known = columns.filter(
    (column) => (column.standard !== null && searched.has(column.standard)) || isNamedAdditional(column),
  )
  return known.length > 0 ? known : columns.filter(({ kind }) => kind !== 'time').slice(0, maxSearched)
}

/** Searches a file, ignoring case and accents. An address matches in every spelling; a range matches its addresses. */
export async function searchFrom({ file, text, max }: SearchParams, reading: Reading): Promise<SearchedFile> {
  const searchable = searchedColumns(file)
  const columns = file.columns
    .filter(
      (column) => searchable.includes(column) || (column.standard !== null && telling.has(column.standard)),
    )
    .map(({ name, kind, standard }) => ({ name, kind, standard }))
  const query = new BoundQuery([file], [], reading)
  const value = query.statement.bind(text)
  const range = readRange(text)
  const met = searchable.map((column) => {
    const slot = query.relation.slot(column.name)
    const isAddress = column.standard !== null && addressRoles.has(column.standard)
    // A whole address must not match longer addresses that begin with it.
    return isAddress && range
      ? `(${isInNetworks(slot, [writeNetwork(range)])})`
      : `contains(${folded(searchableSql(slot.text, text))}, ${folded(value)})`
  })
  const looked = {
    searched: searchable.map(({ name }) => name),
    unsearched: file.columns.flatMap((column) => (searchable.includes(column) ? [] : [column.name])),
  }
  if (met.length === 0) return { count: 0, columns, rows: [], ...looked }
  const found = await query.rows(
    `SELECT r, count(*) OVER () FROM ${query.relation.from()} WHERE ${met.join(' OR ')} ORDER BY r LIMIT ${max}`,
  )
  const places = found.map(([row]) => ({ file: 0, row: countFrom(row) }))
  const names = columns.map(({ name }) => name)
  const rows = await rowsAt([file], places, names, reading)
  return { count: countFrom(found[0]?.[1]), columns, rows, ...looked }
}

/** Reads the unreadable lines of an archive. */
export async function unreadableFrom(
  { offset, limit }: UnreadableParams,
  place: string,
  { database }: Reading,
): Promise<UnreadableLines> {
  const [[total] = []] = await database.rows(
    'SELECT count(*) FROM read_parquet($place, hive_partitioning = false)',
    { place },
  )
  const lines = await database.rows(
    `SELECT line, why, "text" FROM read_parquet($place, hive_partitioning = false) ORDER BY line LIMIT ${limit} OFFSET ${offset}`,
    { place },
  )
  return {
    total: countFrom(total),
    lines: lines.map(([line, why, text]) => ({
      line: line === null ? null : countFrom(line),
      why: textFrom(why),
      text: textFrom(text),
    })),
  }
}

/** Roles that may have a different value in every row. Counting several of them together takes too much memory. */
const ofTheirOwn = /address|(^|_)id$|^exid$|^location$|^page$|^referrer$/

/** Number of columns counted in one statement, which reads the rows once. */
const together = 12

/** Whether a condition selects values of a column. */
const choosesValues = (condition: RowsCondition, name: string): boolean =>
  condition.column === name && !condition.out && ['is', 'one-of', 'empty'].includes(condition.test.kind)

/** Counts the most frequent values of columns. A selection of values in a column does not limit the column's own counts. */
export async function facetsFrom(request: FacetsParams, reading: Reading): Promise<Facets> {
  const standards = new Map(columnsOf(request.files).map(({ name, standard }) => [name, standard]))
  const isAlone = (column: string) => ofTheirOwn.test(standards.get(column) ?? 'address')
  const isChosenBy = (column: string) =>
    request.conditions.some((condition) => choosesValues(condition, column))
  const isOfItsOwn = (column: string) => isAlone(column) || isChosenBy(column)
  const shared = request.columns.filter((column) => !isOfItsOwn(column))
  const parts = [
    ...Array.from({ length: Math.ceil(shared.length / together) }, (_, nth) =>
      shared.slice(nth * together, (nth + 1) * together),
    ),
    ...request.columns.filter(isOfItsOwn).map((column) => [column]),
  ]
  const facets = new Map<string, Facet>()
  let all: Counted | undefined
  for (const columns of parts) {
    const [column = ''] = columns
    const isChosen = isChosenBy(column)
    const conditions = request.conditions.filter((condition) => !choosesValues(condition, column))
    const found = await facetsOf(
      columns,
      isChosen ? { ...request, conditions } : request,
      reading,
      isAlone(column),
    )
    for (const facet of found.facets) facets.set(facet.column, facet)
    if (!isChosen) all ??= found.all
  }
  return {
    ...(all ?? (await countOf(request, reading))),
    facets: request.columns.flatMap((column) => facets.get(column) ?? []),
  }
}

type Counted = Pick<Facets, 'rows' | 'bad'>

async function countOf(request: FacetsParams, reading: Reading): Promise<Counted> {
  const query = new BoundQuery(request.files, request.conditions, reading)
  const isBad = query.bad()
  const [[rows, bad] = []] = await query.rows(`SELECT count(*)${badCount(isBad)} FROM ${query.found()}`)
  return { rows: countFrom(rows), bad: isBad === undefined ? null : countFrom(bad) }
}

const badCount = (isBad: string | undefined) =>
  isBad === undefined ? ', NULL AS bad' : `, count(*) FILTER (${isBad}) AS bad`

/** Counts the values of columns, and all rows. A row has one value in each column. */
async function facetsOf(
  columns: readonly string[],
  request: FacetsParams,
  reading: Reading,
  isAlone: boolean,
): Promise<{ readonly facets: readonly Facet[]; readonly all: Counted }> {
  const query = new BoundQuery(request.files, request.conditions, reading)
  const values = columns.map((column) => query.relation.slot(column).value)
  const isBad = query.bad()
  const names = values.map((_, nth) => `v${nth}`)
  // GROUPING_ID of a column's groups: its own bit is zero.
  const bits = (nth: number) => (1 << columns.length) - 1 - (1 << (columns.length - 1 - nth))
  const value = names.map((name, nth) => `WHEN ${bits(nth)} THEN ${name}`).join(' ')
  const inner = `SELECT ${values.map((item, nth) => `${item} AS v${nth}`).join(', ')}${isBad === undefined ? '' : `, ${isBad} AS is_bad`}
    FROM ${query.found()}`
  const grouped = `SELECT GROUPING_ID(${names.join(', ')}) AS which, ${names.join(', ')}, count(*) AS rows${badCount(isBad && 'is_bad')}
    FROM (${inner}) GROUP BY GROUPING SETS (${names.map((name) => `(${name})`).join(', ')})`
  const plain = `SELECT which, CASE which ${value} END AS value, rows, bad FROM (${grouped})`
  // With a different value in every row, merging would double the time.
  const merged = isAlone
    ? plain
    : `SELECT which, nfc_normalize(value) AS value, CAST(sum(rows) AS BIGINT) AS rows, CAST(sum(bad) AS BIGINT) AS bad
        FROM (${plain}) GROUP BY 1, 2`
  const found =
    await query.rows(`SELECT which, coalesce(value, ''), rows, bad, values, all_rows, all_bad FROM (
      SELECT which, value, rows, bad, count(*) OVER of_one AS values,
        CAST(sum(rows) OVER of_one AS BIGINT) AS all_rows, CAST(sum(bad) OVER of_one AS BIGINT) AS all_bad,
        row_number() OVER (PARTITION BY which ORDER BY rows DESC, value ASC NULLS FIRST) AS place
      FROM (${merged}) WINDOW of_one AS (PARTITION BY which))
      WHERE place <= ${request.top} ORDER BY which, place`)
  const badFrom = (bad: Parameters<typeof countFrom>[0]) => (isBad === undefined ? null : countFrom(bad))
  const [first = []] = found
  return {
    all: { rows: countFrom(first[5]), bad: badFrom(first[6]) },
    facets: columns.map((column, nth) => {
      const own = found.filter(([which]) => countFrom(which) === bits(nth))
      return {
        column,
        distinct: countFrom(own[0]?.[4]),
        values: own.map(([, text, rows, bad]) => ({
          value: textFrom(text),
          rows: countFrom(rows),
          bad: badFrom(bad),
        })),
      }
    }),
  }
}
