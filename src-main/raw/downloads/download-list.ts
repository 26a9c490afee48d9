import type { Download, DownloadId } from '#shared/downloads/download.ts'
import type { SavedState } from '#shared/raw/list.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { StoredDownload } from '#main/database/state/downloads-repository.ts'
import type { DownloadsContext } from './downloads-context.ts'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DeskFailure } from '#shared/api/failure.ts'
import { timeOf } from '#shared/values/timestamp.ts'
import { hasCode } from '#main/files/disk-failure.ts'
import { NotStored } from './trouble.ts'
import { FolderHangs } from '#main/lib/slow-folder-guard.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'

/** Reason of an automatic pause. */
type PausedBySelf = 'disk' | 'connection' | 'token' | 'interrupted'

/** Transient state of a running download, which is not stored. */
type Live =
  | { readonly kind: 'running'; readonly got: number }
  | { readonly kind: 'checking' }
  | { readonly kind: 'unpacking' }
  /** Resumes automatically. */
  | { readonly kind: 'paused'; readonly why: PausedBySelf }

export type DownloadItem = {
  readonly id: DownloadId
  stored: StoredDownload
  live: Live | null
  /** Whether the saved file is missing from its folder. */
  missing: boolean
  /** Bytes in the part file, or taken from an encoded response. */
  got: number
  /** Archive size by the report's record; null if absent or not yet fetched in this session. */
  recorded: number | null
  /** Length of the whole file; null until the response states it or the file is saved. */
  fileSize: number | null
  /** When bytes last arrived, or the wait for bytes began; in milliseconds since 1970. */
  movedAt: number
  readonly speed: Speed
}

/** Minimum interval between change events to windows, in milliseconds. */
const NOTIFY_EVERY = 250

/** Downloads in the user's order: in memory, in the store and in the windows. */
export class DownloadList {
  readonly #context: DownloadsContext
  #entries: DownloadItem[] = []
  readonly #changedIds = new Set<DownloadId>()
  readonly #removedIds = new Set<DownloadId>()
  #reordered = false
  #notifying: AbortController | null = null

  constructor(context: DownloadsContext) {
    this.#context = context
  }

  async load(): Promise<void> {
    const stored = await this.#context.store.run('downloads/list', undefined)
    this.#entries = stored.map(entryOf)
  }

  get entries(): readonly DownloadItem[] {
    return this.#entries
  }

  find(id: DownloadId): DownloadItem | undefined {
    return this.#entries.find((entry) => entry.id === id)
  }

  ofReport(account: AccountId, report: RawReportId): DownloadItem | undefined {
    return this.#entries.find(({ stored }) => stored.account === account && stored.report === report)
  }

  /** Adds a download. If the store fails, the download stays in memory and is stored later. */
  async add(stored: StoredDownload): Promise<DownloadItem> {
    const entry = entryOf(stored)
    this.#entries.push(entry)
    await this.#context.store.run('downloads/put', [stored]).catch(() => undefined)
    this.notify(entry)
    return entry
  }

  /**
   * Changes and stores a download. A store failure is ignored: after a restart the download resumes from its older
   * state.
   */
  async update(entry: DownloadItem, change: Partial<StoredDownload>): Promise<void> {
    entry.stored = { ...entry.stored, ...change }
    if (!this.#entries.includes(entry)) return
    this.notify(entry)
    await this.#context.store.run('downloads/put', [entry.stored]).catch(() => undefined)
  }

  /**
   * Stores a change before an action whose result a crash would leave unrecorded.
   * @throws NotStored if the store fails; nothing changes
   */
  async updateFirst(entry: DownloadItem, change: Partial<StoredDownload>): Promise<void> {
    const changed = { ...entry.stored, ...change }
    await this.#context.store.run('downloads/put', [changed]).catch((error: unknown) => {
      throw new NotStored('What happens to a download could not be written down', { cause: error })
    })
    entry.stored = changed
    this.notify(entry)
  }

  /** @throws DeskFailure if the store fails; the download remains in the list */
  async remove(entry: DownloadItem): Promise<void> {
    await this.#context.store.run('downloads/remove', [entry.id])
    this.#entries = this.#entries.filter((item) => item !== entry)
    this.#changedIds.delete(entry.id)
    this.#removedIds.add(entry.id)
    this.#scheduleNotify()
  }

  /** Reorders the given downloads among the positions that they occupy. */
  async order(ids: readonly DownloadId[]): Promise<void> {
    const named = [...new Set(ids)].flatMap((id) => this.find(id) ?? [])
    const rest = [...named]
    this.#entries = this.#entries.map((entry) => (named.includes(entry) ? (rest.shift() ?? entry) : entry))
    this.#reordered = true
    this.#scheduleNotify()
    await this.#context.store.run(
      'downloads/order',
      this.#entries.map(({ id }) => id),
    )
  }

  live(entry: DownloadItem, live: Live | null): void {
    if (live?.kind === 'running') {
      const now = this.#context.clock.now()
      if (entry.live?.kind !== 'running' || entry.got !== live.got) entry.movedAt = now
      entry.speed.add(live.got, now)
      entry.got = live.got
    }
    entry.live = live
    this.notify(entry)
  }

  notify(entry: DownloadItem): void {
    if (!this.#entries.includes(entry)) return
    this.#changedIds.add(entry.id)
    this.#scheduleNotify()
  }

  shown({ id, stored, live, missing, got, recorded, fileSize, speed }: DownloadItem): Download {
    const { account, report, name, file, host, size, expires } = stored
    const state = stateOf(stored, live, missing, got, speed.perSecond(got, this.#context.clock.now()))
    const differs = recorded !== null && fileSize !== null && recorded !== fileSize
    return {
      ...{ id, account, report, name, file, host, size, expires, state },
      ...(differs && { recordedSize: recorded }),
    }
  }

  /** Sends pending changes, and no more after that. */
  close(): void {
    this.#notifying?.abort()
    this.#notifyNow()
  }

  #scheduleNotify(): void {
    if (this.#notifying) return
    const notifying = new AbortController()
    this.#notifying = notifying
    this.#context.clock.wait(NOTIFY_EVERY, notifying.signal).then(
      () => {
        this.#notifying = null
        this.#notifyNow()
      },
      () => undefined,
    )
  }

  #notifyNow(): void {
    const changed = [...this.#changedIds]
      .flatMap((id) => this.find(id) ?? [])
      .map((entry) => this.shown(entry))
    const removed = [...this.#removedIds]
    const reordered = this.#reordered
    this.#changedIds.clear()
    this.#removedIds.clear()
    this.#reordered = false
    if (changed.length > 0 || removed.length > 0 || reordered)
      this.#context.events.emit({ kind: 'downloads/changed', changed, removed, reordered })
  }
}

const entryOf = (stored: StoredDownload): DownloadItem => ({
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

/** State of a download as shown in the list of reports. */
export const savedStateOf = ({ state }: Download): SavedState => savedStates[state.kind]

/** Period over which the speed is averaged, in milliseconds. */
const SPAN = 5000
const STEP = 250

/** Recent download speed. */
export class Speed {
  #samples: { readonly time: number; readonly got: number }[] = []

  /** @param got total bytes at `now` */
  add(got: number, now: number): void {
    const last = this.#samples.at(-1)
    // Fewer bytes: the download restarted. Earlier time: the clock was set back, so the samples are useless.
    if (last && (got < last.got || now < last.time)) this.#samples = []
    else if (last && now - last.time < STEP) return
    this.#samples = [...this.#samples.filter(({ time }) => now - time <= SPAN), { time: now, got }]
  }

  /** Bytes per second over the last seconds; null without enough samples. */
  perSecond(got: number, now: number): number | null {
    const first = this.#samples.find(({ time }) => now - time <= SPAN)
    if (!first || now - first.time < STEP || got < first.got) return null
    return Math.round(((got - first.got) / (now - first.time)) * 1000)
  }
}

const fileOf = ({ stored: { folder, file } }: DownloadItem) => join(folder, file)

/** Whether the service has deleted the report. */
export const hasExpired = ({ stored: { expires } }: DownloadItem, now: number): boolean =>
  (timeOf(expires) ?? Number.POSITIVE_INFINITY) <= now

/** Whether a file exists, is deleted, or cannot be checked because its folder is unavailable. */
type FileLocation = 'there' | 'gone' | 'away'

async function locate(entry: DownloadItem): Promise<FileLocation> {
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
 * Checks whether saved files exist. A deleted file that has expired leaves the list; a file on an unavailable disk or
 * folder does not. If a folder hangs, its files keep their state.
 */
export async function lookForFiles(
  list: DownloadList,
  folderGuard: SlowFolderGuard,
  now: number,
): Promise<void> {
  const saved = list.entries.filter(({ stored }) => stored.state.kind === 'saved')
  const folders = new Set(saved.map(({ stored }) => stored.folder))
  await Promise.all(
    [...folders].map((folder) =>
      lookInto(
        saved.filter(({ stored }) => stored.folder === folder),
        { list, folderGuard, now },
      ),
    ),
  )
}

type FolderCheck = {
  readonly list: DownloadList
  readonly folderGuard: SlowFolderGuard
  readonly now: number
}

async function lookInto(
  entries: readonly DownloadItem[],
  { list, folderGuard, now }: FolderCheck,
): Promise<void> {
  for (const entry of entries) {
    const found = await folderGuard
      .run(entry.stored.folder, () => locate(entry), 'list')
      .catch((error: unknown) => {
        if (error instanceof FolderHangs) return null
        throw error
      })
    if (found === null) return
    // The state changed during the check.
    if (entry.stored.state.kind !== 'saved') continue
    const missing = found !== 'there'
    if (missing !== entry.missing) {
      entry.missing = missing
      list.notify(entry)
    }
    if (found === 'gone' && hasExpired(entry, now)) await list.remove(entry).catch(() => undefined)
  }
}

/** Returns the path of a saved file; null if the file does not exist. @throws FolderHangs */
export async function savedFile(entry: DownloadItem, folderGuard: SlowFolderGuard): Promise<string | null> {
  if (entry.stored.part !== null) return null
  return (await folderGuard.run(entry.stored.folder, () => locate(entry))) === 'there' ? fileOf(entry) : null
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
