import * as v from 'valibot'
import type { DownloadId } from '#shared/downloads/download.ts'
import { failure, instant } from '#shared/values/schemas.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { Reader, Row, Writer } from '../sqlite/database.ts'

/** How a download stands on the disk. What runs, or pauses by itself, waits: it goes on after whatever happens. */
export type StoredState =
  | { readonly kind: 'waiting' }
  /** By the person. */
  | { readonly kind: 'paused' }
  /** Its archive is whole, and is just being given the name in `file`. */
  | { readonly kind: 'publishing' }
  /** Its archive lies where it belongs, the tables in it do not yet. */
  | { readonly kind: 'unpacking' }
  | { readonly kind: 'saved'; readonly at: Instant }
  /** `named`: its archive lies where it belongs, only the tables in it do not. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly named: boolean }

/** A download as it is kept. Part and file are names within the folder. */
export type StoredDownload = {
  readonly id: DownloadId
  readonly account: AccountId
  readonly report: RawReportId
  readonly name: string
  readonly folder: string
  readonly file: string
  /** The file in the making; null where there is none. */
  readonly part: string | null
  readonly host: string | null
  readonly size: number | null
  /** What the part is continued with: a strong entity tag or a date of change. */
  readonly etag: string | null
  readonly expires: string | null
  readonly addedAt: Instant
  readonly state: StoredState
}

const text = v.string()

const storedState: v.GenericSchema<unknown, StoredState> = v.variant('kind', [
  v.object({ kind: v.picklist(['waiting', 'paused', 'publishing', 'unpacking']) }),
  v.object({
    kind: v.literal('saved'),
    at: instant,
  }),
  v.object({ kind: v.literal('failed'), failure, named: v.optional(v.boolean(), false) }),
])

const uuid = v.pipe(v.string(), v.uuid())
/** A name within a folder: what a damaged file says must not lead anywhere else. */
const fileName = v.pipe(v.string(), v.minLength(1), v.regex(/^(?!\.{1,2}$)[^/\\\0]*$/))

const downloadRow = v.pipe(
  v.object({
    id: uuid,
    account: uuid,
    report: v.pipe(v.string(), v.minLength(1)),
    name: text,
    folder: v.pipe(v.string(), v.minLength(1)),
    file: fileName,
    part: v.nullable(fileName),
    host: v.nullable(text),
    size: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
    etag: v.nullable(text),
    expires: v.nullable(text),
    added_at: v.number(),
    state: v.pipe(text, v.parseJson(), storedState),
  }),
  v.transform(({ id, account, report, added_at: addedAt, ...rest }): StoredDownload => ({
    ...rest,
    id: id as DownloadId,
    account: account as AccountId,
    report: report as RawReportId,
    addedAt: addedAt as Instant,
  })),
)

/** A download from a row; undefined where the row is none. */
function downloadFrom(row: Row): StoredDownload | undefined {
  const read = v.safeParse(downloadRow, row)
  return read.success ? read.output : undefined
}

const everyDownload = 'SELECT * FROM downloads'

export function listDownloads(from: Reader): StoredDownload[] {
  return from.rows(`${everyDownload} ORDER BY place, rowid`).flatMap((row) => downloadFrom(row) ?? [])
}

/** Writes downloads down; new ones stand at the end. Those of accounts that have gone are gone as well. */
export function putDownloads(into: Writer, downloads: readonly StoredDownload[]): void {
  into.together(() => {
    for (const download of downloads) {
      into.write(
        `INSERT INTO downloads
           (id, account, report, name, folder, file, part, host, size, etag, expires, added_at, state, place)
         SELECT ?, id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(place), 0) + 1 FROM downloads)
         FROM accounts WHERE id = ?
         ON CONFLICT (id) DO UPDATE SET
           name = excluded.name, folder = excluded.folder, file = excluded.file, part = excluded.part,
           host = excluded.host, size = excluded.size, etag = excluded.etag, expires = excluded.expires,
           state = excluded.state`,
        download.id,
        download.report,
        download.name,
        download.folder,
        download.file,
        download.part,
        download.host,
        download.size,
        download.etag,
        download.expires,
        download.addedAt,
        JSON.stringify(download.state),
        download.account,
      )
    }
  })
}

/** Saved archives of an account: how many, and their bytes as far as these are known. No folder is looked into. */
type DownloadsSize = { readonly account: AccountId; readonly files: number; readonly bytes: number }

function downloadSizes(from: Reader): readonly DownloadsSize[] {
  const sizes = new Map<AccountId, DownloadsSize>()
  for (const { account, size, state } of listDownloads(from)) {
    const isSaved =
      state.kind === 'saved' || state.kind === 'unpacking' || (state.kind === 'failed' && state.named)
    if (!isSaved) continue
    const before = sizes.get(account) ?? { account, files: 0, bytes: 0 }
    sizes.set(account, { account, files: before.files + 1, bytes: before.bytes + (size ?? 0) })
  }
  return [...sizes.values()]
}

export const downloadOperations = {
  'downloads/sizes': (from: Reader): readonly DownloadsSize[] => downloadSizes(from),
  /** In the person's order. */
  'downloads/list': (from: Reader): readonly StoredDownload[] => listDownloads(from),
  'downloads/put': (into: Writer, downloads: readonly StoredDownload[]): null => {
    putDownloads(into, downloads)
    return null
  },
  'downloads/remove': (into: Writer, ids: readonly DownloadId[]): null => {
    into.together(() => {
      for (const id of ids) into.write('DELETE FROM downloads WHERE id = ?', id)
    })
    return null
  },
  /** All of them, in their new order. */
  'downloads/order': (into: Writer, ids: readonly DownloadId[]): null => {
    into.together(() => {
      ids.forEach((id, place) => into.write('UPDATE downloads SET place = ? WHERE id = ?', place + 1, id))
    })
    return null
  },
} as const
