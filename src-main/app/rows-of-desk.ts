import { rawTypes } from '#shared/api/raw-columns.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { Reports } from '#main/reports/figures.ts'
import type { Raw } from '#main/raw/raw.ts'
import { rowsFolder, workFolder } from '#main/archives/layout.ts'
import { createRows } from '#main/archives/rows.ts'
import type { Rows, RowsParts } from '#main/archives/rows.ts'
import { systemClock } from '#main/lib/async.ts'
import type { DeskShell } from '#main/lib/desk-shell.ts'
import type { DeskParts } from './desk-parts.ts'

type RowsDeskParts = Pick<RowsParts, 'store' | 'state' | 'folder' | 'autoImport' | 'events'> &
  Pick<DeskParts, 'openRows'> & {
    readonly accounts: AccountStore
    readonly raw: Raw
    readonly reports: Reports
    readonly exported: Exports
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
    saved: (account) => parts.raw.downloads.saved(account),
    typeOf: async (account, report) => {
      const type = (await parts.raw.reports.known(account, report))?.type.toLowerCase()
      return rawTypes.find((rawType) => rawType === type) ?? null
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
      savedState: (account, report) => parts.raw.downloads.savedState(account, report),
      saveReport: (account, report) => parts.raw.downloads.start({ account, report, choose: false }),
    },
    events: parts.events,
    ...systemClock,
  })
