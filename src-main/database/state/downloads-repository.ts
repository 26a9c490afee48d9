import * as v from 'valibot'
import type { DownloadId } from '#shared/downloads/download.ts'
import { branded, failure, instant, json } from '#shared/values/schemas.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { put, remove, table, update } from '../sqlite/database.ts'

/**
 * Stored state of a download. Running and automatically paused downloads are stored as `waiting`, so that they resume after any
 * interruption.
 */
const storedState = v.variant('kind', [
  v.object({
    /**
     * `paused`: by the user. `publishing`: the archive is complete and is being renamed to `file`. `unpacking`: the archive is
     * in place, its tables are not yet.
     */
    kind: v.picklist(['waiting', 'paused', 'publishing', 'unpacking']),
  }),
  v.object({ kind: v.literal('saved'), at: instant }),
  /** `named`: the archive is in place, only its tables are missing. */
  v.object({ kind: v.literal('failed'), failure, named: v.optional(v.boolean(), false) }),
])

const text = v.string()
const filled = v.pipe(text, v.minLength(1))
const uuid = v.pipe(text, v.uuid())
/** A file name without path, so that a damaged database cannot point outside the folder. */
const fileName = v.pipe(text, v.minLength(1), v.regex(/^(?!\.{1,2}$)[^/\\\0]*$/))

const storedDownload = v.object({
  id: branded<DownloadId>(uuid),
  account: branded<AccountId>(uuid),
  report: branded<RawReportId>(filled),
  name: text,
  folder: filled,
  file: fileName,
  /** The partial file, or null. */
  part: v.nullable(fileName),
  host: v.nullable(text),
  size: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  /** Strong entity tag or modification date, for resuming the part. */
  etag: v.nullable(text),
  expires: v.nullable(text),
  addedAt: instant,
  state: json(storedState),
})

export type StoredState = Readonly<v.InferOutput<typeof storedState>>

/** A stored download. `part` and `file` are names within `folder`. */
export type StoredDownload = Readonly<v.InferOutput<typeof storedDownload>>

const downloadsTable = table('downloads', storedDownload)

/** Lists downloads in the user's order. */
export const listDownloads = (from: Reader): readonly StoredDownload[] =>
  downloadsTable.list(from, 'ORDER BY place, rowid')

/** Stores downloads; new ones are added at the end. Downloads of removed accounts are skipped. */
export function putDownloads(into: Writer, downloads: readonly StoredDownload[]): void {
  into.together(() => {
    for (const download of downloads) {
      const last = into.row(
        'SELECT (SELECT ifnull(max(place), 0) FROM downloads) AS place FROM accounts WHERE id = ?',
        download.account,
      )
      if (last === undefined) continue
      const placed = { ...download, place: Number(last['place']) + 1 }
      put(into, 'downloads', ['id'], placed, ['account', 'report', 'addedAt', 'place'])
    }
  })
}

/** Number and known size in bytes of an account's saved archives, from the database only. */
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
  'downloads/sizes': downloadSizes,
  'downloads/list': listDownloads,
  'downloads/put': putDownloads,
  'downloads/remove': (into: Writer, ids: readonly DownloadId[]): void =>
    into.together(() => ids.forEach((id) => remove(into, 'downloads', { id }))),
  /** Stores the new order of all downloads. */
  'downloads/order': (into: Writer, ids: readonly DownloadId[]): void =>
    into.together(() => ids.forEach((id, place) => update(into, 'downloads', { id }, { place: place + 1 }))),
} as const
