import * as v from 'valibot'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import { columnKinds, importDoubts, numberForms, timeForms } from '#shared/archives/rows-file.ts'
import { rawTypes } from '#shared/api/raw-columns.ts'
import type { DataScopeId, RawReportId } from '#shared/values/ids.ts'
import { branded, instant, readJson } from '#shared/values/schemas.ts'
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

/** So many columns of a table stand alone; of one that has more, the others stand together in `restOfRow` (csv/columns.ts). */
export const maxStored = 500
export const restOfRow = 'rest_of_row'

/** The key of a file's own metadata under which its entry stands. */
export const entryKey = 'traffic_desk_rows'

const form = 1
const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** Names of columns in a file: what we write, so that nothing else is ever put into a statement. */
export const storedName = /^[a-z_][a-z0-9_]{0,79}$/

/** A column as it lies in the file: as text under `stored`; moments as `<stored>_utc`, `<stored>_offset` and `<stored>_text`. */
const storedColumn = v.pipe(
  v.object({
    name: v.string(),
    kind: v.picklist(columnKinds),
    standard: v.nullable(v.string()),
    stored: v.pipe(v.string(), v.regex(storedName)),
    /** Unknown of older readings: moments begin with their year, numbers have decimal points. */
    form: v.exactOptional(v.picklist([...timeForms, ...numberForms])),
    /** Whether addresses that are written in another way than the usual lie in `<stored>_usual`. */
    address: v.exactOptional(v.boolean()),
    /** Cells that are neither empty nor what the column's kind says. */
    odd: v.exactOptional(count),
    at: v.exactOptional(v.pipe(count, v.minValue(1))),
  }),
  /** `place`: from 1, where several stand in one: `stored` is `restOfRow` then. */
  v.transform(({ at: place, ...column }) => ({ ...column, ...(place !== undefined && { place }) })),
)
export type StoredColumn = Readonly<v.InferOutput<typeof storedColumn>>

/** A file's size in bytes, and when it was changed last. */
const seenFile = v.object({ size: count, changedAt: v.number() })
export type SeenFile = Readonly<v.InferOutput<typeof seenFile>>

/** How a table was taken to be written, what of it is no row, and what could not be told for sure. */
const readAs = v.object({
  encoding: v.string(),
  delimiter: v.string(),
  escape: v.picklist(['doubled', 'backslash']),
  hasHeader: v.boolean(),
  linesBefore: count,
  linesAfter: count,
  /** Rows that lacked cells at their end. */
  short: count,
  /** Whether a person chose any of this. */
  chosen: v.exactOptional(v.boolean()),
  doubts: v.pipe(v.array(v.picklist(importDoubts)), v.readonly()),
})
export type ReadAs = Readonly<v.InferOutput<typeof readAs>>

/** A file of rows, as it was written. */
const storedRows = v.object({
  path: v.pipe(
    v.string(),
    v.check(isRowsPath),
    v.transform((text) => text as RowsPath),
  ),
  size: count,
  checksum: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/)),
})
export type StoredRows = Readonly<v.InferOutput<typeof storedRows>>

/**
 * What is known of the rows of one archive. It stands in the catalogue, and in the metadata of the file of unreadable lines, so that
 * a lost catalogue can be made from the files alone. `rows` names the file of rows: without an entry no such file counts.
 */
const entry = v.object({
  id: branded<RowsFileId>(),
  owner: branded<DataScopeId>(v.pipe(v.string(), v.regex(/^[0-9A-Za-z-]{1,100}$/))),
  report: v.nullable(branded<RawReportId>()),
  name: v.string(),
  type: v.nullable(v.picklist(rawTypes)),
  /** Where the archive lay when it was read in, and what told it from any other file there; of older readings that is not known. */
  source: v.string(),
  seen: v.exactOptional(seenFile),
  /** By table; unknown of older readings. */
  readAs: v.exactOptional(v.pipe(v.array(readAs), v.readonly())),
  /** Of moments that name none, where there are such. */
  zone: v.exactOptional(v.string()),
  columns: v.pipe(v.array(storedColumn), v.readonly()),
  count,
  unreadable: count,
  first: v.nullable(instant),
  last: v.nullable(instant),
  readAt: instant,
  rows: storedRows,
})
export type RowsEntry = Readonly<v.InferOutput<typeof entry>>

const written = v.object({ form: v.literal(form), entry })

export function writeEntry(about: RowsEntry): string {
  const columns = about.columns.map(({ place: at, ...column }) => ({ ...column, at }))
  return JSON.stringify({ form, entry: { ...about, columns } })
}

/** Reads what a file, or the catalogue, says of rows; undefined where that is not ours. */
export const readEntry = (text: string): RowsEntry | undefined => readJson(written, text)?.entry
