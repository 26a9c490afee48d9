import * as v from 'valibot'
import type { TableRow } from '#shared/api/answers.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { branded, day, instant } from '#shared/values/schemas.ts'
import { openHandle, writerOver } from '../sqlite/database.ts'
import type { Handle, Reader, Writer } from '../sqlite/database.ts'
import { emptyLog, removeFile } from '../sqlite/open-file.ts'
import { setAside } from '../sqlite/place-file.ts'
import { storeFailure, troubleOf } from '../sqlite/trouble.ts'
import { isOld, oldFile } from './old-file.ts'
import { readOldHead, readOldRows } from './old-pages.ts'
import type { OldHead } from './old-pages.ts'
import type { TablePlace } from './stored-table.ts'

/** A table as version 0.1.0 kept it, with the id that it has there. */
export type OldTable = TablePlace &
  OldHead & {
    readonly id: number
    readonly range: DayRange
    readonly fetchedAt: Instant
    /** Page by page; null where it has its totals alone. */
    readonly rows: readonly (readonly TableRow[])[] | null
  }

/** What takes over the tables that version 0.1.0 kept, a few at a time. */
export type OldTablesCalls = {
  /**
   * The next tables to take over, the newest days first. None: all are taken over, and the old file has gone.
   */
  readonly 'upgrade/tables': (asked: { readonly max: number }) => readonly OldTable[]
  /** These are taken over. With the last of them the old file is deleted. */
  readonly 'upgrade/done': (asked: { readonly ids: readonly number[] }) => null
}

const owner = branded<DataScopeId>()

const tableRow = v.object({
  ...{ account: owner, subject: v.string(), first_day: day, last_day: day },
  ...{ whole: v.picklist([0, 1]), fetched_at: instant, rows: v.number(), head: v.string() },
})

export function oldTablesCalls(folder: string): OldTablesCalls {
  return {
    'upgrade/tables': ({ max }) =>
      onOld(folder, keepAside, (handle) => nextTables(handle, folder, max)) ?? [],
    'upgrade/done': ({ ids }) => {
      onOld(folder, keepAside, (handle) => strikeOut(handle, folder, ids))
      return null
    },
  }
}

/** Deletes every trace of an owner from the old file. @throws DeskFailure where the disk refuses */
export function forgetOldOwner(folder: string, of: DataScopeId): void {
  onOld(folder, removeFile, (handle) => {
    const database = writerOver(handle)
    database.write('DELETE FROM accounts WHERE id = ?', of)
    // They have been taken over, and say which account was active.
    database.write('DELETE FROM settings')
    emptyLog(handle)
  })
}

/** What cannot be read now may be looked into by hand for a while. */
const keepAside = (file: string) => setAside(file, Date.now())

/** Works on the old file, where there is one. */
function onOld<T>(folder: string, onDamaged: (file: string) => void, work: (handle: Handle) => T): T | null {
  if (!isOld(folder)) return null
  try {
    const handle = openHandle(oldFile(folder))
    try {
      handle.exec('PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON')
      return work(handle)
    } finally {
      handle.close()
    }
  } catch (error) {
    if (troubleOf(error) !== 'damaged') throw storeFailure(error)
    onDamaged(oldFile(folder))
    return null
  }
}

function nextTables(handle: Handle, folder: string, max: number): readonly OldTable[] {
  const database = writerOver(handle)
  for (;;) {
    const rows = database.rows('SELECT id FROM kept_tables ORDER BY last_day DESC, id LIMIT ?', max)
    const tables = rows.flatMap(({ id }) => tableFrom(database, Number(id)) ?? [])
    if (tables.length > 0 || rows.length === 0) {
      endWhereEmpty(database, handle, folder)
      return tables
    }
    // None of these can be read: they would stand before the others for ever.
    for (const { id } of rows) strike(database, Number(id))
  }
}

/** A table with its pages; undefined where it cannot be read. */
function tableFrom(from: Reader, id: number): OldTable | undefined {
  try {
    const read = v.safeParse(tableRow, from.row('SELECT * FROM kept_tables WHERE id = ?', id))
    if (!read.success || read.output.last_day < read.output.first_day) return undefined
    const { account, subject, first_day, last_day, whole, fetched_at, rows, head } = read.output
    const told = readOldHead(head)
    const pages = from
      .rows('SELECT rows FROM kept_pages WHERE kept_table = ? ORDER BY page', id)
      .map((page) => (page['rows'] instanceof Uint8Array ? readOldRows(page['rows']) : undefined))
    const found = pages.flatMap((page) => (page ? [page] : []))
    const count = found.reduce((sum, page) => sum + page.length, 0)
    if (!told || found.length < pages.length || (whole === 1 && count !== rows)) return undefined
    const range = { start: first_day, end: last_day }
    const table = { id, owner: account, subject, range, fetchedAt: fetched_at, ...told }
    return { ...table, rows: whole === 1 ? found : null }
  } catch (error) {
    if (troubleOf(error) === 'damaged') return undefined
    throw error
  }
}

function strikeOut(handle: Handle, folder: string, ids: readonly number[]): void {
  const database = writerOver(handle)
  database.together(() => {
    for (const id of ids) strike(database, id)
  })
  endWhereEmpty(database, handle, folder)
}

const strike = (database: Writer, id: number) => database.write('DELETE FROM kept_tables WHERE id = ?', id)

function endWhereEmpty(database: Reader, handle: Handle, folder: string): void {
  if (database.row('SELECT 1 FROM kept_tables LIMIT 1')) return
  handle.close()
  removeFile(oldFile(folder))
}
