import type { Download } from '#shared/downloads/download.ts'
import type { Failure } from '#shared/api/failure.ts'
import { cancelDownload, moveDownload, onDownload, startDownload } from '#renderer/queries/downloads.ts'
import type { App } from '#renderer/stores/app.ts'
import { openRows } from '#renderer/stores/raw-rows.ts'

/** What can be done to downloads; what cannot be is said at the window's foot. */
export function downloadActions(app: Pick<App, 'bridge' | 'queries' | 'messages' | 'navigation' | 'desk'>) {
  const { messages } = app
  async function notify(doing: Promise<Failure | null>): Promise<boolean> {
    const failure = await doing
    if (failure) messages.say(failure.message)
    return failure === null
  }

  /** A file that is not whole yet is gone with it; one that is saved stays. */
  async function cancel(download: Download): Promise<void> {
    const { account, report, name, state } = download
    const outcome = await cancelDownload(app, download.id)
    if (!outcome.ok) return messages.say(outcome.failure.message)
    if (state.kind === 'saved' || state.kind === 'missing') return
    const { stays } = outcome.value
    if (stays !== null) return messages.say(`The archive of “${name}” is saved already, and stays: ${stays}.`)
    messages.say(`“${name}” is not saved.`, {
      words: 'Begin again',
      run: () => void notify(startDownload(app, { account, report, choose: false })),
    })
  }

  return {
    cancel,
    pause: ({ id }: Download) => notify(onDownload(app, 'downloads/pause', id)),
    resume: ({ id }: Download) => notify(onDownload(app, 'downloads/resume', id)),
    show: ({ id }: Download) => notify(onDownload(app, 'downloads/show', id)),
    open: ({ id }: Download) => notify(onDownload(app, 'downloads/open', id)),
    /** Shows the rows inside the archive. */
    openRows: ({ account, report }: Download) => void openRows(app, account, report),
    move: ({ id }: Download, by: number) => notify(moveDownload(app, { id, by })),
  }
}

export type DownloadActions = ReturnType<typeof downloadActions>
