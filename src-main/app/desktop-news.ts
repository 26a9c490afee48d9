import type { Download } from '#shared/downloads/download.ts'
import type { Announcement, AnnouncementBatch } from '#shared/raw/settings.ts'
import type { StuckRequest } from '#shared/raw/requests.ts'
import { notificationOf, notificationOfRequest, summaryOf } from '#shared/texts/raw.ts'
import type { DeskNotification } from '#shared/texts/raw.ts'
import { nameOfFinding, notificationOfFinding, summaryOfFindings } from '#shared/texts/finding-news.ts'
import { notificationOfRun, summaryOfRuns } from '#shared/texts/schedule-news.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { Finding } from '#shared/watch/alerts.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Lock } from '#main/lock/lock.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Desktop } from '#main/shell/desktop/desktop.ts'
import type { Showing } from '#main/shell/desktop/notifier.ts'
import type { Log } from '#main/shell/log.ts'
import type { NewsInWindow } from '#main/shell/notices.ts'
import type { AppPlace } from '#main/shell/tray.ts'
import type { AnnouncedRun } from '#main/watch/schedules/schedules-context.ts'
import type { PlaceOpener } from './place-opener.ts'

/** States in which a file exists or will exist without action by the user. */
const savedStates: ReadonlySet<Download['state']['kind'] | 'none'> = new Set([
  ...(['waiting', 'running', 'checking', 'unpacking', 'saved'] as const),
])

type Report = { readonly account: AccountId; readonly report: RawReportId }

/** Returns the subject with its name, or with an empty name. */
type Named = <S extends { readonly name: string }>(subject: S) => S

/** Services that notifications need. */
export type DesktopNewsContext = {
  readonly desktop: Desktop
  /** While locked, notifications contain no names. */
  readonly lock: Lock
  readonly accounts: Accounts
  readonly reports: Reports
  readonly downloads: Downloads
  readonly inWindow: NewsInWindow
  readonly placeOpener: PlaceOpener
  readonly events: AppEvents
  readonly log: Log
}

/** Shows notifications about raw reports, raw requests, findings, scheduled files and updates, and runs the chosen actions. */
export class DesktopNews {
  readonly #context: DesktopNewsContext

  constructor(context: DesktopNewsContext) {
    this.#context = context
    const { events } = context
    events.on('raw/stuck', ({ request }) => void this.#announceRequest(request))
    events.on('updates/found', ({ version }) => void this.#announceUpdate(version))
  }

  /**
   * Notifies of raw reports. A click opens the report, or the list if the batch covers several reports. If the desktop fails
   * to notify, `notifications/back` is emitted once the desktop can notify again.
   * @param handing called directly before a notification or notice is shown
   * @throws if the desktop shows no notification and no window is open
   */
  async announce(batch: AnnouncementBatch, handing: () => void): Promise<void> {
    await this.#followingDesktop(() =>
      batch.kind === 'summary'
        ? this.#announceAll(batch.announcements, handing)
        : this.#announceOne(batch.announcement, handing),
    )
  }

  /**
   * Notifies of findings. A click opens the finding, or all findings. If the desktop fails to notify, as with raw reports.
   * @param handing called directly before a notification or notice is shown
   * @throws if the desktop shows no notification and no window is open
   */
  async announceFindings(findings: readonly Finding[], handing: () => void): Promise<void> {
    const [first] = findings
    if (!first) return
    const nameOf = ({ account }: Finding) => this.#context.accounts.account(account).name
    const id = findings.length === 1 ? first.id : null
    const place: AppPlace = { kind: 'finding', account: first.account, id }
    const words = (named: Named) =>
      id === null
        ? summaryOfFindings(findings.map(nameOf))
        : notificationOfFinding(named({ ...first, name: nameOfFinding(first, nameOf(first)) }), nameOf(first))
    await this.#followingDesktop(() =>
      this.#show(words, { handing, act: () => void this.#context.placeOpener.open(place) }),
    )
  }

  /**
   * Notifies of scheduled files. A click opens the schedules. If the desktop fails to notify, as with raw reports.
   * @param handing called directly before a notification or notice is shown
   * @throws if the desktop shows no notification and no window is open
   */
  async announceRuns(runs: readonly AnnouncedRun[], handing: () => void): Promise<void> {
    const [first] = runs
    if (!first) return
    const nameOf = ({ account }: AnnouncedRun) => this.#context.accounts.account(account).name
    const place: AppPlace = { kind: 'schedules', account: first.account }
    const words = (named: Named) =>
      runs.length === 1
        ? notificationOfRun(named(first), nameOf(first))
        : summaryOfRuns(runs, runs.map(nameOf))
    await this.#followingDesktop(() =>
      this.#show(words, { handing, act: () => void this.#context.placeOpener.open(place) }),
    )
  }

  /** If the desktop fails to notify, `notifications/back` is emitted once it can notify again. */
  async #followingDesktop(show: () => Promise<void>): Promise<void> {
    try {
      await show()
    } catch (error) {
      const appeared = () => this.#context.events.emit({ kind: 'notifications/back' })
      this.#context.desktop.followNotifications(appeared).catch(() => undefined)
      throw error
    }
  }

  async #announceAll(announcements: readonly Announcement[], handing: () => void): Promise<void> {
    const [first] = announcements
    if (!first) return
    const place: AppPlace = { kind: 'raw', account: first.account, report: null }
    const all = announcements.map((announcement) => ({
      ...announcement,
      account: this.#context.accounts.account(announcement.account).name,
    }))
    await this.#show(() => summaryOf(all), { handing, act: () => void this.#context.placeOpener.open(place) })
  }

  async #announceOne(announcement: Announcement, handing: () => void): Promise<void> {
    const { account, report } = announcement
    const saved = savedStates.has(this.#context.downloads.savedState(account, report))
    const facts = { account: this.#context.accounts.account(account).name, saved, locale: undefined }
    await this.#show((named) => notificationOf(named(announcement), facts), {
      handing,
      act: (action) => {
        switch (action) {
          case 'open':
            return void this.#context.placeOpener.open({ kind: 'raw', account, report })
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
    const { name } = this.#context.accounts.account(account)
    const act = () => void this.#context.placeOpener.open({ kind: 'raw', account, report: null })
    await this.#show((named) => notificationOfRequest(named(request), name), {
      handing: () => undefined,
      act,
    }).catch(() => undefined)
  }

  /** Shows a notification. The only place that removes names and buttons while the app is locked. */
  async #show(words: (named: Named) => DeskNotification, { handing, act }: Showing): Promise<void> {
    const notification = this.#context.lock.locked
      ? { ...words((subject) => ({ ...subject, name: '' })), body: '', actions: [] }
      : words((subject) => subject)
    try {
      // A button of an earlier notification opens the lock screen, as a click does.
      const actUnlocked: Showing['act'] = (chosen) => act(this.#context.lock.locked ? 'open' : chosen)
      await (await this.#context.desktop.notifier()).show(notification, { handing, act: actUnlocked })
    } catch (error) {
      if (!this.#context.reports.watching) throw error
      handing()
      this.#context.inWindow.notify(notification)
    }
  }

  async #save(report: Report): Promise<void> {
    try {
      await this.#context.downloads.start({ ...report, choose: false })
    } catch (error) {
      this.#context.log('raw', 'A report could not be saved from its notification', error)
      await this.#context.placeOpener.open({ kind: 'raw', ...report })
    }
  }

  /** Shows a report's file in its folder. Opens Downloads during the download, or the report if it has no file. */
  async #showFile({ account, report }: Report): Promise<void> {
    const all = await this.#context.downloads.list()
    const found = all.find((download) => download.account === account && download.report === report)
    if (found && found.state.kind !== 'saved' && savedStates.has(found.state.kind))
      return await this.#context.placeOpener.open({ kind: 'downloads' })
    try {
      await this.#context.downloads.showReport({ account, report })
    } catch {
      await this.#context.placeOpener.open({ kind: 'raw', account, report })
    }
  }

  /** Announces an update. A click opens About. If the desktop shows no notification, the window shows a notice. */
  async #announceUpdate(version: string): Promise<void> {
    const title = `Traffic Desk ${version} is available`
    const body = 'See Help, About for what is new and where to get it.'
    const handlers = {
      handing: () => undefined,
      act: () => void this.#context.placeOpener.open({ kind: 'about' }),
    }
    try {
      await (
        await this.#context.desktop.notifier()
      ).show({ title, body, actions: [], urgent: false }, handlers)
    } catch {
      const notice = { id: 'update', tone: 'information', title, text: body } as const
      this.#context.events.emit({ kind: 'notice/shown', notice })
    }
  }
}
