import type { Failure } from '#shared/api/failure.ts'
import type { ListedReport } from '#shared/raw/list.ts'
import { nameOfReport, savedWords } from '#shared/texts/raw.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { showArchive, startDownload } from '../../queries/downloads.ts'
import type { WindowApp } from '../../stores/app.ts'
import { openRows } from '../../stores/raw-rows.ts'

/** Only a report in progress can be cancelled (specification: raw/cancel). */
export const canCancel = ({ life, undoUntil }: ListedReport): boolean =>
  life.state === 'in-progress' && undoUntil === null

/** Whether the file is ready and neither saved nor being downloaded. Applies to “Download” for a selection. */
export const canDownload = ({ life, saved }: ListedReport): boolean =>
  life.state === 'ready' && ['none', 'paused', 'failed', 'missing'].includes(saved)

/** Whether a single report can be downloaded. A saved file may be unreachable or damaged, so it can be fetched again. */
export const canDownloadAlone = (listed: ListedReport): boolean =>
  canDownload(listed) || (listed.life.state === 'ready' && listed.saved === 'saved')

const canOpenRows = ({ saved }: ListedReport): boolean => saved === 'saved'

export const canShow = ({ saved }: ListedReport): boolean => saved === 'saved'

/** An action on a listed report. `path` is the SVG path of the icon. */
type Deed = { readonly name: string; readonly path: string; readonly run: () => void }

/** Returns the possible actions on a report, for the buttons and the menu of its row. */
export function deedsFor(listed: ListedReport, actions: ReportActions): readonly Deed[] {
  const deeds: readonly (Deed & { readonly can: boolean })[] = [
    {
      name: 'Details',
      path: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM8 7.5V11M8 5h.01',
      can: true,
      run: () => actions.open(listed.row.id),
    },
    {
      name: 'Download',
      path: 'M8 2v8m0 0L4.5 6.5M8 10l3.5-3.5M2.5 13.5h11',
      can: canDownloadAlone(listed),
      run: () => void actions.download(listed),
    },
    {
      name: 'Show in folder',
      path: 'M1.5 12.5v-9h4.5l1.5 2h7v7z',
      can: canShow(listed),
      run: () => void actions.show(listed),
    },
    {
      name: 'Open rows',
      path: 'M2 3.5h12v9H2zM2 6.5h12M2 9.5h12M6.5 6.5v6',
      can: canOpenRows(listed),
      run: () => actions.openRows(listed),
    },
    {
      name: 'Cancel report',
      path: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM6 6l4 4m0-4-4 4',
      can: canCancel(listed),
      run: () => void actions.cancel(listed),
    },
    {
      name: 'Remove',
      path: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.5 9h7l.5-9M6.75 7v4M9.25 7v4',
      can: true,
      run: () => void actions.remove([listed]),
    },
  ]
  return deeds.filter(({ can }) => can)
}

/**
 * Returns one sentence for each report that ended, or whose file was saved or failed, for screen readers.
 * Omits progress and reports that were not listed before.
 */
export function endsBetween(before: readonly ListedReport[], now: readonly ListedReport[]): string[] {
  return now.flatMap((listedReport) => {
    const old = before.find(({ row }) => row.id === listedReport.row.id)
    if (!old) return []
    const name = nameOfReport(listedReport.row.name)
    const ended = old.life.state === 'in-progress' && listedReport.life.state !== 'in-progress'
    const words = ended ? [`${name}: ${listedReport.life.words}.`] : []
    const isNews =
      listedReport.saved !== old.saved && (listedReport.saved === 'saved' || listedReport.saved === 'failed')
    return isNews ? [...words, `${name}: ${savedWords(listedReport)}.`] : words
  })
}

type Needed = Pick<WindowApp, 'bridge' | 'queries' | 'desk' | 'messages' | 'navigation'>

/** Returns the actions on an account's raw reports. Results appear as messages, with Undo if possible. */
export function reportActions(app: Needed, account: AccountId) {
  const { bridge, messages, navigation } = app
  const notify = (failure: Failure | null) => failure && messages.show(failure.message)

  const whatOf = (listed: readonly ListedReport[], one: string, many: string) => {
    const [first] = listed
    return listed.length === 1 && first
      ? `${nameOfReport(first.row.name)} ${one}`
      : `${listed.length} reports ${many}`
  }

  async function cancel({ row }: ListedReport): Promise<void> {
    const outcome = await bridge.call('raw/cancel', { account, report: row.id })
    if (!outcome.ok) return void notify(outcome.failure)
    const [failed] = outcome.value.failed
    const name = nameOfReport(row.name)
    messages.show(failed ? `${name} was not cancelled. ${failed.words}` : `${name} was cancelled.`)
  }

  async function undo(listed: readonly ListedReport[]): Promise<void> {
    const outcome = await bridge.call('raw/undo-remove', {
      account,
      reports: listed.map(({ row }) => row.id),
    })
    if (!outcome.ok) return void notify(outcome.failure)
    const stored = outcome.value.length
    if (stored === 0) messages.show('Too late: the removal was sent.')
    else if (stored < listed.length) messages.show(`${stored} of ${listed.length} reports were kept.`)
    else messages.show(`${whatOf(listed, 'stays', 'stay')}.`)
  }

  async function remove(listed: readonly ListedReport[]): Promise<void> {
    if (listed.length === 0) return
    const reports = listed.map(({ row }) => row.id)
    const outcome = await bridge.call('raw/remove', { account, reports })
    if (!outcome.ok) return void notify(outcome.failure)
    const words = `${whatOf(listed, 'is', 'are')} being removed.`
    messages.show(words, { words: 'Undo', run: () => void undo(listed) })
  }

  /** Resumes or starts a download; downloads a saved file again. `choose` prompts for a folder first. */
  async function download({ row, saved }: ListedReport, choose = false): Promise<void> {
    const anew = saved === 'saved' && { anew: true }
    notify(await startDownload(app, { account, report: row.id, choose, ...anew }))
  }

  async function show({ row }: ListedReport): Promise<void> {
    notify(await showArchive(app, { account, report: row.id }))
  }

  return {
    cancel,
    remove,
    undo,
    download,
    show,
    openRows: ({ row }: ListedReport) => void openRows(app, account, row.id),
    recount: ({ row }: ListedReport) => void openRows(app, account, row.id, { recount: true }),
    open: (report: RawReportId) => go({ report }),
    askAgain: (report: RawReportId) => go({ form: { kind: 'report', report } }),
  }

  function go(change: Partial<WindowApp['navigation']['raw']>): void {
    navigation.go({ ...navigation.raw, ...change })
  }
}

export type ReportActions = ReturnType<typeof reportActions>
