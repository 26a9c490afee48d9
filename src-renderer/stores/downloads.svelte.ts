import type { CallOutcome, DeskBridge } from '#shared/bridge/calls.ts'
import type { Download, DownloadId, DownloadsChanged } from '#shared/downloads/download.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { Followed } from './followed.svelte.ts'
import { withMoved } from './moving.ts'

type OneCall = 'downloads/pause' | 'downloads/resume' | 'downloads/show' | 'downloads/open'

/** The downloads of all accounts, in the person's order, as they go on. */
export class Downloads {
  readonly #bridge: DeskBridge
  readonly #read: Followed<readonly Download[]>
  /** The order on screen, until the main process has it too. */
  #moved = $state.raw<readonly Download[] | null>(null)

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
    this.#read = new Followed(() => bridge.call('downloads/list'))
    bridge.on('downloads/changed', (changed) => this.#take(changed))
  }

  get list(): readonly Download[] {
    return this.#moved ?? this.#read.value ?? []
  }

  /** Whether the list was read. */
  get known(): boolean {
    return this.#read.value !== null
  }

  get failure(): Failure | null {
    return this.#read.failure
  }

  /** Reads the list, and looks for the files of what is saved; what the app does itself it follows. */
  again(): void {
    void this.#read.read()
  }

  /** Saves a report's archive; answers why not. `choose` lets the person choose a folder first. */
  async start(
    account: AccountId,
    report: RawReportId,
    how: { choose: boolean; anew?: boolean },
  ): Promise<Failure | null> {
    const outcome = await this.#bridge.call('downloads/start', { account, report, ...how })
    return outcome.ok ? null : outcome.failure
  }

  async showReport(account: AccountId, report: RawReportId): Promise<Failure | null> {
    const outcome = await this.#bridge.call('downloads/show-report', { account, report })
    return outcome.ok ? null : outcome.failure
  }

  pause = (id: DownloadId) => this.#do('downloads/pause', id)
  resume = (id: DownloadId) => this.#do('downloads/resume', id)
  show = (id: DownloadId) => this.#do('downloads/show', id)
  open = (id: DownloadId) => this.#do('downloads/open', id)

  /** Gives one up; answers with the name of the file that stays, or why it could not be. */
  cancel(download: DownloadId): Promise<CallOutcome<'downloads/cancel'>> {
    return this.#bridge.call('downloads/cancel', { download })
  }

  /** Moves one by so many places, at once on screen; answers why it could not be. */
  async move(id: DownloadId, by: number): Promise<Failure | null> {
    const moved = withMoved(this.list, id, by)
    if (moved === null) return null
    this.#moved = moved
    const downloads = moved.filter(({ state }) => state.kind === 'waiting').map((download) => download.id)
    const outcome = await this.#bridge.call('downloads/order', { downloads })
    await this.#read.read()
    this.#moved = null
    return outcome.ok ? null : outcome.failure
  }

  async #do(name: OneCall, download: DownloadId): Promise<Failure | null> {
    const outcome = await this.#bridge.call(name, { download })
    return outcome.ok ? null : outcome.failure
  }

  #take({ changed, removed, reordered }: DownloadsChanged): void {
    const known = this.#read.value
    // What is on its way may be older than this.
    if (this.#read.asking || (known && reordered)) this.#read.changed()
    if (known === null) return
    const stay = (list: readonly Download[]) => [
      ...list
        .filter(({ id }) => !removed.includes(id))
        .map((download) => changed.find(({ id }) => id === download.id) ?? download),
      ...changed.filter(({ id }) => !list.some((download) => download.id === id) && !removed.includes(id)),
    ]
    this.#read.value = stay(known)
    if (this.#moved) this.#moved = stay(this.#moved)
  }
}
