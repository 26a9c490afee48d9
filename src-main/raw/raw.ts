import type { AccountId } from '#shared/values/ids.ts'
import { withTimeout } from '#main/lib/async.ts'
import { createRawAsking } from './requests/raw-asking.ts'
import { storedLists } from './requests/stored-lists.ts'
import type { RawAsking } from './requests/raw-asking.ts'
import type { RawAskingParts } from './requests/raw-asking-parts.ts'
import { Downloads } from './downloads/downloads.ts'
import type { RawDeps } from './raw-deps.ts'
import type { RawReportsParts } from './list/raw-reports-parts.ts'
import { createSavedChanges } from './saved-changes.ts'
import { createRawReports } from './polling/raw-reports.ts'
import type { RawReports } from './polling/raw-reports.ts'

/** What raw reports stand on, and who hears what happens to them. */
export type RawAppDeps = RawDeps &
  Pick<RawReportsParts, 'announce' | 'folder'> & {
    /** Hears of a request that is for the person to decide. */
    readonly stuck: RawAskingParts['stuck']
  }

/** Raw reports: asked for, watched, announced and saved. */
export type Raw = {
  readonly reports: RawReports
  readonly asking: RawAsking
  readonly downloads: Downloads
  /** Goes on with what the last session left. */
  readonly begin: () => void
  /** Awake, online, or set otherwise. */
  readonly retryNow: () => void
  /** The service of one account is back, or it is set otherwise: what hangs on that account alone goes on. */
  readonly wake: (account: AccountId) => void
  /** Watches, asks for and saves nothing by itself, or begins to again: the person wants quiet. */
  readonly pause: (paused: boolean) => void
  /** Before the store is closed. */
  readonly close: () => Promise<void>
}

/** How long a folder of downloads may take to say what lies in it, in milliseconds. */
const folderLimit = 5000

/** Joins asking, the list with its watcher, and downloads: what each needs of the others is said here and nowhere else. */
export function createRaw(parts: RawAppDeps): Raw {
  const { store, accounts, clock, events } = parts
  const settings = async () => (await parts.settings.read()).raw
  const downloads = new Downloads(parts)
  const reports = createRawReports({ ...parts, downloads })
  const asking: RawAsking = createRawAsking({
    store,
    accounts,
    clock,
    settings,
    events,
    stuck: parts.stuck,
    lists: storedLists({ store, clock, fresh: reports.fresh, accepted: reports.accepted }),
  })
  const listsAffectedBy = createSavedChanges(() => accounts.list().map(({ id }) => id))
  const followed = [
    accounts.onChange(({ kind }) => {
      if (kind === 'renewed') downloads.retryNow()
    }),
    events.on('downloads/changed', (event) => {
      // A row of the list says where its report's file is.
      for (const account of listsAffectedBy(event)) events.emit({ kind: 'raw/changed', account })
    }),
    events.on('settings/changed', ({ changed }) => {
      if (changed.includes('raw') || changed.includes('downloadFolder')) downloads.retryNow()
      if (changed.includes('raw')) reports.announceAgain()
    }),
  ]

  return {
    reports,
    asking,
    downloads,
    begin: () => {
      // Files are known before anything that is ready or expires is looked at; one on a disk that does not answer is not
      // waited for any longer.
      const begun = withTimeout({ milliseconds: folderLimit, clock }, () => downloads.begin())
      void begun
        .catch(() => undefined)
        .then(() => {
          reports.begin()
          asking.begin()
        })
    },
    retryNow: () => {
      reports.retryNow()
      asking.retryNow()
      downloads.retryNow()
    },
    wake: (account) => {
      reports.wake(account)
      asking.wake(account)
      downloads.wake(account)
    },
    pause: (paused) => {
      reports.pause(paused)
      asking.pause(paused)
      downloads.hold(paused)
    },
    close: async () => {
      for (const stop of followed) stop()
      await asking.close()
      // The one waits for the service, the other for disks.
      await Promise.all([reports.close(), downloads.close()])
    },
  }
}
