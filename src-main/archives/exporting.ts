import { instantOf } from '#shared/values/ids.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { randomUUID } from 'node:crypto'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import type { CallArgument } from '#shared/bridge/calls.ts'
import { invalid } from '#shared/api/failure.ts'
import type { CutCells, JobId } from '#shared/app/jobs.ts'
import type { TableFormat } from '#shared/exports/order.ts'
import { maxRowsOfSheet } from '#shared/archives/rows.ts'
import { rateOf } from '#shared/reports/rows.ts'
import type { RowsFormat } from '#shared/archives/rows.ts'
import { spreadsheetSafe, csvForms, csvMark, delimited } from '#shared/values/delimited.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { ArchivesContext } from './archives-context.ts'
import type { RowsInZone, RowsParams, ImportedFile } from './engine/rows-engine.ts'
import type { ImportedRows } from './imported-rows.ts'
import { sheetCell } from './csv/values.ts'
import { writeWorkbook } from '#main/exports/workbook.ts'
import type { SheetCell } from '#main/exports/workbook.ts'
import {
  chanceWords,
  clusterKindWords,
  clusterWords,
  groupHeader,
  groupsWords,
  resultHeaders,
} from '#shared/texts/archives.ts'
import type { CsvForm, OutCell } from '#shared/values/delimited.ts'

/** Services of archives, with the rows that an export reads. */
type Exporting = ArchivesContext & { readonly rows: ImportedRows }

type ToExport = {
  readonly account: AccountId
  readonly request: RowsParams
  readonly columns: readonly string[]
  readonly format: RowsFormat
}

/** Unreadable lines read per query. */
const pageOfRows = 1000

/** Exports matching rows; the engine writes the file. @throws DeskFailure if a sheet cannot hold the rows */
export async function exportRows(
  { account, request, columns, format }: ToExport,
  { rows, exports, events }: Exporting,
): Promise<{ readonly id: JobId }> {
  if (format === 'xlsx') {
    const first = { ...request, columns, offset: 0, limit: 1 }
    const { total } = await rows.ask(account, (engine) => engine.call('page', first))
    if (total >= maxRowsOfSheet)
      throw invalid("These rows don't fit a sheet (1,048,576). Save them as CSV or Parquet instead.")
  }
  const name = nameOf('Raw rows', request)
  return exports.run(account, {
    name,
    ending: format,
    write: async (path, signal, progress, csv) => {
      const reading = `export-${randomUUID()}`
      const stopFollowing = events.on('rows/import-progress', (event) => {
        if (event.reading === reading) progress(event.done, event.total)
      })
      const params = { ...request, columns, format, csv, name, reading }
      const written = await rows
        .ask(account, (engine) => engine.call('write', params, signal))
        .finally(stopFollowing)
      try {
        throwIfCancelled(signal)
        await rename(written.path, path)
      } finally {
        await rm(written.path, { force: true })
      }
      return { rows: written.rows, cut: written.cut }
    },
  })
}

/** Exports the unreadable lines of a file, guarded against formulas. */
export function exportUnreadable(
  account: AccountId,
  { entry, entryPath }: ImportedFile,
  { rows, exports }: Exporting,
): Promise<{ readonly id: JobId }> {
  return exports.run(account, {
    name: `Unreadable lines of ${entry.name}`,
    ending: 'txt',
    write: async (path, signal) => {
      const out = await open(path, 'r+')
      try {
        for (let offset = 0; offset < entry.unreadable; offset += pageOfRows) {
          throwIfCancelled(signal)
          const request = { file: entry, entryPath, offset, limit: pageOfRows }
          const { lines } = await rows.ask(account, (engine) => engine.call('unreadable', request, signal))
          const text = lines
            .map(({ line, why, text: came }) => `Line ${line ?? '?'}: ${why}\n${spreadsheetSafe(came)}\n`)
            .join('\n')
          await out.appendFile(`${text}\n`)
        }
      } finally {
        await out.close()
      }
      return { rows: entry.unreadable }
    },
  })
}

/** Saves a block list and stores its origin. */
export const saveList = (
  { account, name, ending, text, ranges, origin }: CallArgument<'rows/save-list'>,
  { exports, store, clock }: ArchivesContext,
): Promise<{ readonly id: JobId }> =>
  exports.run(account, {
    name,
    ending,
    write: async (path) => {
      await writeFile(path, text, { flag: 'r+' })
      const list = { name, origin, madeAt: instantOf(clock.now()), ranges }
      await store.run('block-lists/note', { account, list })
      return { rows: ranges.length }
    },
  })

/** A table made of rows: its columns, and its rows in batches. Rates are in per cent. */
type MadeTable = {
  readonly name: string
  readonly columns: readonly string[]
  readonly total: number
  readonly pages: (signal: AbortSignal) => AsyncIterable<readonly (readonly OutCell[])[]>
  /** Converts cells for a workbook. */
  readonly sheetCells?: (cells: readonly OutCell[]) => SheetCell[]
}

type Order = CallArgument<'rows/export-table'>
type GroupsOrder = Extract<Order['table'], { kind: 'groups' }>

const groupsPerRequest = 1000
/** Maximum number of groups: each thousand takes a query. */
const maxGroups = 50_000

/** Exports the groups or clusters of rows. @throws DeskFailure `invalid` for too many groups; failures of the engine */
export async function exportTable(
  { query, table: wanted, format }: Order,
  request: RowsInZone,
  exporting: Exporting,
): Promise<{ readonly id: JobId }> {
  const { account } = query
  const table =
    wanted.kind === 'groups'
      ? await groupsOf(account, wanted, request, exporting)
      : await clustersOf(account, request, exporting)
  return exporting.exports.run(account, {
    name: table.name,
    ending: format,
    write: async (path, signal, progress, csv = 'comma') => {
      let done = 0
      const cut = await writeTable(path, { format, csv }, table, async (add) => {
        for await (const rows of table.pages(signal)) {
          throwIfCancelled(signal)
          await add(rows)
          progress((done += rows.length), table.total)
        }
      })
      return { rows: done, cut }
    },
  })
}

/** @param what contents of the export, in words */
const nameOf = (what: string, { files }: RowsParams): string =>
  `${what} of ${files.length === 1 ? (files[0]?.name ?? '') : `${files.length} files`}`

async function groupsOf(
  account: AccountId,
  { by, sort: groupSort, search }: GroupsOrder,
  request: RowsInZone,
  exporting: Exporting,
): Promise<MadeTable> {
  const page = (offset: number, signal?: AbortSignal) => {
    const params = { ...request, by, groupSort, search, offset, limit: groupsPerRequest }
    return exporting.rows.ask(account, (engine) => engine.call('groups', params, signal))
  }
  const first = await page(0)
  if (first.total > maxGroups) throw tooManyGroups()
  const judged = resultHeaders(first.results)
  const cells = ({ groups }: typeof first) =>
    groups.map(({ keys, rows, bad, counts }): OutCell[] => [
      ...keys,
      rows,
      ...(judged.length > 0 ? [...counts, rateOf(bad, rows)] : []),
    ])
  return {
    name: nameOf(`Raw rows, ${groupsWords(by)},`, request),
    columns: [...by.map(groupHeader), 'Rows', ...judged, ...(judged.length > 0 ? ['Bad rate (%)'] : [])],
    total: first.total,
    sheetCells: groupCells(by, request),
    pages: async function* (signal) {
      yield cells(first)
      for (let offset = groupsPerRequest; offset < first.total; offset += groupsPerRequest)
        yield cells(await page(offset, signal))
    },
  }
}

/** Converts group keys for a workbook. Days and hours are in the account's zone. */
function groupCells(
  by: GroupsOrder['by'],
  { files }: RowsInZone,
): (cells: readonly OutCell[]) => SheetCell[] {
  const columns = by.map(({ column, by: how }) => {
    if (how === 'day' || how === 'hour') return { kind: 'time' as const }
    const found = files.flatMap(({ columns: all }) => all.filter(({ name }) => name === column))
    const [first] = found
    const isSame = found.every(({ kind, form }) => kind === first?.kind && form === first.form)
    return how === 'value' && first && isSame ? first : { kind: 'text' as const }
  })
  return (cells) =>
    cells.map((cell, nth) => {
      const column = columns[nth]
      return column && typeof cell === 'string' ? sheetCell(cell, column) : cell
    })
}

async function clustersOf(account: AccountId, request: RowsInZone, exporting: Exporting): Promise<MadeTable> {
  const { clusters } = await exporting.rows.ask(account, (engine) => engine.call('clusters', request))
  const rows = clusters.map((cluster): OutCell[] => [
    ...[
      cluster.value,
      clusterKindWords[cluster.kind],
      clusterWords(cluster, 'en'),
      cluster.rows,
      cluster.bad,
    ],
    ...[cluster.expected, rateOf(cluster.bad, cluster.rows), cluster.bad / cluster.expected],
    chanceWords(cluster.chance, 'en'),
  ])
  return {
    name: nameOf('Clusters', request),
    columns: [
      ...['Value', 'Type', 'In words', 'Rows', 'Bad rows', 'Expected'],
      ...['Bad rate (%)', 'Times expected', 'By chance'],
    ],
    total: rows.length,
    pages: async function* () {
      yield await Promise.resolve(rows)
    },
  }
}

type Fill = (add: (rows: readonly (readonly OutCell[])[]) => Promise<void>) => Promise<void>

/** Writes into an existing file. @returns the cells that were cut */
async function writeTable(
  path: string,
  { format, csv }: { readonly format: TableFormat; readonly csv: CsvForm },
  table: MadeTable,
  fill: Fill,
): Promise<CutCells> {
  switch (format) {
    case 'xlsx':
      return await writeSheet(path, table, fill)
    case 'csv':
      await appending(path, async (append) => {
        await append(csvMark + delimited([table.columns], csvForms[csv]))
        await fill((rows) => append(delimited(rows, csvForms[csv])))
      })
      return []
    case 'json':
      await appending(path, (append) => writeObjects(append, table.columns, fill))
      return []
  }
}

const writeSheet = (
  path: string,
  { name, columns, sheetCells = (cells) => [...cells] }: MadeTable,
  fill: Fill,
): Promise<CutCells> =>
  writeWorkbook(path, async ({ sheet, add }) => {
    await sheet(
      name,
      columns.map((header) => ({ header, ...(formats[header] && { format: formats[header] }) })),
      { frozen: 1 },
    )
    await fill((rows) => add(rows.map(sheetCells)))
  })

type Append = (text: string) => Promise<void>

async function appending(path: string, write: (append: Append) => Promise<void>): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await write((text) => file.appendFile(text))
  } finally {
    await file.close()
  }
}

async function writeObjects(append: Append, columns: readonly string[], fill: Fill): Promise<void> {
  let before = '['
  await fill(async (rows) => {
    const objects = rows.map((cells) => objectOf(columns, cells)).join(',\n  ')
    if (objects === '') return
    await append(`${before}\n  ${objects}`)
    before = ','
  })
  await append(before === '[' ? '[\n]\n' : '\n]\n')
}

/** Number formats in a workbook, whose cells hold unrounded numbers. */
const formats: Readonly<Record<string, string>> = {
  'Bad rate (%)': '0.00',
  Expected: '0.0',
  'Times expected': '0.0',
}

/** Built as text: a JavaScript object treats a header like `__proto__` specially. */
const objectOf = (columns: readonly string[], cells: readonly OutCell[]): string =>
  `{${columns.map((column, nth) => `${JSON.stringify(column)}: ${JSON.stringify(cells[nth] ?? null)}`).join(', ')}}`

const tooManyGroups = () =>
  invalid(
    `There are more than ${maxGroups.toLocaleString('en')} groups. Search them, or filter the rows first.`,
  )
