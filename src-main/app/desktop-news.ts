import type { Download } from '#shared/downloads/download.ts'
import type { News } from '#shared/raw/settings.ts'
import type { DeskNotification } from '#shared/texts/raw.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Lock } from '#main/lock/lock.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import type { Reports } from '#main/reports/figures.ts'
import { announce, announceRequest } from '#main/shell/announcing.ts'
import type { Desktop } from '#main/shell/desktop/desktop.ts'
import type { Log } from '#main/shell/log.ts'
import type { NewsInWindow } from '#main/shell/notices.ts'
import type { Navigation } from './navigation.ts'

/** A file that is there, or comes without anybody's help: nobody has to save it. */
const comesByItself: ReadonlySet<Download['state']['kind'] | 'none'> = new Set([
  ...(['waiting', 'running', 'checking', 'unpacking', 'saved'] as const),
])

type Report = { readonly account: AccountId; readonly report: RawReportId }
type SavedFiles = Pick<Downloads, 'list' | 'savedState' | 'showReport' | 'start'>

/**
 * Tells of raw reports, requests and a newer version outside the window. What is chosen in a notification is done by the
 * downloads, or leads to the place.
 */
export class DesktopNews {
  readonly #desktop: Pick<Desktop, 'notifier' | 'followNotifications'>
  readonly #lock: Pick<Lock, 'locked'>
  readonly #accounts: Pick<AccountStore, 'account'>
  readonly #reports: Pick<Reports, 'watching'>
  readonly #inWindow: Pick<NewsInWindow, 'notify'>
  readonly #navigation: Pick<Navigation, 'open'>
  readonly #events: AppEvents
  readonly #log: Log
  #files: SavedFiles | null = null

  /** @param lock while it is closed, names are kept to oneself */
  constructor(
    desktop: Pick<Desktop, 'notifier' | 'followNotifications'>,
    lock: Pick<Lock, 'locked'>,
    accounts: Pick<AccountStore, 'account'>,
    reports: Pick<Reports, 'watching'>,
    inWindow: Pick<NewsInWindow, 'notify'>,
    navigation: Pick<Navigation, 'open'>,
    events: AppEvents,
    log: Log,
  ) {
    this.#desktop = desktop
    this.#lock = lock
    this.#accounts = accounts
    this.#reports = reports
    this.#inWindow = inWindow
    this.#navigation = navigation
    this.#events = events
    this.#log = log
    events.on('raw/stuck', ({ request }) => void announceRequest(this.#announcing(), request))
    events.on('updates/found', ({ version }) => void this.#announceUpdate(version))
  }

  /** Saves and shows files of reports with these downloads from now on: they stand above what tells of them. */
  use(files: SavedFiles): void {
    this.#files = files
  }

  /**
   * Shows news of raw reports. What the desktop refuses waits until it can, or until a window is opened.
   * @param handing called directly before it is handed to the desktop
   * @throws where the desktop shows none, and no window is open
   */
  async announce(news: News, handing: () => void): Promise<void> {
    try {
      await announce(this.#announcing(), news, handing)
    } catch (error) {
      const appeared = () => this.#events.emit({ kind: 'notifications/back' })
      this.#desktop.followNotifications(appeared).catch(() => undefined)
      throw error
    }
  }

  #announcing() {
    return {
      desktop: this.#desktop,
      isLocked: () => this.#lock.locked,
      accountName: (account: AccountId) => this.#accounts.account(account).name,
      isSaved: ({ account, report }: Report) =>
        comesByItself.has(this.#files?.savedState(account, report) ?? 'none'),
      open: (place: Parameters<Navigation['open']>[0]) => void this.#navigation.open(place),
      save: (report: Report) => void this.#save(report),
      showFile: (report: Report) => void this.#showFile(report),
      notifyInWindow: (news: DeskNotification) => {
        if (this.#reports.watching) this.#inWindow.notify(news)
        return this.#reports.watching
      },
    }
  }

  async #save(report: Report): Promise<void> {
    try {
      await this.#files?.start({ ...report, choose: false })
    } catch (error) {
      this.#log('raw', 'A report could not be saved from its notification', error)
      await this.#navigation.open({ kind: 'raw', ...report })
    }
  }

  /** Shows a report's file; its download while that goes on, and the report itself where it has no file any more. */
  async #showFile({ account, report }: Report): Promise<void> {
    const all = (await this.#files?.list()) ?? []
    const found = all.find((download) => download.account === account && download.report === report)
    if (found && found.state.kind !== 'saved' && comesByItself.has(found.state.kind))
      return await this.#navigation.open({ kind: 'downloads' })
    try {
      await this.#files?.showReport({ account, report })
    } catch {
      await this.#navigation.open({ kind: 'raw', account, report })
    }
  }

  /** A click leads to About. Where the desktop shows no notification, a notice in the window says it. */
  async #announceUpdate(version: string): Promise<void> {
    const title = `Traffic Desk ${version} is available`
    const body = 'Help, “About” shows what is new. Nothing changes until you say so.'
    const showing = { handing: () => undefined, act: () => void this.#navigation.open({ kind: 'about' }) }
    try {
      await (await this.#desktop.notifier()).show({ title, body, actions: [], urgent: false }, showing)
    } catch {
      const notice = { id: 'update', tone: 'information', title, text: body } as const
      this.#events.emit({ kind: 'notice/shown', notice })
    }
  }
}
