import type { Store } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { FetchOptions } from './downloads/fetching.ts'
import type { RawAccounts } from './list/fetch-list.ts'
import type { Announce } from './polling/announcer.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import { withTimeout } from '#main/lib/async.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import { RawRequests } from './requests/raw-requests.ts'
import { StoredLists } from './requests/stored-lists.ts'
import { Downloads } from './downloads/downloads.ts'
import { RawReports } from './polling/raw-reports.ts'
import type { DownloadId, DownloadsChanged } from '#shared/downloads/download.ts'
import type { SavedState } from '#shared/raw/list.ts'
import { savedStateOf } from './downloads/download-list.ts'

/** Maximum wait for download folders at the start, in milliseconds. */
const folderLimit = 5000

/** Raw reports: requests, polling, announcements and downloads. Connects these parts with each other. */
export class Raw implements Module {
  readonly name = 'raw reports'
  readonly downloads: Downloads
  readonly reports: RawReports
  readonly requests: RawRequests
  readonly #accounts: RawAccounts & Pick<AccountStore, 'remove' | 'removeToken'>
  readonly #events: AppEvents
  readonly #clock: Clock
  readonly #followed: readonly (() => void)[]

  /**
   * @param folder the profile folder
   * @param archiveWorker script of the thread that fetches, tests and unpacks archives (downloads/archive-worker.ts)
   * @param random returns a number from 0 to 1, for jitter
   */
  constructor(
    store: Store,
    accounts: RawAccounts & Pick<AccountStore, 'remove' | 'removeToken'>,
    settings: Pick<Settings, 'read' | 'downloadFolder'>,
    events: AppEvents,
    shell: Pick<SystemShell, 'chooseFolder' | 'showFile' | 'openFile'>,
    network: FetchOptions,
    announce: Announce,
    folder: string,
    archiveWorker: string | URL,
    jobs: Jobs,
    clock: Clock,
    random = Math.random,
  ) {
    this.#accounts = accounts
    this.#events = events
    this.#clock = clock
    this.downloads = new Downloads(
      store,
      accounts,
      settings,
      events,
      shell,
      network,
      archiveWorker,
      jobs,
      clock,
      random,
    )
    const { downloads } = this
    this.reports = new RawReports(
      store,
      accounts,
      settings,
      events,
      downloads,
      announce,
      folder,
      clock,
      random,
    )
    const lists = new StoredLists(store, clock, this.reports)
    this.requests = new RawRequests(store, accounts, settings, events, lists, clock)
    this.#followed = this.#follow()
  }

  #follow(): readonly (() => void)[] {
    const [accounts, events] = [this.#accounts, this.#events]
    const listsAffectedBy = createSavedChanges(() => accounts.list().map(({ id }) => id))
    return [
      events.on('account/renewed', () => this.downloads.retryNow()),
      // The date may differ in another time zone, so schedules may be due.
      events.on('account/edited', ({ account }) => this.wake(account)),
      events.on('downloads/changed', (event) => {
        // Rows of the list show the state of a report's file.
        for (const account of listsAffectedBy(event)) events.emit({ kind: 'raw/changed', account })
      }),
      events.on('notifications/back', () => this.reports.announceAgain()),
      events.on('settings/changed', ({ changed }) => {
        if (changed.includes('raw') || changed.includes('downloadFolder')) this.downloads.retryNow()
        if (changed.includes('raw')) this.reports.announceAgain()
      }),
    ]
  }

  start(): void {
    const clock = this.#clock
    // Saved files are loaded first, because announcements depend on them. The wait for hanging disks is limited.
    const known = withTimeout({ milliseconds: folderLimit, clock }, () => this.downloads.resumeAll())
    void known
      .catch(() => undefined)
      .then(() => {
        this.reports.start()
        this.requests.start()
      })
  }

  wake(account?: AccountId): void {
    for (const part of [this.reports, this.requests, this.downloads])
      if (account === undefined) part.retryNow()
      else part.wake(account)
  }

  pause(paused: boolean): void {
    this.reports.pause(paused)
    this.requests.pause(paused)
    this.downloads.hold(paused)
  }

  async stop(): Promise<void> {
    for (const stop of this.#followed) stop()
    await this.requests.stop()
    // One waits for the service, the other for disks.
    await Promise.all([this.reports.stop(), this.downloads.stop()])
  }

  get handlers() {
    const { reports, requests, downloads } = this
    return {
      'accounts/remove': async ({ account, what }) => {
        const accounts = this.#accounts
        if (what === 'token') await accounts.removeToken(account)
        else {
          // Running downloads of the account end before its removal.
          await downloads.forget(account)
          await accounts.remove(account)
        }
        return null
      },
      'raw/list': reports.list,
      'raw/report': reports.report,
      'raw/cancel': reports.cancel,
      'raw/remove': (request) => {
        reports.remove(request)
        return null
      },
      'raw/undo-remove': reports.undoRemove,
      'raw/request': requests.request,
      'raw/request-all': requests.requestAll,
      'raw/queue': requests.queue,
      'raw/order-queue': requests.orderQueue,
      'raw/drop-request': requests.dropRequest,
      'raw/send-again': requests.sendAgain,
      'raw/last-columns': requests.lastColumns,
      'raw/templates': requests.templates,
      'raw/save-template': requests.saveTemplate,
      'raw/remove-template': requests.removeTemplate,
      'raw/undo-remove-template': requests.undoRemoveTemplate,
      'raw/schedules': requests.schedules,
      'raw/save-schedule': requests.saveSchedule,
      'raw/remove-schedule': requests.removeSchedule,
      'downloads/list': () => downloads.list(),
      'downloads/start': (request) => downloads.start(request),
      'downloads/pause': ({ download }) => downloads.pause(download),
      'downloads/resume': ({ download }) => downloads.resume(download),
      'downloads/cancel': ({ download }) => downloads.cancel(download),
      'downloads/order': ({ downloads: ids }) => downloads.order(ids),
      'downloads/show': ({ download }) => downloads.show(download),
      'downloads/show-report': (request) => downloads.showReport(request),
      'downloads/open': ({ download }) => downloads.open(download),
    } satisfies Partial<Handlers>
  }
}

/**
 * Returns a function that finds the accounts whose list of reports has changed. Progress alone changes no list.
 * @param everybody returns all accounts, for a removed download whose account is unknown in this session
 */
export function createSavedChanges(everybody: () => readonly AccountId[]) {
  const known = new Map<DownloadId, { readonly account: AccountId; readonly saved: SavedState }>()

  return ({ changed, removed }: DownloadsChanged): ReadonlySet<AccountId> => {
    const accounts = new Set<AccountId>()
    for (const download of changed) {
      const { id, account } = download
      const saved = savedStateOf(download)
      if (known.get(id)?.saved !== saved) accounts.add(account)
      known.set(id, { account, saved })
    }
    for (const id of removed) {
      const entry = known.get(id)
      for (const account of entry ? [entry.account] : everybody()) accounts.add(account)
      known.delete(id)
    }
    return accounts
  }
}
