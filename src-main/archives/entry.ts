import * as v from 'valibot'
import type { RowsColumn, RowsFileId } from '#shared/archives/rows-file.ts'
import { columnKinds } from '#shared/archives/rows-file.ts'
import { rawTypes } from '#shared/api/raw-columns.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import type { Instant, DataScopeId, RawReportId } from '#shared/values/ids.ts'
import { branded, instant } from '#shared/values/schemas.ts'
import { isRowsPath } from './layout.ts'
import type { RowsPath } from './layout.ts'

/** A column as it lies in the file: as text under `stored`; moments as `<stored>_utc`, `<stored>_offset` and `<stored>_text`. */
export type StoredColumn = RowsColumn & {
  readonly stored: string
  /** Its place, from 1, where several stand in one: `stored` is `restOfRow` then. */
  readonly at?: number
}

/** So many columns of a table stand by themselves; of one that has more, the others stand together in `restOfRow` (csv/packing.ts). */
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
    v.object({
      name: v.string(),
      kind: v.picklist(columnKinds),
      standard: v.nullable(v.string()),
      stored: v.pipe(v.string(), v.regex(storedName)),
      at: v.exactOptional(v.pipe(count, v.minValue(1))),
    }),
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

export const writeEntry = (told: RowsEntry): string => JSON.stringify({ form, entry: told })

/** Reads what a file, or the catalogue, says of rows; undefined where that is not ours. */
export function readEntry(text: string): RowsEntry | undefined {
  try {
    const read = v.safeParse(written, JSON.parse(text))
    return read.success ? read.output.entry : undefined
  } catch {
    return undefined
  }
}
