import * as v from 'valibot'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import { columnKinds, importDoubts, numberForms, timeForms } from '#shared/archives/rows-file.ts'
import { rawTypes } from '#shared/api/raw-columns.ts'
import type { DataScopeId, RawReportId } from '#shared/values/ids.ts'
import { branded, instant, readJson } from '#shared/values/schemas.ts'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ChecksummedFiles } from './checksummed-files.ts'

/** Folder of imported rows in a profile folder. */
export const rowsFolder = (folder: string): string => join(folder, 'rows')

/** Folder for temporary files. Inside the profile, not in the system's, because the files hold the user's rows. */
export const workFolder = (folder: string): string => join(folder, 'rows-work')

/** Folder of a data scope's rows in a profile folder. */
export const dataScopeRowsFolder = (folder: string, dataScope: DataScopeId): string =>
  join(rowsFolder(folder), `account=${dataScope}`)

/**
 * Path of a file within the rows folder: `account=…/<name>-<what>-<checksum>.parquet`. `rows` files hold rows. `entry` files hold
 * unreadable lines, and in their metadata the entry that makes the rows valid.
 */
export type RowsPath = string & { readonly __brand: 'RowsPath' }

/** Path of a file before its checksum is known, without checksum and extension. */
export type RowsStem = string & { readonly __brand: 'RowsStem' }

const rowsPath = /^account=[0-9A-Za-z-]{1,100}\/[0-9a-f]{32}-(?:rows|entry)-[0-9a-f]{8}\.parquet$/

/** Whether a path matches the app's own naming scheme. Other files are never read or deleted. */
export const isRowsPath = (text: string): text is RowsPath => rowsPath.test(text)

export const isEntryPath = (text: string): text is RowsPath =>
  isRowsPath(text) && /-entry-[0-9a-f]{8}\.parquet$/.test(text)

/** Report ids are the service's, and may contain any character: their hash names the file. */
export const rowsStemOf = (dataScope: DataScopeId, id: RowsFileId, what: 'rows' | 'entry'): RowsStem =>
  `account=${dataScope}/${createHash('sha256').update(id).digest('hex').slice(0, 32)}-${what}` as RowsStem

/** Files of the rows folder. */
export type RowsFiles = ChecksummedFiles<RowsPath, RowsStem>
export const rowsFiles = (folder: string): RowsFiles =>
  new ChecksummedFiles(folder, {
    isPath: isRowsPath,
    isStem: (text: string): text is RowsStem => isRowsPath(`${text}-00000000.parquet`),
    pathOf: (stem, checksum) => `${stem}-${checksum}.parquet` as RowsPath,
  })

/** Maximum number of columns stored individually. Columns of a wider table share `restOfRow` (csv/columns.ts). */
export const maxStored = 500
export const restOfRow = 'rest_of_row'

/** Metadata key of the entry in a file. */
export const entryKey = 'traffic_desk_rows'

const form = 1
const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** Names of columns in a file. Only these names enter a statement. */
export const storedName = /^[a-z_][a-z0-9_]{0,79}$/

/** A column in the file: text under `stored`; times as `<stored>_utc`, `<stored>_offset` and `<stored>_text`. */
const storedColumn = v.pipe(
  v.object({
    name: v.string(),
    kind: v.picklist(columnKinds),
    standard: v.nullable(v.string()),
    stored: v.pipe(v.string(), v.regex(storedName)),
    /** Missing in older imports: times are year-first, numbers have decimal points. */
    form: v.exactOptional(v.picklist([...timeForms, ...numberForms])),
    /** Whether `<stored>_usual` holds the canonical form of addresses that are written differently. */
    address: v.exactOptional(v.boolean()),
    /** Number of cells that are neither empty nor of the column's type. */
    odd: v.exactOptional(count),
    /** Number of cells that list several addresses. */
    several: v.exactOptional(count),
    at: v.exactOptional(v.pipe(count, v.minValue(1))),
  }),
  /** `place`: position of a packed cell, from 1; `stored` is then `restOfRow`. */
  v.transform(({ at: place, ...column }) => ({ ...column, ...(place !== undefined && { place }) })),
)
export type StoredColumn = Readonly<v.InferOutput<typeof storedColumn>>

/** Size in bytes and modification time of a file. */
const seenFile = v.object({ size: count, changedAt: v.number() })
export type SeenFile = Readonly<v.InferOutput<typeof seenFile>>

/** Detected format of a table, omitted lines, and doubts. */
const storedFormat = v.object({
  encoding: v.string(),
  delimiter: v.string(),
  escape: v.picklist(['doubled', 'backslash']),
  hasHeader: v.boolean(),
  linesBefore: count,
  linesAfter: count,
  /** Rows that lacked cells at their end. */
  short: count,
  /** Whether apostrophes that guard texts against formulas were removed. */
  guarded: v.exactOptional(v.boolean()),
  /** Whether the user chose any of the settings. */
  chosen: v.exactOptional(v.boolean()),
  doubts: v.pipe(v.array(v.picklist(importDoubts)), v.readonly()),
})
export type StoredFormat = Readonly<v.InferOutput<typeof storedFormat>>

/** A rows file as it was written. */
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
 * Description of an archive's rows. Stored in the catalogue and in the metadata of the entry file, so that a lost catalogue can be rebuilt.
 * A rows file without an entry is ignored.
 */
const entry = v.pipe(
  v.object({
    id: branded<RowsFileId>(),
    /** Data scope of the rows. The key keeps its first name, because files of all versions have it. */
    owner: branded<DataScopeId>(v.pipe(v.string(), v.regex(/^[0-9A-Za-z-]{1,100}$/))),
    report: v.nullable(branded<RawReportId>()),
    name: v.string(),
    type: v.nullable(v.picklist(rawTypes)),
    /** Path of the archive at the import. `seen`: its size and time, missing in older imports. */
    source: v.string(),
    seen: v.exactOptional(seenFile),
    /** One per table; missing in older imports. */
    readAs: v.exactOptional(v.pipe(v.array(storedFormat), v.readonly())),
    /** Zone for times without a zone, if there are any. */
    zone: v.exactOptional(v.string()),
    columns: v.pipe(v.array(storedColumn), v.readonly()),
    count,
    unreadable: count,
    first: v.nullable(instant),
    last: v.nullable(instant),
    readAt: instant,
    rows: storedRows,
  }),
  v.transform(({ owner: dataScope, ...rest }) => ({ dataScope, ...rest })),
)
export type RowsEntry = Readonly<v.InferOutput<typeof entry>>

const fileSchema = v.object({ form: v.literal(form), entry })

export function writeEntry({ id, dataScope: owner, ...about }: RowsEntry): string {
  const columns = about.columns.map(({ place: at, ...column }) => ({ ...column, at }))
  return JSON.stringify({ form, entry: { id, owner, ...about, columns } })
}

/** Parses an entry from a file or the catalogue. Returns undefined if it is not the app's own. */
export const readEntry = (text: string): RowsEntry | undefined => readJson(fileSchema, text)?.entry
