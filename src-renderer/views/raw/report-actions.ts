import type { ListedReport } from '#shared/raw/list.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { showArchive, startDownload } from '#renderer/queries/downloads.ts'
import type { App } from '#renderer/stores/app.ts'
import { openRows } from '#renderer/stores/raw-rows.ts'
import { nameOfReport } from '#shared/texts/raw.ts'

type Needed = Pick<App, 'bridge' | 'queries' | 'desk' | 'messages' | 'navigation'>

/** What can be done to raw reports of an account; each is said at the window's foot, with a way back where there is one. */
export function reportActions(app: Needed, account: AccountId) {
  const { bridge, messages, navigation } = app
  const notify = (failure: Failure | null) => failure && messages.say(failure.message)

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
    messages.say(failed ? `${name} was not cancelled. ${failed.words}` : `${name} is cancelled.`)
  }

  async function undo(listed: readonly ListedReport[]): Promise<void> {
    const outcome = await bridge.call('raw/undo-remove', {
      account,
      reports: listed.map(({ row }) => row.id),
    })
    if (!outcome.ok) return void notify(outcome.failure)
    const stored = outcome.value.length
    if (stored === 0) messages.say('Too late: the removal is on its way.')
    else if (stored < listed.length) messages.say(`${stored} of ${listed.length} reports stay.`)
    else messages.say(`${whatOf(listed, 'stays', 'stay')}.`)
  }

  async function remove(listed: readonly ListedReport[]): Promise<void> {
    if (listed.length === 0) return
    const reports = listed.map(({ row }) => row.id)
    const outcome = await bridge.call('raw/remove', { account, reports })
    if (!outcome.ok) return void notify(outcome.failure)
    const words = `${whatOf(listed, 'is', 'are')} being removed.`
    messages.say(words, { words: 'Undo', run: () => void undo(listed) })
  }

  /** Goes on with what was begun, else begins anew, also with what is saved; `choose` asks for a folder first. */
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
    /** Shows the rows inside its archive. */
    openRows: ({ row }: ListedReport) => void openRows(app, account, row.id),
    recount: ({ row }: ListedReport) => void openRows(app, account, row.id, { recount: true }),
    open: (report: RawReportId) => go({ report }),
    askAgain: (report: RawReportId) => go({ form: { kind: 'report', report } }),
  }

  function go(change: Partial<App['navigation']['raw']>): void {
    navigation.go({ ...navigation.raw, ...change })
  }
}

export type ReportActions = ReturnType<typeof reportActions>
