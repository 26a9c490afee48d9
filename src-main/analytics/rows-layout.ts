import * as v from 'valibot'
import type { RowsColumn, RowsFileId } from '#shared/archives/rows-file.ts'
import { columnKinds } from '#shared/archives/rows-file.ts'
import { rawTypes } from '#shared/api/raw-columns.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import type { Instant, DataScopeId, RawReportId } from '#shared/values/ids.ts'
import { branded, instant } from '#shared/values/schemas.ts'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ChecksummedFiles } from './checksummed-files.ts'

/** Where rows lie in a profile folder. */
export const rowsFolder = (folder: string): string => join(folder, 'rows')

/** Where what is soon gone again lies: in the profile, since it is of the same rows, and never in the system's folder for such. */
export const workFolder = (folder: string): string => join(folder, 'rows-work')

/** The folder of a data scope's rows in a profile folder. */
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

/** Files of the rows folder. */
export type RowsFiles = ChecksummedFiles<RowsPath, RowsStem>
export const rowsFiles = (folder: string): RowsFiles =>
  new ChecksummedFiles(folder, {
    isPath: isRowsPath,
    isStem: (text: string): text is RowsStem => isRowsPath(`${text}-00000000.parquet`),
    pathOf: (stem, checksum) => `${stem}-${checksum}.parquet` as RowsPath,
  })

/** A column as it lies in the file: as text under `stored`; moments as `<stored>_utc`, `<stored>_offset` and `<stored>_text`. */
export type StoredColumn = RowsColumn & {
  readonly stored: string
  /** Its place, from 1, where several stand in one: `stored` is `restOfRow` then. */
  readonly place?: number
}

/** So many columns of a table stand alone; of one that has more, the others stand together in `restOfRow` (csv/packing.ts). */
export const maxStored = 500
export const restOfRow = 'rest_of_row'

/** A file's size in bytes, and when it was changed last. */
export type SeenFile = { readonly size: number; readonly changedAt: number }

/** A file of rows, as it was written. */
export type StoredRows = { readonly path: RowsPath; readonly size: number; readonly checksum: string }

/**
 * What is known of the rows of one archive. It stands in the catalogue, and in the metadata of the file of unreadable lines, so that
 * a lost catalogue can be made from the files alone. `rows` names the file of rows: without an entry no such file counts.
 */
export type RowsEntry = {
  readonly id: RowsFileId
  readonly owner: DataScopeId
  readonly report: RawReportId | null
  readonly name: string
  readonly type: RawType | null
  /** Where the archive lay when it was read in, and what told it from any other file there; of older readings that is not known. */
  readonly source: string
  readonly seen?: SeenFile
  readonly columns: readonly StoredColumn[]
  readonly count: number
  readonly unreadable: number
  readonly first: Instant | null
  readonly last: Instant | null
  readonly readAt: Instant
  readonly rows: StoredRows
}

/** The key of a file's own metadata under which its entry stands. */
export const entryKey = 'traffic_desk_rows'

const form = 1
const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** Names of columns in a file: what we write, so that nothing else is ever put into a statement. */
export const storedName = /^[a-z_][a-z0-9_]{0,79}$/

const entry: v.GenericSchema<unknown, RowsEntry> = v.object({
  id: branded<RowsFileId>(),
  owner: branded<DataScopeId>(v.pipe(v.string(), v.regex(/^[0-9A-Za-z-]{1,100}$/))),
  report: v.nullable(branded<RawReportId>()),
  name: v.string(),
  type: v.nullable(v.picklist(rawTypes)),
  source: v.string(),
  seen: v.exactOptional(v.object({ size: count, changedAt: v.number() })),
  columns: v.array(
    v.pipe(
      v.object({
        name: v.string(),
        kind: v.picklist(columnKinds),
        standard: v.nullable(v.string()),
        stored: v.pipe(v.string(), v.regex(storedName)),
        at: v.exactOptional(v.pipe(count, v.minValue(1))),
      }),
      v.transform(({ at: place, ...column }) => ({ ...column, ...(place !== undefined && { place }) })),
    ),
  ),
  count,
  unreadable: count,
  first: v.nullable(instant),
  last: v.nullable(instant),
  readAt: instant,
  rows: v.object({
    path: v.pipe(
      v.string(),
      v.check(isRowsPath),
      v.transform((text) => text as RowsPath),
    ),
    size: count,
    checksum: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/)),
  }),
})

const written = v.object({ form: v.literal(form), entry })

export function writeEntry(about: RowsEntry): string {
  const columns = about.columns.map(({ place: at, ...column }) => ({ ...column, at }))
  return JSON.stringify({ form, entry: { ...about, columns } })
}

/** Reads what a file, or the catalogue, says of rows; undefined where that is not ours. */
export function readEntry(text: string): RowsEntry | undefined {
  try {
    const read = v.safeParse(written, JSON.parse(text))
    return read.success ? read.output.entry : undefined
  } catch {
    return undefined
  }
}
