import type { Download, DownloadId, DownloadsChanged } from '#shared/downloads/download.ts'
import type { SavedState } from '#shared/raw/list.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { Clock } from '#main/lib/async.ts'
import type { StoredDownload } from '#main/database/state/downloads-repository.ts'
import type { Store } from '#main/database/state/state-store.ts'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DeskFailure } from '#shared/api/failure.ts'
import { timeOf } from '#shared/values/timestamp.ts'
import { hasCode } from '#main/files/disk-failure.ts'
import { NotStored } from './trouble.ts'
import { FolderHangs } from '#main/lib/slow-folder-guard.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'

/** Why a download pauses that nobody has paused. */
type PausedBySelf = 'disk' | 'connection' | 'token' | 'interrupted'

/** How a download stands at this moment, where that is more than what is kept of it. */
type Live =
  | { readonly kind: 'running'; readonly got: number }
  | { readonly kind: 'checking' }
  | { readonly kind: 'unpacking' }
  /** Automatically; it goes on automatically. */
  | { readonly kind: 'paused'; readonly why: PausedBySelf }

export type Entry = {
  readonly id: DownloadId
  stored: StoredDownload
  live: Live | null
  /** Whether its file is no longer where it was saved. */
  missing: boolean
  /** How much of it is in the part, as far as was looked; of an encoded answer, how much was taken. */
  got: number
  /** What the report's record says of the archive's size; null if it says none, or was not read in this session. */
  recorded: number | null
  /** Length of the whole file; null until its answer tells, or it is saved. */
  fileSize: number | null
  /** When bytes came last, or were first waited for; milliseconds since 1970. */
  movedAt: number
  readonly speed: Speed
}

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
  async update(entry: Entry, change: Partial<StoredDownload>): Promise<void> {
    entry.stored = { ...entry.stored, ...change }
    if (!this.#entries.includes(entry)) return
    this.notify(entry)
    await this.#store.run('downloads/put', [entry.stored]).catch(() => undefined)
  }

  /**
   * Changes what is kept before anything is done that a crash would leave behind unknown.
   * @throws NotStored where the store refuses; then nothing has changed
   */
  async updateFirst(entry: Entry, change: Partial<StoredDownload>): Promise<void> {
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
    this.#scheduleNotify()
  }

  /** Brings those that are named into this order, in the places that they have together. */
  async order(ids: readonly DownloadId[]): Promise<void> {
    const named = [...new Set(ids)].flatMap((id) => this.find(id) ?? [])
    const rest = [...named]
    this.#entries = this.#entries.map((entry) => (named.includes(entry) ? (rest.shift() ?? entry) : entry))
    this.#reordered = true
    this.#scheduleNotify()
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
      entry.got = live.got
    }
    entry.live = live
    this.notify(entry)
  }

  notify(entry: Entry): void {
    if (!this.#entries.includes(entry)) return
    this.#changed.add(entry.id)
    this.#scheduleNotify()
  }

  shown({ id, stored, live, missing, got, recorded, fileSize, speed }: Entry): Download {
    const { account, report, name, file, host, size, expires } = stored
    const state = stateOf(stored, live, missing, got, speed.perSecond(got, this.#clock.now()))
    const differs = recorded !== null && fileSize !== null && recorded !== fileSize
    return {
      ...{ id, account, report, name, file, host, size, expires, state },
      ...(differs && { recordedSize: recorded }),
    }
  }

  /** Tells at once what has not been told yet, and nothing any more after that. */
  close(): void {
    this.#notifying?.abort()
    this.#notifyNow()
  }

  #scheduleNotify(): void {
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
  recorded: null,
  fileSize: null,
  movedAt: 0,
  speed: new Speed(),
})

function stateOf(
  { state, size }: StoredDownload,
  live: Live | null,
  missing: boolean,
  got: number,
  speed: number | null,
): Download['state'] {
  const progress = { done: got, total: size, unit: 'bytes' } as const
  if (live?.kind === 'running') return { kind: 'running', ...progress, speed }
  if (live?.kind === 'paused') return { ...live, ...progress }
  if (live) return live
  switch (state.kind) {
    case 'saved':
      return missing ? { kind: 'missing' } : { kind: 'saved', time: state.at }
    case 'paused':
      return { kind: 'paused', ...progress, why: 'person' }
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

/** Over how long a speed is taken, in milliseconds. */
const SPAN = 5000
const STEP = 250

/** How fast bytes came lately. */
export class Speed {
  #samples: { readonly time: number; readonly got: number }[] = []

  /** @param got all the bytes there are at `now` */
  add(got: number, now: number): void {
    const last = this.#samples.at(-1)
    // Less than before: it was begun again. A clock that went back makes earlier times worthless.
    if (last && (got < last.got || now < last.time)) this.#samples = []
    else if (last && now - last.time < STEP) return
    this.#samples = [...this.#samples.filter(({ time }) => now - time <= SPAN), { time: now, got }]
  }

  /** Bytes a second over the last seconds; null until there is anything to go by. */
  perSecond(got: number, now: number): number | null {
    const first = this.#samples.find(({ time }) => now - time <= SPAN)
    if (!first || now - first.time < STEP || got < first.got) return null
    return Math.round(((got - first.got) / (now - first.time)) * 1000)
  }
}

const fileOf = ({ stored: { folder, file } }: Entry) => join(folder, file)

/** Whether the service keeps the report no longer. */
export const hasExpired = ({ stored: { expires } }: Entry, now: number): boolean =>
  (timeOf(expires) ?? Number.POSITIVE_INFINITY) <= now

/** Whether a file lies there, has gone, or cannot be looked for: then it may be there again later. */
type FileLocation = 'there' | 'gone' | 'away'

async function locate(entry: Entry): Promise<FileLocation> {
  try {
    return (await stat(fileOf(entry))).isFile() ? 'there' : 'gone'
  } catch (error) {
    return hasCode(error, 'ENOENT') && (await isFolder(entry.stored.folder)) ? 'gone' : 'away'
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/**
 * Looks for the files that were saved. One that has gone and cannot be fetched again is off the list; one whose disk is
 * away, or whose folder, stays on it. Of a folder that does not answer, everything stays as it was.
 */
export async function lookForFiles(list: DownloadList, looks: SlowFolderGuard, now: number): Promise<void> {
  const saved = list.entries.filter(({ stored }) => stored.state.kind === 'saved')
  const folders = new Set(saved.map(({ stored }) => stored.folder))
  await Promise.all(
    [...folders].map((folder) =>
      lookInto(
        saved.filter(({ stored }) => stored.folder === folder),
        { list, looks, now },
      ),
    ),
  )
}

type FolderCheck = { readonly list: DownloadList; readonly looks: SlowFolderGuard; readonly now: number }

async function lookInto(entries: readonly Entry[], { list, looks, now }: FolderCheck): Promise<void> {
  for (const entry of entries) {
    const found = await looks
      .run(entry.stored.folder, () => locate(entry), 'list')
      .catch((error: unknown) => {
        if (error instanceof FolderHangs) return null
        throw error
      })
    if (found === null) return
    // What became of it meanwhile is known better.
    if (entry.stored.state.kind !== 'saved') continue
    const missing = found !== 'there'
    if (missing !== entry.missing) {
      entry.missing = missing
      list.notify(entry)
    }
    if (found === 'gone' && hasExpired(entry, now)) await list.remove(entry).catch(() => undefined)
  }
}

/**
 * Where the file of a saved download lies; null where it does not (any more).
 * @throws FolderHangs
 */
export async function savedFile(entry: Entry, looks: SlowFolderGuard): Promise<string | null> {
  if (entry.stored.part !== null) return null
  return (await looks.run(entry.stored.folder, () => locate(entry))) === 'there' ? fileOf(entry) : null
}

export const fileIsAway = (): DeskFailure =>
  new DeskFailure({
    kind: 'disk',
    message: 'The file was moved, renamed or deleted. You can download it again until it expires.',
  })

export const expired = (): DeskFailure =>
  new DeskFailure({
    kind: 'not-found',
    message: 'This report has expired. The service no longer has it.',
  })
