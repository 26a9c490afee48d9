import { connectionAfter } from '#shared/accounts/account.ts'
import { connectionWords, syncStatusWords } from '#shared/texts/saved-views.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { jobRunning } from '#shared/app/jobs.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { Lock } from '#main/lock/lock.ts'
import type { Raw } from '#main/raw/raw.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Views } from '#main/saved-views/views.ts'
import type { TrayFacts } from '#main/shell/tray.ts'

/** Events after which the tray is updated, besides those of pinned views. */
const shown = [
  'connection/changed',
  'proxies/changed',
  'raw/changed',
  'raw/removed',
  'downloads/changed',
  'lock/changed',
] as const

/** Facts shown by the tray. Emits `tray/changed` when they change. */
export class TrayState {
  readonly #accounts: AccountStore
  readonly #lock: Lock
  readonly #reports: Reports
  readonly #raw: Raw
  /** Text about pinned views. The tray is redrawn only when the text changes, not with every fetched day. */
  #syncWords: string | null = null

  constructor(
    accounts: AccountStore,
    lock: Lock,
    reports: Reports,
    raw: Raw,
    views: Views,
    jobs: Jobs,
    events: AppEvents,
  ) {
    this.#accounts = accounts
    this.#lock = lock
    this.#reports = reports
    this.#raw = raw
    const changed = () => events.emit({ kind: 'tray/changed' })
    for (const kind of shown) events.on(kind, changed)
    const follow = () => {
      const words = syncStatusWords(views.syncState(), jobRunning(jobs.list(), 'view'))
      if (words === this.#syncWords) return
      this.#syncWords = words
      changed()
    }
    events.on('sync/changed', follow)
    events.on('jobs/changed', ({ job }) => {
      if (job.kind === 'view') follow()
    })
  }

  /** @throws DeskFailure if the store fails */
  async facts(): Promise<Omit<TrayFacts, 'now' | 'paused'>> {
    const active = this.#accounts.active()
    return {
      raw: await this.#raw.reports.summary(),
      downloads: await this.#raw.downloads.known(),
      stuck: await this.#raw.requests.stuck(),
      sync: active === null ? connectionWords({ kind: 'unknown' }, null) : this.#connectionOf(active),
      pinned: this.#syncWords,
      lock: this.#lock.locked ? 'locked' : this.#lock.state().after === null ? 'off' : 'open',
    }
  }

  /**
   * Describes the connection. With an open window the service is probed; otherwise the last poll of raw reports decides.
   * Earlier figures have no service.
   */
  #connectionOf(account: AccountId): string {
    const { kind, name } = this.#accounts.account(account)
    if (kind === 'earlier') return connectionWords({ kind: 'unknown' }, name)
    const polled = this.#reports.watching
      ? undefined
      : connectionAfter(this.#raw.reports.lastFailure(account))
    return connectionWords(polled ?? this.#reports.connection(account), name)
  }
}
