import { join } from 'node:path'
import type { CallResult } from '#shared/bridge/calls.ts'
import type { Notice } from '#shared/app/state.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { weeksBeginOn } from '#shared/views/period.ts'
import { AccountStore } from '#main/accounts/account-store.ts'
import { KeychainEntries } from '#main/accounts/keychain-entries.ts'
import { createKeychain } from '#main/accounts/keychain.ts'
import { createLargeAnswers } from '#main/api/large/large-answers.ts'
import { Archives } from '#main/archives/archives.ts'
import { workFolder } from '#main/analytics/rows-layout.ts'
import { Backups } from '#main/backup/backups.ts'
import { Cases } from '#main/cases/cases.ts'
import { openingNotice } from '#main/database/notices.ts'
import { openStore } from '#main/database/open-store.ts'
import type { OpenStore } from '#main/database/open-store.ts'
import { Exports } from '#main/exports/exports.ts'
import { writersThread } from '#main/exports/writing-thread.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import { systemClock } from '#main/lib/async.ts'
import { closeInTurn } from '#main/lib/module.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import { Jobs } from '#main/lib/jobs.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import { Lock } from '#main/lock/lock.ts'
import type { Presence } from '#main/lock/idle-watch.ts'
import { Raw } from '#main/raw/raw.ts'
import { Reports } from '#main/reports/figures.ts'
import { Publisher } from '#main/reports/history/publisher.ts'
import { Views } from '#main/saved-views/views.ts'
import { Settings } from '#main/settings/settings.ts'
import type { Desktop } from '#main/shell/desktop/desktop.ts'
import type { Log } from '#main/shell/log.ts'
import { NewsInWindow, Notices } from '#main/shell/notices.ts'
import type { Place, TrayFacts } from '#main/shell/tray.ts'
import type { RunningApp } from '#main/shell/window.ts'
import { sampleServiceIn } from '#main/shell/workers.ts'
import { Updates } from '#main/updates/updates.ts'
import type { PackageHere, UpdateSource } from '#main/updates/source.ts'
import type { Line } from '#main/workers/rpc.ts'
import { DesktopNews } from './desktop-news.ts'
import { Diagnostics } from './diagnostics.ts'
import type { AppBuild } from './diagnostics.ts'
import { requestsOfLink } from './link-cost.ts'
import { Network } from './network.ts'
import { interrupted, pausedNotice } from './notices.ts'
import { Navigation } from './navigation.ts'
import { Prefetch } from './prefetch.ts'
import { TrayState } from './tray-state.ts'

/** The machine around the app, and the files of its threads and processes. */
export type AppOptions = {
  /** The profile folder, and what is the matter with it. */
  readonly folder: string
  readonly trouble: Notice | null
  readonly build: AppBuild
  /** Resolves once the window that is about to open has its files, and waits for what is kept; null where none is. */
  readonly windowFirst: Promise<void> | null
  /** Files of the threads. */
  readonly threads: Readonly<
    Record<'store' | 'backup' | 'answers' | 'sample' | 'exports' | 'archives', string>
  >
  /** Begins the engine's process, given its folders: where history lies, and for what does not fit into memory. */
  readonly openEngine: (folders: readonly [history: string, temporary: string]) => Line
  /** Begins the rows' process, given where rows lie, and the folder for what does not fit into memory. */
  readonly openRows: (folders: readonly [rows: string, temporary: string]) => Line
  readonly events: AppEvents
  readonly desktop: Pick<Desktop, 'notifier' | 'followNotifications'>
  readonly shell: SystemShell
  readonly presence: Presence
  readonly resolveProxy: (url: string) => Promise<string>
  /** Where updates come from, and what runs here. */
  readonly updates: { readonly source: UpdateSource | null; readonly here: PackageHere }
  readonly log: Log
}

/**
 * What fails or hangs must not keep the others from closing, and least of all the store: the app ends 8 s after it was told
 * to. Raw reports wait up to 5 s for the service to hear what is removed. In milliseconds.
 */
const closingLimits = { one: 5200, all: 6200 }

/** The main process's root: builds the modules, each after those that it needs, and starts, pauses, wakes and stops them. */
export class App implements RunningApp {
  readonly handlers: Handlers
  readonly lock: Lock
  readonly #options: AppOptions
  readonly #store: OpenStore
  readonly #notices: Notices
  readonly #accounts: AccountStore
  readonly #network: Network
  readonly #reports: Reports
  readonly #views: Views
  readonly #raw: Raw
  readonly #archives: Archives
  readonly #navigation: Navigation
  readonly #prefetch: Prefetch
  readonly #tray: TrayState
  /** Each stands after those that it needs: they stop the other way round. */
  readonly #modules: readonly Module[]
  readonly #ready: Promise<void>
  #begun = false
  #paused = false

  constructor(options: AppOptions) {
    this.#options = options
    const { folder, build, threads, events, desktop, shell, log } = options
    const clock = systemClock
    this.#notices = new Notices(events, log)
    this.#store = openStore({ folder, worker: threads.store, here: options.windowFirst, events })
    const store = this.#store
    const systemKeychain = createKeychain()
    const keychain = new KeychainEntries(systemKeychain, folder, store)
    this.#network = new Network(keychain, createLargeAnswers(threads.answers), options.resolveProxy, events)
    const sample = sampleServiceIn(threads.sample)
    this.#accounts = new AccountStore(store, keychain, this.#network.createClient, sample, events)
    const accounts = this.#accounts
    this.lock = new Lock(folder, systemKeychain, accounts, events, options.presence, clock.now)
    const settings = new Settings(store, store, accounts, events, shell)
    const jobs = new Jobs(events, clock)
    const about = { version: build.version, now: clock.now }
    const backups = new Backups(folder, threads.backup, store, settings, shell, jobs, about)
    this.#reports = this.#createReports(settings)
    const reports = this.#reports
    this.#views = new Views(store, accounts, reports, settings, events, shell, jobs, clock)
    const exports = this.#createExports(settings, jobs)
    const publisher = this.#createPublisher(jobs)
    this.#navigation = new Navigation(accounts, events)
    const inWindow = new NewsInWindow(this.#notices)
    const news = new DesktopNews(
      desktop,
      this.lock,
      accounts,
      reports,
      inWindow,
      this.#navigation,
      events,
      log,
    )
    this.#raw = this.#createRaw(settings, news, jobs)
    const raw = this.#raw
    this.#archives = this.#createArchives(settings, exports, jobs)
    const archives = this.#archives
    const cases = this.#createCases(settings, exports)
    const updates = this.#createUpdates(jobs)
    const diagnostics = new Diagnostics(
      build,
      store,
      accounts,
      jobs,
      this.#notices,
      settings,
      shell,
      this.#network,
    )
    this.#prefetch = new Prefetch(store, accounts, this.#views, reports)
    this.#tray = new TrayState(accounts, this.lock, reports, raw, this.#views, jobs, events)
    this.#modules = [
      ...[keychain, this.#network, settings, backups, accounts, this.lock, reports, updates, publisher],
      // What runs is ended first: it stands on all of them.
      ...[this.#views, raw, archives, cases, exports, this.#prefetch, jobs],
    ]
    this.handlers = {
      'desk/state': () => this.#state(),
      'desk/copy': ({ text }) => {
        shell.copy(text)
        return null
      },
      ...{ ...this.#notices.handlers, ...diagnostics.handlers, ...backups.handlers, ...settings.handlers },
      ...{ ...accounts.handlers, ...this.#network.handlers, ...this.lock.handlers, ...reports.handlers },
      ...{ ...this.#prefetch.handlers, ...this.#views.handlers, ...publisher.handlers, ...updates.handlers },
      ...{ ...exports.handlers, ...jobs.handlers, ...raw.handlers, ...archives.handlers, ...cases.handlers },
    }
    this.#follow()
    this.#ready = this.#open(settings)
  }

  #createRaw(settings: Settings, news: DesktopNews, jobs: Jobs): Raw {
    const { folder, threads, events, shell } = this.#options
    const raw = new Raw(
      this.#store,
      this.#accounts,
      settings,
      events,
      shell,
      this.#network.ways,
      news.announce.bind(news),
      folder,
      threads.archives,
      jobs,
      systemClock,
    )
    news.use(raw.downloads)
    return raw
  }

  #createArchives(settings: Settings, exports: Exports, jobs: Jobs): Archives {
    const { folder, shell, events, openRows } = this.#options
    return new Archives(
      this.#store,
      this.#accounts,
      this.#raw,
      this.#reports,
      exports,
      jobs,
      settings,
      shell,
      events,
      systemClock,
      folder,
      openRows,
    )
  }

  #createReports(settings: Settings): Reports {
    const { folder, openEngine, events } = this.#options
    const historyFolder = join(folder, 'history')
    return new Reports(
      this.#store,
      this.#accounts,
      events,
      systemClock,
      historyFolder,
      () => openEngine([historyFolder, join(folder, 'history-work')]),
      async () => (await settings.read()).mostCalls,
    )
  }

  #createPublisher(jobs: Jobs): Publisher {
    const { folder, events, shell } = this.#options
    const [store, accounts, reports] = [this.#store, this.#accounts, this.#reports]
    const history = join(folder, 'history')
    return new Publisher(store, accounts, reports, history, folder, systemClock, shell, events, jobs)
  }

  #createExports(settings: Settings, jobs: Jobs): Exports {
    const { folder, threads, events, shell } = this.#options
    const [accounts, reports, openWriter] = [this.#accounts, this.#reports, writersThread(threads.exports)]
    const work = workFolder(folder)
    return new Exports(accounts, reports, settings, shell, jobs, events, systemClock, openWriter, work)
  }

  #createCases(settings: Settings, exports: Exports): Cases {
    const { folder, events, shell } = this.#options
    return new Cases(
      this.#store,
      this.#accounts,
      this.#reports,
      this.#raw,
      this.#archives,
      exports,
      settings,
      shell,
      events,
      systemClock,
      folder,
    )
  }

  #createUpdates(jobs: Jobs): Updates {
    const { folder, updates, build, events, shell, log } = this.#options
    const running = { version: build.version, here: updates.here }
    const packages = join(folder, 'updates')
    const fetching = this.#network.ways
    return new Updates(updates.source, running, packages, this.#store, fetching, shell, events, jobs, log)
  }

  #follow(): void {
    const { events, log } = this.#options
    events.on('worker/ended', ({ worker, cause }) => {
      log('desk', `A thread or process ended by itself: ${worker}`, cause)
      events.emit({ kind: 'notice/shown', notice: interrupted[worker] })
    })
    // What happened to one account wakes that account alone: a hundred that come back would ask for a hundred times a hundred lists.
    events.on('connection/changed', ({ account, connection }) => {
      if (connection.kind === 'online') this.#wake(account)
    })
    events.on('proxies/open', () => this.#wake())
  }

  /** Resolves once the accounts are known; a failure is told to the window, which asks for the state. */
  #open(settings: Settings): Promise<void> {
    const { trouble, shell, events, log } = this.#options
    const ready = Promise.all([this.#accounts.open(), this.#store.opened]).then(([, opening]) => {
      // What is wrong with the folder is said once, by whoever can name it.
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
    // Nothing is waited for from here on: a state put together earlier would undo what was told since.
    const active = this.#accounts.active()
    return {
      version: this.#options.build.version,
      accounts: this.#accounts.list(),
      active,
      connection: active === null ? { kind: 'unknown' } : this.#reports.connection(active),
      notices: this.#notices.list(),
      proxies: this.#network.proxies.asking(),
      lastView,
      answers,
      weeksBeginOn: weeksBeginOn(),
    }
  }

  /** A window opens, at an address or where it was: what it shows first is asked while it gets ready. */
  prepare(address: string | null): void {
    this.#prefetch.prepare(address, this.#ready)
  }

  /** Begins what runs automatically: keeping pinned views, watching and saving raw reports. Once is enough. */
  begin(): void {
    if (this.#begun) return
    this.#begun = true
    this.#store.mayRest(!this.#reports.watching)
    this.#store.toThread()
    this.#options.events.emit({ kind: 'app/begun' })
    for (const module of this.#modules) void this.#ready.then(() => module.start?.()).catch(() => undefined)
  }

  /** The machine woke up, maybe in another network: what waits goes on. */
  wake(): void {
    this.#network.proxies.tryAgain()
    this.#wake()
  }

  #wake(account?: AccountId): void {
    for (const module of this.#modules) module.wake?.(account)
  }

  /** Does nothing automatically for the time being, or begins to again. */
  pause(paused: boolean): void {
    if (paused) this.#notices.show(pausedNotice)
    else this.#notices.dismiss(pausedNotice.id)
    for (const module of this.#modules) module.pause?.(paused)
    this.#paused = paused
    this.#options.events.emit({ kind: 'tray/changed' })
  }

  /** Whether a window is open: without one, nobody waits for the service to come back. */
  setWatching(watching: boolean): void {
    this.#store.mayRest(!watching)
    this.#reports.setWatching(watching)
    // What could not be told by notifications is told in the window.
    if (watching && this.#begun) this.#raw.reports.announceAgain()
  }

  get hasAccounts(): boolean {
    return this.#accounts.list().length > 0
  }

  /** Opens a place, at its account. */
  open(place: Place): void {
    void this.#navigation.open(place)
  }

  /** Names files that were dropped on a window, by their paths. */
  dropped(paths: readonly string[]): ReturnType<Archives['dropped']> {
    return this.#archives.dropped(paths)
  }

  /** How many requests a view takes that a link leads to. */
  async requestsOfLink(address: string): Promise<number> {
    await this.#ready
    return await requestsOfLink(address, this.#accounts, this.#views, Date.now())
  }

  /** What the tray shows. */
  async trayFacts(): Promise<Omit<TrayFacts, 'now'>> {
    return { ...(await this.#tray.facts()), paused: this.#paused }
  }

  /** Stops every module, then closes the store. Never rejects for what fails or hangs before the store. */
  async close(): Promise<void> {
    const steps = this.#modules.toReversed().map((module) => () => module.stop())
    await closeInTurn(steps, closingLimits, (error) => this.#options.log('desk', 'Closing failed', error))
    await this.#store.close()
  }
}
