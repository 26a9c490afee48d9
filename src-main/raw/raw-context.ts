import type { AnnouncementBatch } from '#shared/raw/settings.ts'
import type { Downloads } from './downloads/downloads.ts'
import type { DownloadsContext } from './downloads/downloads-context.ts'

/** Services that raw reports need. */
export type RawContext = DownloadsContext & {
  readonly downloads: Downloads
  readonly news: { readonly announce: Announce }
  /** The profile folder. */
  readonly folder: string
}

/**
 * Shows announcements. Resolves once the desktop has shown them. Rejects otherwise, and they are shown again later.
 * @param handing must be called synchronously before the desktop call. Records the announcements as shown, so that a
 * killed app never repeats them. At worst the app loses one notification
 */
type Announce = (batch: AnnouncementBatch, handing: () => void) => Promise<void>
