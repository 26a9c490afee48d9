import type { Failure } from '#shared/api/failure.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { Download, DownloadId, DownloadsChanged } from '#shared/downloads/download.ts'
import { failureOf, moveIn, readingOf, changing } from './answers.ts'
import type { Asking } from './answers.ts'

/** The downloads of all accounts, in the person's order. `downloads/changed` carries what becomes of them (events.ts). */
export const downloadList = (bridge: DeskBridge) => ({
  ...readingOf(bridge, ['downloads'], 'downloads/list'),
  gcTime: Infinity,
})

/** The list once something became of it: what changed stands where it stood, what is new at the end. */
export const withChanged = (
  list: readonly Download[],
  { changed, removed }: DownloadsChanged,
): readonly Download[] => [
  ...list
    .filter(({ id }) => !removed.includes(id))
    .map((known) => changed.find(({ id }) => id === known.id) ?? known),
  ...changed.filter(({ id }) => !list.some((known) => known.id === id) && !removed.includes(id)),
]

/** Saves a report's archive; answers why not. `choose` lets the person choose a folder first. */
export const startDownload = changing('downloads/start')

/** Shows a report's archive where it is saved. */
export const showArchive = changing('downloads/show-report')

export const onDownload = (
  { bridge }: Asking,
  name: 'downloads/pause' | 'downloads/resume' | 'downloads/show' | 'downloads/open',
  download: DownloadId,
): Promise<Failure | null> => failureOf(bridge.call(name, { download }))

/** Gives one up; answers with the name of the file that stays, or why it could not be. */
export const cancelDownload = ({ bridge }: Asking, download: DownloadId) =>
  bridge.call('downloads/cancel', { download })

/** Moves one by so many places, at once on screen; answers why it could not be. */
export const moveDownload = (
  { bridge, queries }: Asking,
  move: { readonly id: DownloadId; readonly by: number },
): Promise<Failure | null> =>
  moveIn(queries, downloadList(bridge), move, (moved) => {
    const downloads = moved.filter(({ state }) => state.kind === 'waiting').map(({ id }) => id)
    return bridge.call('downloads/order', { downloads })
  })
