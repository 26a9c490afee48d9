import * as v from 'valibot'
import type { DownloadId } from '#shared/downloads/download.ts'
import { branded, failure, instant, json } from '#shared/values/schemas.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { put, remove, table, update } from '../sqlite/database.ts'

/** How a download stands on the disk. What runs, or pauses automatically, waits: it goes on after whatever happens. */
const storedState = v.variant('kind', [
  v.object({
    /**
     * `paused`: by the person. `publishing`: its archive is whole, and is just being given the name in `file`. `unpacking`: its
     * archive lies where it belongs, the tables in it do not yet.
     */
    kind: v.picklist(['waiting', 'paused', 'publishing', 'unpacking']),
  }),
  v.object({ kind: v.literal('saved'), at: instant }),
  /** `named`: its archive lies where it belongs, only the tables in it do not. */
  v.object({ kind: v.literal('failed'), failure, named: v.optional(v.boolean(), false) }),
])

const text = v.string()
const filled = v.pipe(text, v.minLength(1))
const uuid = v.pipe(text, v.uuid())
/** A name within a folder: what a damaged file says must not lead anywhere else. */
const fileName = v.pipe(text, v.minLength(1), v.regex(/^(?!\.{1,2}$)[^/\\\0]*$/))

const storedDownload = v.object({
  id: branded<DownloadId>(uuid),
  account: branded<AccountId>(uuid),
  report: branded<RawReportId>(filled),
  name: text,
  folder: filled,
  file: fileName,
  /** The file in the making; null where there is none. */
  part: v.nullable(fileName),
  host: v.nullable(text),
  size: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  /** What the part is continued with: a strong entity tag or a date of change. */
  etag: v.nullable(text),
  expires: v.nullable(text),
  addedAt: instant,
  state: json(storedState),
})

export type StoredState = Readonly<v.InferOutput<typeof storedState>>

/** A download as it is kept. Part and file are names within the folder. */
export type StoredDownload = Readonly<v.InferOutput<typeof storedDownload>>

const stored = table('downloads', storedDownload)

/** In the person's order. */
export const listDownloads = (from: Reader): readonly StoredDownload[] =>
  stored.list(from, 'ORDER BY place, rowid')

/** Writes downloads down; new ones stand at the end. Those of accounts that have gone are gone as well. */
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
  'downloads/sizes': downloadSizes,
  'downloads/list': listDownloads,
  'downloads/put': putDownloads,
  'downloads/remove': (into: Writer, ids: readonly DownloadId[]): void =>
    into.together(() => ids.forEach((id) => remove(into, 'downloads', { id }))),
  /** All of them, in their new order. */
  'downloads/order': (into: Writer, ids: readonly DownloadId[]): void =>
    into.together(() => ids.forEach((id, place) => update(into, 'downloads', { id }, { place: place + 1 }))),
} as const
