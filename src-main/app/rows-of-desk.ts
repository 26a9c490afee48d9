import type { DeskEventName, DeskEvents } from '#shared/bridge/calls.ts'
import { rawTypes } from '#shared/api/raw-columns.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Notify } from '#main/bridge/events.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { Reports } from '#main/reports/figures.ts'
import type { Raw } from '#main/raw/raw.ts'
import { rowsFolder, workFolder } from '#main/archives/layout.ts'
import { createRows } from '#main/archives/rows.ts'
import type { Rows, RowsParts } from '#main/archives/rows.ts'
import { systemClock } from '#main/lib/async.ts'
import type { DeskShell } from '#main/shell/desk-shell.ts'
import type { DeskParts } from './desk-parts.ts'

type RowsDeskParts = Pick<RowsParts, 'store' | 'state' | 'folder' | 'autoImport' | 'engineEnded'> &
  Pick<DeskParts, 'openRows'> & {
    readonly accounts: AccountStore
    readonly raw: Raw
    readonly reports: Reports
    readonly exported: Exports
    readonly notify: Notify
    readonly ruleNames: RowsParts['forCases']['ruleNames']
    readonly shell: Pick<DeskShell, 'chooseTables' | 'print'>
  }

/** The rows of archives, with what they need of the other modules. */
export const rowsOfDesk = (parts: RowsDeskParts): Rows =>
  createRows({
    store: parts.store,
    state: parts.state,
    autoImport: parts.autoImport,
    accounts: parts.accounts,
    folder: parts.folder,
    openEngine: () => parts.openRows([rowsFolder(parts.folder), workFolder(parts.folder)]),
    ...(parts.engineEnded && { engineEnded: parts.engineEnded }),
    saved: parts.raw.downloads.saved,
    typeOf: async (account, report) => {
      const type = (await parts.raw.reports.known(account, report))?.type.toLowerCase()
      return rawTypes.find((each) => each === type) ?? null
    },
    chooseTables: parts.shell.chooseTables,
    runExport: parts.exported.run,
    trend: (account, query) => parts.reports.trend({ account, query, force: false }),
    ask: parts.reports.ask,
    print: parts.shell.print,
    reportOf: async (account, report) =>
      (await parts.raw.reports.report({ account, report, force: false })).report,
    forCases: {
      dataScope: parts,
      instances: parts.reports.instances,
      ruleNames: parts.ruleNames,
      asking: parts.raw.asking,
      listed: parts.raw.reports.known,
      savedState: parts.raw.downloads.savedState,
      saveReport: (account, report) => parts.raw.downloads.start({ account, report, choose: false }),
    },
    emit: parts.notify,
    ...systemClock,
  })

/** Whose list of rows reads otherwise after downloads changed: an archive that was saved, or has gone, is one more or less. */
export function changedRows(
  event: DeskEvents[DeskEventName],
  accounts: Pick<AccountStore, 'list'>,
): ReadonlySet<AccountId> {
  if (!('reordered' in event)) return new Set()
  const { changed, removed } = event
  const ended = changed.filter(({ state }) => state.kind === 'saved' || state.kind === 'missing')
  return new Set(
    removed.length > 0 ? accounts.list().map(({ id }) => id) : ended.map(({ account }) => account),
  )
}
