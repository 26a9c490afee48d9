import { instantOf } from '#shared/values/ids.ts'
import type { DownloadsContext } from './downloads-context.ts'
import { stat, unlink } from 'node:fs/promises'
import type { Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { DeskFailure } from '#shared/api/failure.ts'
import type { RawReport } from '#shared/api/answers.ts'
import { stemAfter } from '#shared/downloads/download.ts'
import { lifeOf } from '#shared/raw/list.ts'
import { numbered } from '#shared/values/text.ts'
import { timeOf } from '#shared/values/timestamp.ts'
import { noProxyAccess } from '#main/api/transport/proxy-access.ts'
import { timeToConnect } from '#main/api/transport/exchange.ts'
import type { StoredState, StoredDownload } from '#main/database/state/downloads-repository.ts'
import { hasCode } from '#main/files/disk-failure.ts'
import { makeFolder } from '#main/files/draft.ts'
import { isTaken, namingBy, publish } from '#main/files/publish.ts'
import { BrokenArchive } from '#main/files/zip-errors.ts'
import { withTimeout } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import type { JobContext } from '#main/lib/jobs.ts'
import { Lane } from '#main/lib/lanes.ts'
import { checkSpace } from '#main/lib/disk-room.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { scopeOfService } from '#main/fetching/address-scope.ts'
import type { AddressScope } from '#main/fetching/address-scope.ts'
import { inArchiveProcess } from './archive-process.ts'
import type { FetchCallbacks } from './archive-process.ts'
import { fileIsAway } from './download-list.ts'
import type { DownloadItem, DownloadList } from './download-list.ts'
import { emptyPart, isForeign, lengthOf, takesFiles } from './part-file.ts'

/** Prefix of temporary tables of an archive, in its folder. */
export const markOf = ({ id }: DownloadItem): string => `.traffic-desk-${id}-`

export const partPath = ({ stored: { folder, part } }: DownloadItem): string | null =>
  part === null ? null : join(folder, part)

const archivePath = ({ stored: { folder, file } }: DownloadItem) => join(folder, file)

const ENDING = 'zip'
/** Timeout of a DNS lookup, in milliseconds. */
const LOOK_UP = 15_000

/** Loads TLS on first use. */
const trusted = async () => await (await import('#main/api/transport/proxy.ts')).systemCertificates()

/** One attempt to download a file. */
type Transfer = Pick<FetchCallbacks, 'began' | 'wrote' | 'arrived'> & {
  /** Requests an address from the service. Addresses expire within minutes, so each attempt needs its own. */
  readonly address: () => Promise<string>
  /** Nearest network scope that the address may have. */
  readonly allowed: AddressScope
  readonly path: string
  /** Archive size by the report's record. */
  readonly recorded: number | null
  /** Validator for continuing the part; null: the part cannot be continued. */
  readonly validator: string | null
  /** File length by the response that began the part. */
  readonly size: number | null
  /** Modification time of the file, in milliseconds since 1970. */
  readonly modified: number | null
}

/** Steps of a download, from its address to the saved file. */
export class Pipeline {
  readonly list: DownloadList
  readonly bandwidth: DownloadRate
  readonly #context: DownloadsContext
  readonly #folderGuard: SlowFolderGuard

  constructor(context: DownloadsContext, list: DownloadList) {
    this.#context = context
    this.#folderGuard = context.folderGuard
    this.list = list
    this.bandwidth = new DownloadRate(context.clock)
  }

  /**
   * Runs a download from its current step to the saved file.
   *
   * @throws any error of a step (see trouble.ts); the part remains for the next attempt
   */
  async run(entry: DownloadItem, context: JobContext): Promise<void> {
    const { signal } = context
    const { raw } = await this.#context.settings.read()
    this.bandwidth.limit(raw.bandwidth)
    const { folder } = entry.stored
    // Only checks that the folder responds. Whether it is writable shows when files are written.
    await this.#folderGuard.run(folder, () => takesFiles(folder))
    await this.recover(entry, this.stateOfNamed(raw.unpack))
    if (entry.stored.state.kind === 'saved') return
    // Unpacking a saved archive needs no request: the service may have deleted the report.
    if (entry.stored.state.kind !== 'unpacking') {
      const record = await this.#recordOf(entry, signal)
      const stem = stemAfter(raw.fileNames, this.#context.accounts.account(entry.stored.account).name, record)
      await this.#fetch(entry, record, stem, context)
      await this.#name(entry, stem, raw.unpack)
    }
    if (entry.stored.state.kind !== 'unpacking') return
    await this.#unpack(entry, signal)
    await this.list.update(entry, { state: { kind: 'saved', at: instantOf(this.#context.clock.now()) } })
  }

  /** State after the archive has its final name. */
  stateOfNamed(unpack: boolean): StoredState {
    return unpack ? { kind: 'unpacking' } : { kind: 'saved', at: instantOf(this.#context.clock.now()) }
  }

  /** Resolves a state interrupted by the end of the app. @throws FolderHangs */
  async recover(entry: DownloadItem, named: StoredState): Promise<void> {
    if (entry.stored.state.kind !== 'publishing') return
    const change = await this.#folderGuard.run(entry.stored.folder, () => recovered(entry.stored, named))
    if (change) await this.list.update(entry, change)
  }

  /** Fetches the report's record, with its size, its days, and whether an archive exists. */
  async #recordOf({ stored }: DownloadItem, signal: AbortSignal): Promise<RawReport> {
    const client = await this.#context.accounts.clientFor(stored.account)
    const how = { signal, priority: 'background' } as const
    const { answer } = await client.call('raw/report', { raw: stored.report }, how)
    const life = lifeOf(answer)
    if (life.state === 'ready') return answer
    const message = `This report has no archive: the service says “${life.words}”.`
    throw new DeskFailure({ kind: 'not-found', message })
  }

  async #fetch(
    entry: DownloadItem,
    record: RawReport,
    stem: string,
    { signal, progress }: JobContext,
  ): Promise<void> {
    const { list } = this
    const arrived = (got: number) => {
      list.live(entry, { kind: 'running', got })
      progress({ done: got, total: entry.stored.size, unit: 'bytes' })
    }
    entry.recorded = record.file_size
    const { name, expires } = record
    // The size of a part without a validator is useless, because that part is not continued.
    await list.update(entry, { name, expires, ...(entry.stored.etag === null && { size: null }) })
    const path = await this.#partFor(entry, stem)
    const { etag: validator, size } = entry.stored
    const got = (await this.#folderGuard.run(entry.stored.folder, () => lengthOf(path))) ?? 0
    // A part without a validator is not continued.
    arrived(validator === null ? 0 : got)
    const transfer: Transfer = {
      address: () => this.#addressOf(entry, signal),
      allowed: await withTimeout(timeToConnect(LOOK_UP, signal), () => this.#scopeOf(entry)),
      ...{ path, recorded: record.file_size, validator, size, modified: timeOf(record.created) },
      began: (response) => {
        entry.fileSize = response.fileSize
        return list.update(entry, { host: response.host, size: response.size, etag: response.validator })
      },
      wrote: arrived,
      arrived: () => list.live(entry, { kind: 'checking' }),
    }
    await this.#transfer(entry, transfer, signal)
    signal.throwIfAborted()
  }

  async #addressOf({ stored }: DownloadItem, signal: AbortSignal): Promise<string> {
    const client = await this.#context.accounts.clientFor(stored.account)
    const how = { signal, priority: 'background' } as const
    return (await client.call('raw/download', { raw: stored.report }, how)).answer.url
  }

  /** The sandbox runs in this app. */
  #scopeOf({ stored }: DownloadItem): Promise<AddressScope> {
    const { kind, address } = this.#context.accounts.account(stored.account)
    return kind === 'sample' ? Promise.resolve('loopback') : scopeOfService(address)
  }

  /**
   * One attempt to download a file from its current length: complete, tested, dated and synced.
   *
   * @throws errors of the network, the disk or the service; BrokenArchive, HostileArchive and ChangedFile if the part
   * is useless
   */
  async #transfer(entry: DownloadItem, order: Transfer, signal: AbortSignal): Promise<void> {
    const { path, recorded, size, validator, modified, allowed, began, wrote, arrived } = order
    const folder = dirname(path)
    const got = (await this.#folderGuard.run(folder, () => lengthOf(path))) ?? 0
    if (size !== null && got > size) throw new BrokenArchive('more came than belongs to it')
    // A complete part needs no request. The archive test decides whether the part is valid.
    if (size !== null && size > 0 && got === size) {
      arrived()
      return await inArchiveProcess(this.#context.openArchive, { kind: 'finish', path, modified }, signal)
    }
    const usable = validator === null ? 0 : got
    // Frees the space of a part that cannot be continued.
    if (usable < got) await this.#folderGuard.run(folder, () => emptyPart(path))
    // Only the response states the download size. The record's size may be of something else.
    await this.#folderGuard.run(folder, () => checkSpace(folder, size === null ? 0 : size - usable))
    const url = await order.address()
    signal.throwIfAborted()
    void this.list.update(entry, { host: new URL(url).host })
    const part = { got: usable, validator, size }
    const {
      resolveProxy,
      proxyAccess = noProxyAccess,
      timeouts,
      certificates = trusted,
    } = this.#context.network
    const task = { kind: 'fetch', url, allowed, path, part, recorded, modified } as const
    const portion = () => this.bandwidth.portion(signal)
    await inArchiveProcess(this.#context.openArchive, timeouts ? { ...task, timeouts } : task, signal, {
      ...{ proxy: resolveProxy, proxyAccess, certificates, began, portion, wrote, arrived },
    })
  }

  /** Returns the path of the part file, which is created if necessary. Its name is stored first. */
  async #partFor(entry: DownloadItem, stem: string): Promise<string> {
    const { folder } = entry.stored
    const { create } = namingBy((call) => this.#folderGuard.run(folder, call))
    const known = partPath(entry)
    if (known !== null && !(await this.#folderGuard.run(folder, () => isForeign(known)))) return known
    await this.#folderGuard.run(folder, () => makeFolder(folder))
    for (let turn = 1; ; turn += 1) {
      const file = numbered(stem, ENDING, turn)
      const part = `${file}.part`
      const taken = async () => (await isTaken(join(folder, file))) || (await isTaken(join(folder, part)))
      if (await this.#folderGuard.run(folder, taken)) continue
      await this.list.updateFirst(entry, { file, part, etag: null, size: null })
      const path = join(folder, part)
      try {
        await create(path)
        return path
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error
      }
    }
  }

  /** Gives a tested part its final name. Not cancellable. */
  async #name(entry: DownloadItem, stem: string, andUnpack: boolean): Promise<void> {
    const path = partPath(entry)
    if (path === null) throw new RangeError('There is nothing to name')
    const { folder } = entry.stored
    const size = await this.#folderGuard.run(folder, () => lengthOf(path))
    const intend = (file: string) =>
      this.list.updateFirst(entry, { file, size, state: { kind: 'publishing' } })
    const calls = namingBy((call) => this.#folderGuard.run(folder, call))
    entry.fileSize = size
    const file = await publish(path, { folder, stem, ending: ENDING }, calls, intend)
    await this.list.update(entry, { file, part: null, state: this.stateOfNamed(andUnpack) })
  }

  async #unpack(entry: DownloadItem, signal: AbortSignal): Promise<void> {
    this.list.live(entry, { kind: 'unpacking' })
    const { folder, file } = entry.stored
    const path = archivePath(entry)
    if ((await this.#folderGuard.run(folder, () => lengthOf(path))) === null) throw fileIsAway()
    const stem = file.slice(0, -ENDING.length - 1)
    const task = { kind: 'unpack', path, folder, stem, mark: markOf(entry) } as const
    await inArchiveProcess(this.#context.openArchive, task, signal)
  }
}

const statOrNull = (path: string): Promise<Stats | null> => stat(path).catch(() => null)

/** Returns the changes to a stored download after the app ended while naming the file; null for none. */
export async function recovered(
  stored: StoredDownload,
  published: StoredState,
): Promise<Partial<StoredDownload> | null> {
  if (stored.state.kind !== 'publishing') return null
  const target = join(stored.folder, stored.file)
  const path = stored.part === null ? null : join(stored.folder, stored.part)
  const [file, part] = await Promise.all([statOrNull(target), path === null ? null : statOrNull(path)])
  if (part === null || path === null) {
    // The part is gone: it either became the file, or the user removed both.
    return file?.isFile() && file.size === stored.size
      ? { part: null, state: published }
      : { part: null, etag: null, state: { kind: 'waiting' } }
  }
  if (file !== null && file.ino === part.ino && file.dev === part.dev) {
    // The file is saved even if its second name cannot be removed.
    await unlink(path).catch(() => undefined)
    return { part: null, state: published }
  }
  // Without hard links, an empty file reserved the name, so removing it is safe.
  if (file?.isFile() && file.size === 0) await unlink(target).catch(() => undefined)
  return { state: { kind: 'waiting' } }
}

/** Maximum bytes per portion. Small, because a changed limit applies only to the next portion. */
const WITHOUT_LIMIT = 8 * 1024 * 1024
const LIMITED = 1024 * 1024

/** Limits the total rate of all downloads by granting one portion at a time. */
export class DownloadRate {
  readonly #clock: Clock
  readonly #lane = new Lane()
  #perSecond: number | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param thousands limit in kB/s; null for none */
  limit(thousands: number | null): void {
    this.#perSecond = thousands === null ? null : thousands * 1000
  }

  /**
   * Waits for permission to write. Limited rates grant small portions, for a steady flow.
   * @returns the number of bytes. Rejects when the signal is aborted.
   */
  async portion(signal: AbortSignal): Promise<number> {
    const quarter = Math.ceil((this.#perSecond ?? Number.POSITIVE_INFINITY) / 4)
    const bytes = Math.min(quarter, this.#perSecond === null ? WITHOUT_LIMIT : LIMITED)
    await this.take(bytes, signal)
    return bytes
  }

  /** Waits until this number of bytes is within the limit. Rejects when the signal is aborted. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#perSecond === null) return
    await this.#lane.run(
      async () => {
        if (this.#perSecond !== null) await this.#clock.wait((bytes / this.#perSecond) * 1000, signal)
      },
      { signal },
    )
  }
}
