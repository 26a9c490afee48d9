import { connectionAfter } from '#shared/accounts/account.ts'
import { connectionWords, syncStatusWords } from '#shared/texts/saved-views.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { jobRunning } from '#shared/app/jobs.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { Lock } from '#main/lock/lock.ts'
import type { Raw } from '#main/raw/raw.ts'
import type { Findings } from '#main/watch/findings/findings.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Views } from '#main/saved-views/views.ts'
import type { TrayFacts } from '#main/shell/tray.ts'

/** Events after which the tray is updated, besides those of pinned views. */
const trayEvents = [
  'connection/changed',
  'proxies/changed',
  'raw/changed',
  'raw/removed',
  'downloads/changed',
  'lock/changed',
] as const

/** Events after which other findings need attention: those of a removed account are gone. */
const findingEvents = ['findings/changed', 'account/removed'] as const

/** Services whose state the tray shows. */
export type TrayStateContext = {
  readonly accounts: Accounts
  readonly lock: Lock
  readonly reports: Reports
  readonly raw: Raw
  readonly views: Views
  readonly findings: Findings
  readonly jobs: Jobs
  readonly events: AppEvents
}

/** Facts shown by the tray. Emits `tray/changed` when they change. */
export class TrayState {
  readonly #context: TrayStateContext
  /** Text about pinned views. The tray is redrawn only when the text changes, not with every fetched day. */
  #syncWords: string | null = null
  /** Findings that need attention, read once after each change. */
  #findings: Promise<TrayFacts['findings']> | null = null

  constructor(context: TrayStateContext) {
    this.#context = context
    const { views, jobs, events } = context
    const changed = () => events.emit({ kind: 'tray/changed' })
    for (const kind of trayEvents) events.on(kind, changed)
    const follow = () => {
      const words = syncStatusWords(views.syncState(), jobRunning(jobs.list(), 'view'))
      if (words === this.#syncWords) return
      this.#syncWords = words
      changed()
    }
    events.on('sync/changed', follow)
    for (const kind of findingEvents)
      events.on(kind, () => {
        this.#findings = null
        changed()
      })
    events.on('jobs/changed', ({ job }) => {
      if (job.kind === 'view') follow()
    })
  }

  /** @throws DeskFailure if the store fails */
  async facts(): Promise<Omit<TrayFacts, 'now' | 'paused'>> {
    const { accounts, lock, raw } = this.#context
    const active = accounts.active()
    this.#findings ??= this.#freshFindings()
    return {
      raw: await raw.reports.summary(),
      downloads: await raw.downloads.known(),
      stuck: await raw.requests.stuck(),
      findings: await this.#findings,
      sync: active === null ? connectionWords({ kind: 'unknown' }, null) : this.#connectionOf(active),
      pinned: this.#syncWords,
      lock: lock.locked ? 'locked' : lock.state().after === null ? 'off' : 'open',
    }
  }

  async #freshFindings(): Promise<TrayFacts['findings']> {
    try {
      const { count: fresh, newest } = await this.#context.findings.fresh(undefined)
      return newest && { fresh, account: newest.account, id: fresh === 1 ? newest.id : null }
    } catch (error) {
      this.#findings = null
      throw error
    }
  }

  /**
   * Describes the connection. With an open window the service is probed; otherwise the last poll of raw reports decides.
   * Earlier figures have no service.
   */
  #connectionOf(account: AccountId): string {
    const { accounts, reports, raw } = this.#context
    const { kind, name } = accounts.account(account)
    if (kind === 'earlier') return connectionWords({ kind: 'unknown' }, name)
    const polled = reports.watching ? undefined : connectionAfter(raw.reports.lastFailure(account))
    return connectionWords(polled ?? reports.connection(account), name)
  }
}
