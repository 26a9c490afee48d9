import { join } from 'node:path'
import type { CallResult } from '#shared/bridge/calls.ts'
import type { Notice } from '#shared/app/state.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { weeksBeginOn } from '#shared/views/period.ts'
import { Accounts } from '#main/accounts/accounts.ts'
import { KeychainEntries } from '#main/accounts/keychain-entries.ts'
import { createKeychain } from '#main/accounts/keychain.ts'
import { createLargeAnswers } from '#main/api/large/large-answers.ts'
import { Archives } from '#main/archives/archives.ts'
import { workFolder } from '#main/analytics/rows-layout.ts'
import { Backups } from '#main/backup/backups.ts'
import { Cases } from '#main/cases/cases.ts'
import { openingNotice } from '#main/database/store-notices.ts'
import { openStore } from '#main/database/open-store.ts'
import type { OpenStore } from '#main/database/open-store.ts'
import { Exports } from '#main/exports/exports.ts'
import { writersThread } from '#main/exports/writing-thread.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import { systemClock as clock } from '#main/lib/async.ts'
import { closeInTurn } from '#main/lib/module.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import { Jobs } from '#main/lib/jobs.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import { Lock } from '#main/lock/lock.ts'
import type { Presence } from '#main/lock/idle-watch.ts'
import { Downloads } from '#main/raw/downloads/downloads.ts'
import { Raw } from '#main/raw/raw.ts'
import { Reports } from '#main/reports/reports.ts'
import { Publisher } from '#main/publishing/publisher.ts'
import { Views } from '#main/saved-views/views.ts'
import { Settings } from '#main/settings/settings.ts'
import type { Desktop } from '#main/shell/desktop/desktop.ts'
import type { Log } from '#main/shell/log.ts'
import { NewsInWindow, Notices } from '#main/shell/notices.ts'
import type { AppPlace, TrayFacts } from '#main/shell/tray.ts'
import type { RunningApp } from '#main/shell/window.ts'
import { sampleServiceIn } from '#main/shell/workers.ts'
import { Updates } from '#main/updates/updates.ts'
import type { UpdateSource } from '#main/updates/source.ts'
import { AlertWatcher } from '#main/watch/alerts/alert-watcher.ts'
import { Findings } from '#main/watch/findings/findings.ts'
import { Notes } from '#main/watch/notes/notes.ts'
import { ReportSchedules } from '#main/watch/schedules/report-schedules.ts'
import type { Channel } from '#main/workers/rpc.ts'
import { DesktopNews } from './desktop-news.ts'
import { Diagnostics } from './diagnostics.ts'
import type { AppBuild } from './diagnostics.ts'
import { requestsOfLink } from './link-cost.ts'
import { Network } from './network.ts'
import { interrupted, pausedNotice } from './work-notices.ts'
import { PlaceOpener } from './place-opener.ts'
import { Prefetch } from './prefetch.ts'
import { TrayState } from './tray-state.ts'

/** Dependencies of the app on the machine, and the scripts of its threads and processes. */
export type AppOptions = {
  /** The profile folder, and a notice about a problem with the folder. */
  readonly folder: string
  readonly trouble: Notice | null
  readonly build: AppBuild
  /** Resolves once the first window prepares its scripts; null if no window opens. */
  readonly windowFirst: Promise<void> | null
  /** Script files of the threads. */
  readonly threads: Readonly<Record<'store' | 'answers' | 'sample' | 'exports', string>>
  /** Starts the engine process. @param folders for history files and for temporary files */
  readonly openEngine: (folders: readonly [history: string, temporary: string]) => Channel
  /** Starts the rows process. @param folders for row files and for temporary files */
  readonly openRows: (folders: readonly [rows: string, temporary: string]) => Channel
  /** Starts a process for one task on an archive. */
  readonly openArchive: () => Channel
  /** Starts a process that writes or reads one backup. */
  readonly openBackup: () => Channel
  readonly events: AppEvents
  readonly desktop: Desktop
  readonly shell: SystemShell
  readonly presence: Presence
  readonly resolveProxy: (url: string) => Promise<string>
  /** Source of updates. */
  readonly updates: UpdateSource | null
  readonly log: Log
}

/**
 * Time limits for stopping one module and all modules, in ms. A module that hangs must not block the store. The app exits 8 s
 * after the quit request. Raw reports wait up to 5 s for the service to confirm removals.
 */
const closingLimits = { one: 5200, all: 6200 }

/** Root of the main process. Creates the modules in order of dependency, and starts, pauses, wakes and stops them. */
export class App implements RunningApp {
  readonly handlers: Handlers
  readonly lock: Lock
  readonly #options: AppOptions
  readonly #store: OpenStore
  readonly #notices: Notices
  readonly #accounts: Accounts
  readonly #network: Network
  readonly #reports: Reports
  readonly #views: Views
  readonly #archives: Archives
  /** What the desktop could not show, a window shows. */
  readonly #announcing: readonly { readonly announceAgain: () => void }[]
  readonly #placeOpener: PlaceOpener
  readonly #prefetch: Prefetch
  readonly #tray: TrayState
  /** In the order of their start. They stop in reverse order: jobs first, then their owners, the network and its secrets last. */
  readonly #modules: readonly Module[]
  readonly #ready: Promise<void>
  #hasStarted = false
  #paused = false

  constructor(options: AppOptions) {
    this.#options = options
    const { folder, build, threads, events, desktop, shell, log } = options
    this.#notices = new Notices(events, log)
    this.#store = openStore({ folder, worker: threads.store, here: options.windowFirst, events })
    const store = this.#store
    const systemKeychain = createKeychain()
    const keychain = new KeychainEntries(systemKeychain, folder, store)
    this.#network = new Network(keychain, createLargeAnswers(threads.answers), options.resolveProxy, events)
    const startSample = sampleServiceIn(threads.sample)
    this.#accounts = new Accounts({
      ...{ store, keychain, createClient: this.#network.createClient, startSample, events, clock },
    })
    const accounts = this.#accounts
    this.lock = new Lock({
      ...{ folder, keychain: systemKeychain, accounts, events, presence: options.presence, clock },
    })
    const settings = new Settings(store, accounts, events, shell)
    const jobs = new Jobs(events, clock)
    const services = { store, accounts, settings, shell, jobs, events, clock, log, lock: this.lock }
    const { version } = build
    const backups = new Backups({ ...services, folder, version, openBackup: options.openBackup })
    const historyFolder = join(folder, 'history')
    const openEngine = () => options.openEngine([historyFolder, join(folder, 'history-work')])
    this.#reports = new Reports({ ...services, historyFolder, openEngine })
    const reports = this.#reports
    this.#views = new Views({ ...services, reports })
    const notes = new Notes(services)
    const exports = new Exports({
      ...{ ...services, reports },
      notesOf: async (account) => notes.list({ account }),
      ...{ openWriter: writersThread(threads.exports), workFolder: workFolder(folder) },
    })
    const publisher = new Publisher({ ...services, reports, historyFolder, profileFolder: folder })
    this.#placeOpener = new PlaceOpener(accounts, events)
    const forDownloads = {
      ...{ ...services, folder, folderGuard: slowFolderGuard, random: Math.random },
      ...{ network: this.#network.ways, openArchive: options.openArchive },
    }
    const downloads = new Downloads(forDownloads)
    const news = new DesktopNews({
      ...{ ...services, desktop, reports, downloads },
      ...{ inWindow: new NewsInWindow(this.#notices), placeOpener: this.#placeOpener },
    })
    const raw = new Raw({ ...forDownloads, downloads, news })
    const forRows = { ...services, reports, raw, exports, folder }
    this.#archives = new Archives({ ...forRows, folderGuard: slowFolderGuard, openRows: options.openRows })
    const archives = this.#archives
    const cases = new Cases({ ...forRows, archives })
    const findings = new Findings({ ...services, folder, news })
    const watcher = new AlertWatcher({ ...services, reports })
    const schedules = new ReportSchedules({ ...forRows, news, packOf: cases.packOf })
    this.#announcing = [raw.reports, findings, schedules]
    const updates = new Updates({
      ...{ ...services, folder, version, source: options.updates },
      ...{ fetching: this.#network.ways, random: Math.random },
    })
    const diagnostics = new Diagnostics({
      ...{ ...services, build, notices: this.#notices, network: this.#network },
    })
    this.#prefetch = new Prefetch(store, accounts, this.#views, reports)
    this.#tray = new TrayState({ ...services, reports, raw, views: this.#views, findings })
    this.#modules = [
      ...[keychain, this.#network, settings, backups, accounts, this.lock, reports, updates, publisher],
      // These have running work. Schedules stop first: a job that ends with the app is no user's decision.
      ...[this.#views, raw, archives, cases, notes, findings, watcher, exports, this.#prefetch],
      ...[jobs, schedules],
    ]
    this.handlers = {
      'desk/state': () => this.#state(),
      'desk/copy': ({ text }) => (shell.copy(text), null),
      ...{ ...this.#notices.handlers, ...diagnostics.handlers, ...backups.handlers, ...settings.handlers },
      ...{ ...accounts.handlers, ...this.#network.handlers, ...this.lock.handlers, ...reports.handlers },
      ...{ ...this.#prefetch.handlers, ...this.#views.handlers, ...publisher.handlers, ...updates.handlers },
      ...{ ...exports.handlers, ...jobs.handlers, ...raw.handlers, ...archives.handlers, ...cases.handlers },
      ...{ ...notes.handlers, ...findings.handlers, ...watcher.handlers, ...schedules.handlers },
    }
    this.#follow()
    this.#ready = this.#open(settings)
  }

  #follow(): void {
    const { events, log } = this.#options
    events.on('worker/ended', ({ worker, cause }) => {
      log('desk', `The worker ${worker} crashed. Its calls failed; the next call restarts it`, cause)
      events.emit({ kind: 'notice/shown', notice: interrupted[worker] })
    })
    // Wakes only this account: waking all of 100 accounts for each would request 10,000 lists.
    events.on('connection/changed', ({ account, connection }) => {
      if (connection.kind === 'online') this.#wake(account)
    })
    events.on('proxies/open', () => this.#wake())
  }

  /** Resolves once the accounts are loaded. A failure reaches the window through `desk/state`. */
  #open(settings: Settings): Promise<void> {
    const { trouble, shell, events, log } = this.#options
    const ready = Promise.all([this.#accounts.open(), this.#store.opened]).then(([, opening]) => {
      // Only one notice about the folder is shown; the more specific one wins.
      const notice = trouble ?? openingNotice(opening)
      if (notice !== null) events.emit({ kind: 'notice/shown', notice })
    })
    ready
      .then(async () => shell.apply(await settings.read()))
      .catch((error: unknown) => log('desk', 'The settings could not be applied', error))
    return ready
  }

  async #state(): Promise<CallResult<'desk/state'>> {
    await this.#ready
    const lastView = await this.#prefetch.view()
    const answers = await this.#prefetch.takePrepared()
    // No await from here on: an older state would overwrite events sent since.
    const accounts = this.#accounts.list()
    return {
      version: this.#options.build.version,
      accounts,
      active: this.#accounts.active(),
      connections: Object.fromEntries(accounts.map(({ id }) => [id, this.#reports.connection(id)])),
      notices: this.#notices.list(),
      proxies: this.#network.proxies.asking(),
      lastView,
      answers,
      weeksBeginOn: weeksBeginOn(),
    }
  }

  /**
   * Called when a window opens. Starts the queries of its first view while the window loads.
   * @param address null: the window opens at the last view
   */
  prepare(address: string | null): void {
    this.#prefetch.prepare(address, this.#ready)
  }

  /** Starts background work: refreshing pinned views, polling and saving raw reports. Further calls do nothing. */
  begin(): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    this.#store.mayRest(!this.#reports.watching)
    this.#store.toThread()
    this.#options.events.emit({ kind: 'app/begun' })
    for (const module of this.#modules) void this.#ready.then(() => module.start?.()).catch(() => undefined)
  }

  /** Called when the machine resumes, maybe in another network. Waiting requests are retried. */
  wake(): void {
    this.#network.proxies.tryAgain()
    this.#wake()
  }

  #wake(account?: AccountId): void {
    for (const module of this.#modules) module.wake?.(account)
  }

  /** Pauses or resumes background work. */
  pause(paused: boolean): void {
    if (paused) this.#notices.show(pausedNotice)
    else this.#notices.dismiss(pausedNotice.id)
    for (const module of this.#modules) module.pause?.(paused)
    this.#paused = paused
    this.#options.events.emit({ kind: 'tray/changed' })
  }

  /** Sets whether a window is open. Without a window, nobody waits for the service to recover. */
  setWatching(watching: boolean): void {
    this.#store.mayRest(!watching)
    this.#reports.setWatching(watching)
    // The window shows announcements for which no notification could be shown.
    if (!watching || !this.#hasStarted) return
    for (const announcing of this.#announcing) announcing.announceAgain()
  }

  get hasAccounts(): boolean {
    return this.#accounts.list().length > 0
  }

  /** Opens a place in the window and activates its account. */
  open(place: AppPlace): void {
    void this.#placeOpener.open(place)
  }

  /** Registers files that were dropped on a window. */
  dropped(paths: readonly string[]): ReturnType<Archives['dropped']> {
    return this.#archives.dropped(paths)
  }

  /** Estimates the number of requests of a linked view. */
  async requestsOfLink(address: string): Promise<number> {
    await this.#ready
    return await requestsOfLink(address, this.#accounts, this.#views, Date.now())
  }

  async trayFacts(): Promise<Omit<TrayFacts, 'now'>> {
    return { ...(await this.#tray.facts()), paused: this.#paused }
  }

  /** Stops every module, then closes the store. Rejects only if closing the store fails. */
  async close(): Promise<void> {
    const steps = this.#modules.toReversed().map((module) => () => module.stop())
    await closeInTurn(steps, closingLimits, (error) => this.#options.log('desk', 'Closing failed', error))
    await this.#store.close()
  }
}
