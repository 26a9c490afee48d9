import type { AccountId } from '#shared/values/ids.ts'
import type { RawContext } from './raw-context.ts'
import { withTimeout } from '#main/lib/async.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import { RawRequests } from './requests/raw-requests.ts'
import { StoredLists } from './requests/stored-lists.ts'
import type { Downloads } from './downloads/downloads.ts'
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
  readonly #context: RawContext
  readonly #followed: readonly (() => void)[]

  constructor(context: RawContext) {
    this.#context = context
    this.downloads = context.downloads
    this.reports = new RawReports(context)
    this.requests = new RawRequests({ ...context, lists: new StoredLists(context, this.reports) })
    this.#followed = this.#follow()
  }

  #follow(): readonly (() => void)[] {
    const { accounts, events } = this.#context
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
    const { clock } = this.#context
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
    return {
      ...{ ...this.reports.handlers, ...this.requests.handlers, ...this.downloads.handlers },
      'accounts/remove': async ({ account, what }) => {
        const { accounts } = this.#context
        if (what === 'token') await accounts.removeToken(account)
        else {
          // Running downloads of the account end before its removal.
          await this.downloads.forget(account)
          await accounts.remove(account)
        }
        return null
      },
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
