import type { Failure } from '../api/failure.ts'
import type { AccountId, Instant, RawReportId } from '../values/ids.ts'

/** A download of a raw report's archive; a random UUID. */
export type DownloadId = string & { readonly __brand: 'DownloadId' }

/** How a download stands. Bytes; `speed` in bytes a second over the last seconds. */
export type DownloadState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'running'; readonly got: number; readonly speed: number | null }
  /** By hand, or because the disk has no room or the service away: what goes on by itself says so. */
  | {
      readonly kind: 'paused'
      readonly got: number
      readonly why: 'person' | 'disk' | 'connection' | 'token' | 'interrupted'
    }
  | { readonly kind: 'checking' }
  /** The archive is saved; the tables in it are on their way. */
  | { readonly kind: 'unpacking' }
  /** `archive`: it is saved, and only the tables in it are not. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly archive?: 'saved' }
  | { readonly kind: 'saved'; readonly at: Instant }
  /** Saved once, and moved or deleted since. */
  | { readonly kind: 'missing' }

/** A download as the view Downloads lists it, in the person's order. */
export type Download = {
  readonly id: DownloadId
  readonly account: AccountId
  readonly report: RawReportId
  /** The report's name. */
  readonly name: string
  /** The file's name alone, as it is or is going to be; folders are never told to a window. */
  readonly file: string
  /** Where it is fetched from, once an address was given. */
  readonly host: string | null
  readonly size: number | null
  /** When the service is going to delete it: until then it can be fetched again. */
  readonly expires: string | null
  readonly state: DownloadState
}

/** What became of downloads: told a few times a second at most, so that a list need not be asked for again and again. */
export type DownloadsChanged = {
  /** Those that changed, as they are now; new ones stand at the end of the list. */
  readonly changed: readonly Download[]
  /** Those that are off the list. */
  readonly removed: readonly DownloadId[]
  /** Whether they stand in another order: the list is to be asked for anew. */
  readonly reordered: boolean
}
