import type { Download, DownloadId, DownloadsChanged } from '#shared/downloads/download.ts'
import type { SavedState } from '#shared/raw/listed.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { Clock } from '#main/lib/async.ts'
import type { StoredDownload } from '#main/database/state/downloads-repository.ts'
import type { Store } from '#main/database/state/state-store.ts'
import { Speed } from './speed.ts'

/** Why a download pauses that nobody has paused. */
export type PausedBySelf = 'disk' | 'connection' | 'token' | 'interrupted'

/** How a download stands at this moment, where that is more than what is kept of it. */
export type Live =
  | { readonly kind: 'running'; readonly got: number }
  | { readonly kind: 'checking' }
  | { readonly kind: 'unpacking' }
  /** By itself; it goes on by itself. */
  | { readonly kind: 'paused'; readonly got: number; readonly why: PausedBySelf }

export type Entry = {
  readonly id: DownloadId
  stored: StoredDownload
  live: Live | null
  /** Whether its file is no longer where it was saved. */
  missing: boolean
  /** How much of it is in the part, as far as was looked. */
  got: number
  /** When bytes came last, or were first waited for; milliseconds since 1970. */
  movedAt: number
  readonly speed: Speed
}

/** The store refuses to write down what has to be known after a crash. */
export class NotStored extends Error {}

/** Windows hear of changes together, four times a second at most. In milliseconds. */
const NOTIFY_EVERY = 250

/** The downloads in the person's order: in memory, in the store, and told to the windows. */
export class DownloadList {
  readonly #store: Pick<Store, 'run'>
  readonly #clock: Clock
  readonly #emit: (event: DownloadsChanged) => void
  #entries: Entry[] = []
  readonly #changed = new Set<DownloadId>()
  readonly #removed = new Set<DownloadId>()
  #reordered = false
  #notifying: AbortController | null = null

  constructor(store: Pick<Store, 'run'>, clock: Clock, emit: (event: DownloadsChanged) => void) {
    this.#store = store
    this.#clock = clock
    this.#emit = emit
  }

  async load(): Promise<void> {
    const stored = await this.#store.run('downloads/list', undefined)
    this.#entries = stored.map(entryOf)
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  find(id: DownloadId): Entry | undefined {
    return this.#entries.find((entry) => entry.id === id)
  }

  ofReport(account: AccountId, report: RawReportId): Entry | undefined {
    return this.#entries.find(({ stored }) => stored.account === account && stored.report === report)
  }

  /** Puts it on the list. Where the store refuses, it is there nevertheless, and waits for the store before it begins. */
  async add(stored: StoredDownload): Promise<Entry> {
    const entry = entryOf(stored)
    this.#entries.push(entry)
    await this.#store.run('downloads/put', [stored]).catch(() => undefined)
    this.notify(entry)
    return entry
  }

  /** Changes what is kept. That the store cannot keep it stops no download: after a restart it goes on from an earlier state. */
  async keep(entry: Entry, change: Partial<StoredDownload>): Promise<void> {
    entry.stored = { ...entry.stored, ...change }
    if (!this.#entries.includes(entry)) return
    this.notify(entry)
    await this.#store.run('downloads/put', [entry.stored]).catch(() => undefined)
  }

  /**
   * Changes what is kept before anything is done that a crash would leave behind unknown.
   * @throws NotKept where the store refuses; then nothing has changed
   */
  async keepFirst(entry: Entry, change: Partial<StoredDownload>): Promise<void> {
    const changed = { ...entry.stored, ...change }
    await this.#store.run('downloads/put', [changed]).catch((error: unknown) => {
      throw new NotStored('What happens to a download could not be written down', { cause: error })
    })
    entry.stored = changed
    this.notify(entry)
  }

  /** @throws DeskFailure where the store refuses; then it is on the list still */
  async remove(entry: Entry): Promise<void> {
    await this.#store.run('downloads/remove', [entry.id])
    this.#entries = this.#entries.filter((item) => item !== entry)
    this.#changed.delete(entry.id)
    this.#removed.add(entry.id)
    this.#notifySoon()
  }

  /** Brings those that are named into this order, in the places that they have together. */
  async order(ids: readonly DownloadId[]): Promise<void> {
    const named = [...new Set(ids)].flatMap((id) => this.find(id) ?? [])
    const rest = [...named]
    this.#entries = this.#entries.map((entry) => (named.includes(entry) ? (rest.shift() ?? entry) : entry))
    this.#reordered = true
    this.#notifySoon()
    await this.#store.run(
      'downloads/order',
      this.#entries.map(({ id }) => id),
    )
  }

  live(entry: Entry, live: Live | null): void {
    if (live?.kind === 'running') {
      const now = this.#clock.now()
      if (entry.live?.kind !== 'running' || entry.got !== live.got) entry.movedAt = now
      entry.speed.add(live.got, now)
    }
    if (live && 'got' in live) entry.got = live.got
    entry.live = live
    this.notify(entry)
  }

  notify(entry: Entry): void {
    if (!this.#entries.includes(entry)) return
    this.#changed.add(entry.id)
    this.#notifySoon()
  }

  shown({ id, stored, live, missing, got, speed }: Entry): Download {
    const { account, report, name, file, host, size, expires } = stored
    const state = stateOf(stored, live, missing, got, speed.perSecond(got, this.#clock.now()))
    return { id, account, report, name, file, host, size, expires, state }
  }

  /** Tells at once what has not been told yet, and nothing any more after that. */
  close(): void {
    this.#notifying?.abort()
    this.#notifyNow()
  }

  #notifySoon(): void {
    if (this.#notifying) return
    const notifying = new AbortController()
    this.#notifying = notifying
    this.#clock.wait(NOTIFY_EVERY, notifying.signal).then(
      () => {
        this.#notifying = null
        this.#notifyNow()
      },
      () => undefined,
    )
  }

  #notifyNow(): void {
    const changed = [...this.#changed].flatMap((id) => this.find(id) ?? []).map((entry) => this.shown(entry))
    const removed = [...this.#removed]
    const reordered = this.#reordered
    this.#changed.clear()
    this.#removed.clear()
    this.#reordered = false
    if (changed.length > 0 || removed.length > 0 || reordered) this.#emit({ changed, removed, reordered })
  }
}

const entryOf = (stored: StoredDownload): Entry => ({
  id: stored.id,
  stored,
  live: null,
  missing: false,
  got: 0,
  movedAt: 0,
  speed: new Speed(),
})

function stateOf(
  { state }: StoredDownload,
  live: Live | null,
  missing: boolean,
  got: number,
  speed: number | null,
): Download['state'] {
  if (live?.kind === 'running') return { kind: 'running', got: live.got, speed }
  if (live) return live
  switch (state.kind) {
    case 'saved':
      return missing ? { kind: 'missing' } : { kind: 'saved', at: state.at }
    case 'paused':
      return { kind: 'paused', got, why: 'person' }
    case 'failed':
      return { kind: 'failed', failure: state.failure, ...(state.named && { archive: 'saved' }) }
    case 'waiting':
    case 'publishing':
    case 'unpacking':
      return { kind: 'waiting' }
  }
}

const savedStates = {
  waiting: 'waiting',
  running: 'running',
  checking: 'running',
  unpacking: 'running',
  paused: 'paused',
  failed: 'failed',
  saved: 'saved',
  missing: 'missing',
} as const satisfies Record<Download['state']['kind'], SavedState>

/** How a report's row says it. */
export const savedStateOf = ({ state }: Download): SavedState => savedStates[state.kind]
