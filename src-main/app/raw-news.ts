import type { Download } from '#shared/downloads/download.ts'
import type { StuckRequest } from '#shared/raw/asking.ts'
import type { News } from '#shared/raw/announcements.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import { announce, announceRequest } from '#main/shell/announcing.ts'
import type { Desktop } from '#main/shell/desktop/desktop.ts'
import type { DeskNotification } from '#shared/texts/notifications.ts'
import type { Place } from '#main/shell/announcing.ts'
import type { Log } from '#main/shell/log.ts'

export type RawNewsParts = {
  readonly desktop: Pick<Desktop, 'notifier' | 'followNotifications'>
  /** Whether names are kept to oneself. */
  readonly isLocked: () => boolean
  readonly accounts: Pick<AccountStore, 'account'>
  readonly downloads: () => Pick<Downloads, 'list' | 'savedState' | 'showReport' | 'start'>
  readonly open: (place: Place) => void
  /** Tells it in the window; false where none is open. */
  readonly notifyInWindow: (news: DeskNotification) => boolean
  /** Notifications can be shown again. */
  readonly again: () => void
  readonly log: Log
}

/** A file that is there, or comes without anybody's help: nobody has to save it. */
const comesByItself: ReadonlySet<Download['state']['kind'] | 'none'> = new Set([
  ...(['waiting', 'running', 'checking', 'unpacking', 'saved'] as const),
])

type Report = { readonly account: AccountId; readonly report: RawReportId }

/** Shows news of raw reports and of requests; what is chosen there is done by the downloads, or leads to the report. */
export function rawNews({
  desktop,
  isLocked,
  accounts,
  downloads,
  open,
  notifyInWindow,
  again,
  log,
}: RawNewsParts) {
  const openReport = (of: Report) => open({ kind: 'raw', ...of })

  async function save({ account, report }: Report): Promise<void> {
    try {
      await downloads().start({ account, report, choose: false })
    } catch (error) {
      log('raw', 'A report could not be saved from its notification', error)
      openReport({ account, report })
    }
  }

  /** Shows a report's file; its download while that goes on, and the report itself where it has no file any more. */
  async function showFile({ account, report }: Report): Promise<void> {
    const all = await downloads().list()
    const found = all.find((download) => download.account === account && download.report === report)
    if (found && found.state.kind !== 'saved' && comesByItself.has(found.state.kind)) {
      open({ kind: 'downloads' })
      return
    }
    try {
      await downloads().showReport({ account, report })
    } catch {
      openReport({ account, report })
    }
  }

  const accountName = (account: AccountId) => accounts.account(account).name

  return {
    announce: async (news: News, handing: () => void): Promise<void> => {
      // What the desktop refuses waits until it can, or until a window is opened.
      const waits = (error: unknown) => {
        desktop.followNotifications(again).catch(() => undefined)
        throw error
      }
      await announce(
        {
          desktop,
          isLocked,
          accountName,
          isSaved: ({ account, report }) => comesByItself.has(downloads().savedState(account, report)),
          open,
          save: (of) => void save(of),
          showFile: (of) => void showFile(of),
          notifyInWindow,
        },
        news,
        handing,
      ).catch(waits)
    },
    stuck: (request: StuckRequest): void =>
      void announceRequest({ desktop, isLocked, accountName, open, notifyInWindow }, request),
  }
}
