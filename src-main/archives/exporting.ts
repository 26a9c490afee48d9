import { open, rename, rm, writeFile } from 'node:fs/promises'
import type { CallArgument } from '#shared/bridge/calls.ts'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import type { ExportId } from '#shared/exports/order.ts'
import type { StoredList } from '#shared/archives/list-origin.ts'
import { maxRowsOfSheet } from '#shared/archives/question.ts'
import type { RowsFormat } from '#shared/archives/question.ts'
import { spreadsheetSafe } from '#shared/values/spreadsheet-text.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Exports } from '#main/exports/exports.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { RowsParams, Verified, ReadRows } from './engine/calls.ts'
import type { RowsEngine } from './engine/engine.ts'
import { columnsOf } from './engine/relation.ts'
import { writeWorkbook } from './workbook.ts'

export type Exporting = {
  readonly engine: Pick<RowsEngine, 'call'>
  readonly runExport: Exports['run']
  readonly verified: <A>(account: AccountId, looking: Promise<Verified<A>>) => Promise<A>
}

type ToExport = {
  readonly account: AccountId
  readonly asked: RowsParams
  readonly columns: readonly string[]
  readonly format: RowsFormat
}

/** Rows that are read at a time where they are written here. */
const pageOfRows = 1000

/** Saves what a question finds; CSV, JSON and Parquet are written by the engine. @throws DeskFailure where a sheet cannot hold it */
export async function exportRows(
  { account, asked, columns: wanted, format }: ToExport,
  { engine, runExport, verified }: Exporting,
): Promise<{ readonly id: ExportId }> {
  const columns = wanted.length > 0 ? wanted : columnsOf(asked.files).map(({ name }) => name)
  const [first] = asked.files
  const name =
    asked.files.length === 1 && first
      ? `Raw rows of ${first.name}`
      : `Raw rows of ${asked.files.length} files`
  if (format !== 'xlsx')
    return runExport(account, {
      name,
      ending: format,
      write: async (path, signal) => {
        const written = await verified(account, engine.call('write', { ...asked, columns, format }, signal))
        try {
          throwIfCancelled(signal)
          await rename(written.path, path)
        } finally {
          await rm(written.path, { force: true })
        }
        return written.rows
      },
    })
  const page = (offset: number, limit: number, signal?: AbortSignal) =>
    verified(account, engine.call('page', { ...asked, columns, offset, limit }, signal))
  const { total } = await page(0, 1)
  if (total >= maxRowsOfSheet)
    throw new DeskFailure({
      kind: 'invalid',
      message: 'A sheet holds 1,048,576 rows and these are more. Save them as CSV or Parquet instead.',
    })
  return runExport(account, {
    name,
    ending: 'xlsx',
    write: async (path, signal, progress) => {
      await writeWorkbook(path, async ({ sheet, add }) => {
        await sheet(name, columns)
        for (let offset = 0; offset < total; offset += pageOfRows) {
          throwIfCancelled(signal)
          const { rows } = await page(offset, pageOfRows, signal)
          await add(rows.map(({ cells }) => cells))
          progress(offset + rows.length, total)
        }
      })
      return total
    },
  })
}

/** Saves the lines of a file that are no rows, as they came but for what a spreadsheet would run. */
export function exportUnreadable(
  account: AccountId,
  { entry, entryPath }: ReadRows,
  { engine, runExport, verified }: Exporting,
): { readonly id: ExportId } {
  return runExport(account, {
    name: `Unreadable lines of ${entry.name}`,
    ending: 'txt',
    write: async (path, signal) => {
      const out = await open(path, 'r+')
      try {
        for (let offset = 0; offset < entry.unreadable; offset += pageOfRows) {
          throwIfCancelled(signal)
          const asked = { file: entry, entryPath, offset, limit: pageOfRows }
          const { lines } = await verified(account, engine.call('unreadable', asked, signal))
          const text = lines
            .map(({ line, why, text: came }) => `Line ${line ?? '?'}: ${why}\n${spreadsheetSafe(came)}\n`)
            .join('\n')
          await out.appendFile(`${text}\n`)
        }
      } finally {
        await out.close()
      }
      return entry.unreadable
    },
  })
}

/** Saves a list that the window made of rows, and remembers what it was made of. */
export const saveList = (
  { account, name, ending, text, entries, origin }: CallArgument<'rows/save-list'>,
  {
    runExport,
    note,
  }: Pick<Exporting, 'runExport'> & { readonly note: (list: Omit<StoredList, 'madeAt'>) => Promise<unknown> },
): { readonly id: ExportId } =>
  runExport(account, {
    name,
    ending,
    write: async (path) => {
      await writeFile(path, text, { flag: 'r+' })
      await note({ name, entries, origin })
      return entries
    },
  })
