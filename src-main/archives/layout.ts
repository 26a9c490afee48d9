import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { DataScopeId } from '#shared/values/ids.ts'

/** Where rows lie in a profile folder. */
export const rowsFolder = (folder: string): string => join(folder, 'rows')

/** Where what is soon gone again lies: in the profile, since it is of the same rows, and never in the system's folder for such. */
export const workFolder = (folder: string): string => join(folder, 'rows-work')

/** The folder of an owner's rows in a profile folder. */
export const ownerRowsFolder = (folder: string, owner: DataScopeId): string =>
  join(rowsFolder(folder), `account=${owner}`)

/**
 * A file of the rows folder, by its path in there: `account=…/<name>-<what>-<checksum>.parquet`. `rows` holds rows; `entry` the lines
 * that are none, and says of itself which rows are whole.
 */
export type RowsPath = string & { readonly __brand: 'RowsPath' }

/** The path of a file that is being written, without its end: that is known once all of it is written. */
export type RowsStem = string & { readonly __brand: 'RowsStem' }

const rowsPath = /^account=[0-9A-Za-z-]{1,100}\/[0-9a-f]{32}-(?:rows|entry)-[0-9a-f]{8}\.parquet$/

/** Whether a text is the path of a file that we write. Nothing else is read, and above all nothing else deleted. */
export const isRowsPath = (text: string): text is RowsPath => rowsPath.test(text)

export const isEntryPath = (text: string): text is RowsPath =>
  isRowsPath(text) && /-entry-[0-9a-f]{8}\.parquet$/.test(text)

/** Ids of reports are the service's, and may hold anything: their hash names the file. */
export const stemOf = (owner: DataScopeId, id: RowsFileId, what: 'rows' | 'entry'): RowsStem =>
  `account=${owner}/${createHash('sha256').update(id).digest('hex').slice(0, 32)}-${what}` as RowsStem

export const rowsLayout = {
  isPath: isRowsPath,
  isStem: (text: string): text is RowsStem => isRowsPath(`${text}-00000000.parquet`),
  pathOf: (stem: RowsStem, checksum: string): RowsPath => `${stem}-${checksum}.parquet` as RowsPath,
}
