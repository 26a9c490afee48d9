import type { Download } from '#shared/downloads/download.ts'
import type { Announcement, News } from '#shared/raw/settings.ts'
import type { StuckRequest } from '#shared/raw/requests.ts'
import { notificationOf, notificationOfRequest, summaryOf } from '#shared/texts/raw.ts'
import type { DeskNotification } from '#shared/texts/raw.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Lock } from '#main/lock/lock.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Desktop } from '#main/shell/desktop/desktop.ts'
import type { Showing } from '#main/shell/desktop/notifier.ts'
import type { Log } from '#main/shell/log.ts'
import type { NewsInWindow } from '#main/shell/notices.ts'
import type { Place } from '#main/shell/tray.ts'
import type { Navigation } from './navigation.ts'

/** States in which a file exists or will exist without action by the user. */
const savedStates: ReadonlySet<Download['state']['kind'] | 'none'> = new Set([
  ...(['waiting', 'running', 'checking', 'unpacking', 'saved'] as const),
])

type Report = { readonly account: AccountId; readonly report: RawReportId }

/** Returns the subject with its name, or with an empty name. */
type Named = <S extends { readonly name: string }>(subject: S) => S

type SavedFiles = Pick<Downloads, 'list' | 'savedState' | 'showReport' | 'start'>

/** Shows notifications about raw reports, raw requests and updates, and runs the chosen actions. */
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

  /** @param lock while locked, notifications contain no names */
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
    events.on('raw/stuck', ({ request }) => void this.#announceRequest(request))
    events.on('updates/found', ({ version }) => void this.#announceUpdate(version))
  }

  /** Sets the downloads. Set after construction, because `Downloads` needs `announce`. */
  use(files: SavedFiles): void {
    this.#files = files
  }

  /**
   * Shows news of raw reports. A click opens the report, or the list if the news covers several reports. If the desktop fails
   * to notify, `notifications/back` is emitted once the desktop can notify again.
   * @param handing called directly before a notification or notice is shown
   * @throws if the desktop shows no notification and no window is open
   */
  async announce(news: News, handing: () => void): Promise<void> {
    try {
      if (news.kind === 'summary') await this.#announceAll(news.announcements, handing)
      else await this.#announceOne(news.announcement, handing)
    } catch (error) {
      const appeared = () => this.#events.emit({ kind: 'notifications/back' })
      this.#desktop.followNotifications(appeared).catch(() => undefined)
      throw error
    }
  }

  async #announceAll(announcements: readonly Announcement[], handing: () => void): Promise<void> {
    const [first] = announcements
    if (!first) return
    const place: Place = { kind: 'raw', account: first.account, report: null }
    const all = announcements.map((announcement) => ({
      ...announcement,
      account: this.#accounts.account(announcement.account).name,
    }))
    await this.#show(() => summaryOf(all), { handing, act: () => void this.#navigation.open(place) })
  }

  async #announceOne(announcement: Announcement, handing: () => void): Promise<void> {
    const { account, report } = announcement
    const saved = savedStates.has(this.#files?.savedState(account, report) ?? 'none')
    const facts = { account: this.#accounts.account(account).name, saved, locale: undefined }
    await this.#show((named) => notificationOf(named(announcement), facts), {
      handing,
      act: (action) => {
        switch (action) {
          case 'open':
            return void this.#navigation.open({ kind: 'raw', account, report })
          case 'save':
            return void this.#save({ account, report })
          case 'show-in-folder':
            return void this.#showFile({ account, report })
        }
      },
    })
  }

  /**
   * Shows that a raw request needs a decision. A click opens the queue. If no notification or notice can be shown, the tray and
   * the queue still show the request.
   */
  async #announceRequest(request: StuckRequest): Promise<void> {
    const { account } = request
    const { name } = this.#accounts.account(account)
    const act = () => void this.#navigation.open({ kind: 'raw', account, report: null })
    await this.#show((named) => notificationOfRequest(named(request), name), {
      handing: () => undefined,
      act,
    }).catch(() => undefined)
  }

  /** Shows a notification. The only place that removes names and buttons while the app is locked. */
  async #show(words: (named: Named) => DeskNotification, { handing, act }: Showing): Promise<void> {
    const notification = this.#lock.locked
      ? { ...words((subject) => ({ ...subject, name: '' })), body: '', actions: [] }
      : words((subject) => subject)
    try {
      // A button of an earlier notification opens the lock screen, as a click does.
      const actUnlocked: Showing['act'] = (chosen) => act(this.#lock.locked ? 'open' : chosen)
      await (await this.#desktop.notifier()).show(notification, { handing, act: actUnlocked })
    } catch (error) {
      if (!this.#reports.watching) throw error
      this.#inWindow.notify(notification)
      handing()
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

  /** Shows a report's file in its folder. Opens Downloads during the download, or the report if it has no file. */
  async #showFile({ account, report }: Report): Promise<void> {
    const all = (await this.#files?.list()) ?? []
    const found = all.find((download) => download.account === account && download.report === report)
    if (found && found.state.kind !== 'saved' && savedStates.has(found.state.kind))
      return await this.#navigation.open({ kind: 'downloads' })
    try {
      await this.#files?.showReport({ account, report })
    } catch {
      await this.#navigation.open({ kind: 'raw', account, report })
    }
  }

  /** Announces an update. A click opens About. If the desktop shows no notification, the window shows a notice. */
  async #announceUpdate(version: string): Promise<void> {
    const title = `Traffic Desk ${version} is available`
    const body = 'See Help, About for what is new. Nothing is installed until you say so.'
    const handlers = { handing: () => undefined, act: () => void this.#navigation.open({ kind: 'about' }) }
    try {
      await (await this.#desktop.notifier()).show({ title, body, actions: [], urgent: false }, handlers)
    } catch {
      const notice = { id: 'update', tone: 'information', title, text: body } as const
      this.#events.emit({ kind: 'notice/shown', notice })
    }
  }
}
