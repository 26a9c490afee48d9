import type { Failure } from '#shared/api/failure.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { Download, DownloadId, DownloadsChanged } from '#shared/downloads/download.ts'
import { failureOf, moveIn, readingOf, changing } from './answers.ts'
import type { Asking } from './answers.ts'

/** Downloads of all accounts, in the user's order. `downloads/changed` carries the changes (events.ts). */
export const downloadList = (bridge: DeskBridge) => ({
  ...readingOf(bridge, ['downloads'], 'downloads/list'),
  gcTime: Infinity,
})

/** Applies a change event: changed downloads stay in place, new ones are appended. */
export const withChanged = (
  list: readonly Download[],
  { changed, removed }: DownloadsChanged,
): readonly Download[] => [
  ...list
    .filter(({ id }) => !removed.includes(id))
    .map((known) => changed.find(({ id }) => id === known.id) ?? known),
  ...changed.filter(({ id }) => !list.some((known) => known.id === id) && !removed.includes(id)),
]

/** Saves a report's archive; `choose` asks for a folder first. Returns the failure, or null. */
export const startDownload = changing('downloads/start')

/** Shows a saved archive in its folder. */
export const showArchive = changing('downloads/show-report')

export const onDownload = (
  { bridge }: Asking,
  name: 'downloads/pause' | 'downloads/resume' | 'downloads/show' | 'downloads/open',
  download: DownloadId,
): Promise<Failure | null> => failureOf(bridge.call(name, { download }))

/** Cancels a download. Returns the name of the file that remains, or the failure. */
export const cancelDownload = ({ bridge }: Asking, download: DownloadId) =>
  bridge.call('downloads/cancel', { download })

/** Moves a download in the list, on screen at once. Returns the failure, or null. */
export const moveDownload = (
  { bridge, queries }: Asking,
  move: { readonly id: DownloadId; readonly by: number },
): Promise<Failure | null> =>
  moveIn(queries, downloadList(bridge), move, (moved) => {
    const downloads = moved.filter(({ state }) => state.kind === 'waiting').map(({ id }) => id)
    return bridge.call('downloads/order', { downloads })
  })
