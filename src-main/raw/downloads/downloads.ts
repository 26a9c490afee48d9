import type { DownloadsContext } from './downloads-context.ts'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DeskFailure } from '#shared/api/failure.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import type { Download, DownloadId } from '#shared/downloads/download.ts'
import type { SavedState } from '#shared/raw/list.ts'
import { safeStem } from '#shared/values/text.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { StoredDownload, StoredState } from '#main/database/state/downloads-repository.ts'
import { within } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { Handlers } from '#main/lib/module.ts'
import { DownloadList, expired, fileIsAway, hasExpired, lookForFiles, savedFile } from './download-list.ts'
import { savedStateOf } from './download-list.ts'
import type { DownloadItem } from './download-list.ts'
import { discardPart, lengthOf, sweepDrafts, takesFiles } from './part-file.ts'
import { Pipeline, markOf, partPath } from './pipeline.ts'
import { DownloadJobs } from './download-jobs.ts'

/** Fields of a report known from the stored list. */
type KnownReport = Pick<RawListRow, 'id' | 'name' | 'expires'>

export type SavedArchive = {
  readonly report: RawReportId
  readonly name: string
  readonly path: string
  readonly addedAt: Instant
}

/** Time that a window waits for folders to respond, in milliseconds. */
const folderTimeoutMs = 1000

/** Whether the archive has its final name. Its tables may not be unpacked yet. */
const isNamed = (state: StoredState): boolean =>
  state.kind === 'saved' || state.kind === 'unpacking' || (state.kind === 'failed' && state.named)

/** Downloads of raw reports. Methods throw `DeskFailure`. */
export class Downloads {
  readonly #context: DownloadsContext
  readonly #list: DownloadList
  readonly #pipeline: Pipeline
  readonly #jobs: DownloadJobs
  /** Serialises changes by the user or a rule. */
  readonly #changes = new Lane()
  #closed = false
  #loaded: Promise<void> | undefined
  #begun: Promise<void> | undefined
  /** Whether `resumeAll` was called, even if the store failed. */
  #isWanted = false
  #isHeld = false

  constructor(context: DownloadsContext) {
    this.#context = context
    this.#list = new DownloadList(context)
    this.#pipeline = new Pipeline(context, this.#list)
    const applyRequest = {
      run: (id: DownloadId) => this.resume(id),
      pause: (id: DownloadId) => this.pause(id),
      cancel: (id: DownloadId) => this.cancel(id),
    }
    this.#jobs = new DownloadJobs(context, this.#pipeline, (requested, { id }) => applyRequest[requested](id))
  }

  get handlers() {
    return {
      'downloads/list': () => this.list(),
      'downloads/start': (request) => this.start(request),
      'downloads/pause': ({ download }) => this.pause(download),
      'downloads/resume': ({ download }) => this.resume(download),
      'downloads/cancel': ({ download }) => this.cancel(download),
      'downloads/order': ({ downloads }) => this.order(downloads),
      'downloads/show': ({ download }) => this.show(download),
      'downloads/show-report': (request) => this.showReport(request),
      'downloads/open': ({ download }) => this.open(download),
    } satisfies Partial<Handlers>
  }

  /** Lists all downloads after checking their files. Slow folders are reported later by an event. */
  async list(): Promise<readonly Download[]> {
    await this.resumeAll()
    await within(folderTimeoutMs, this.#look())
    return this.#shown()
  }

  /** Lists all downloads without disk access. */
  async known(): Promise<readonly Download[]> {
    await this.#load()
    return this.#shown()
  }

  /** @returns null if the user cancelled the folder dialog */
  async start(request: CallArgument<'downloads/start'>): Promise<{ readonly id: DownloadId } | null> {
    const { account, report, choose, anew = false } = request
    const chosen = choose ? await this.#context.shell.chooseFolder() : null
    if (choose && chosen === null) return null
    return await this.#change(async () => {
      const entry = this.#list.ofReport(account, report)
      if (entry) {
        if (chosen !== null) await this.#fetchAnew(entry, chosen)
        else await (anew ? this.#saveAgain(entry) : this.#goOnWith(entry))
        return { id: entry.id }
      }
      const known = await this.#knownReport(account, report)
      const folder = chosen ?? (await this.#context.settings.downloadFolder())
      const { id } = await this.#add(account, known ?? { id: report, name: '', expires: null }, folder)
      return { id }
    })
  }

  pause(id: DownloadId): Promise<null> {
    return this.#change(async () => {
      const entry = await this.#entryOf(id)
      if (entry.stored.state.kind !== 'waiting') return null
      await this.#jobs.halt(entry)
      // The download may have ended in the meantime.
      if (entry.stored.state.kind === 'waiting') await this.#list.update(entry, { state: { kind: 'paused' } })
      return null
    })
  }

  resume(id: DownloadId): Promise<null> {
    return this.#change(async () => {
      await this.#goOnWith(await this.#entryOf(id))
      return null
    })
  }

  /** @returns the name of the remaining file, if any */
  cancel(id: DownloadId): Promise<{ readonly stays: string | null }> {
    return this.#change(async () => ({ stays: await this.#cancel(await this.#entryOf(id)) }))
  }

  order(ids: readonly DownloadId[]): Promise<null> {
    return this.#change(async () => {
      await this.#list.order(ids)
      return null
    })
  }

  async show(id: DownloadId): Promise<null> {
    this.#context.shell.showFile(await this.#fileOf(await this.#entryOf(id)))
    return null
  }

  async showReport({ account, report }: CallArgument<'downloads/show-report'>): Promise<null> {
    await this.resumeAll()
    const entry = this.#list.ofReport(account, report)
    if (!entry) throw fileIsAway()
    this.#context.shell.showFile(await this.#fileOf(entry))
    return null
  }

  async open(id: DownloadId): Promise<null> {
    const wrong = await this.#context.shell.openFile(await this.#fileOf(await this.#entryOf(id)))
    if (wrong !== '') throw new DeskFailure({ kind: 'disk', message: `Can't open it: ${wrong}` })
    return null
  }

  /** Saves a report that became ready, if the settings require it. Idempotent. */
  reportReady(account: AccountId, report: KnownReport): Promise<void> {
    return this.#change(async () => {
      if (this.#list.ofReport(account, report.id)) return
      const { saving } = (await this.#context.settings.read()).raw
      const template = () =>
        this.#context.store.run('raw-templates/of-report', { account, report: report.id })
      const wanted = saving === 'all' || (saving === 'templates' && ((await template())?.save ?? false))
      if (wanted) await this.#add(account, report, await this.#context.settings.downloadFolder())
    })
  }

  /** State of a report's file without disk access. */
  savedState(account: AccountId, report: RawReportId): SavedState {
    const entry = this.#list.ofReport(account, report)
    return entry ? savedStateOf(this.#list.shown(entry)) : 'none'
  }

  /** Saved archives of an account, newest first. The file at `path` may have been deleted since. */
  async saved(account: AccountId): Promise<readonly SavedArchive[]> {
    await this.#load()
    return this.#list.entries
      .filter(({ stored }) => stored.account === account && stored.part === null && isNamed(stored.state))
      .map(({ stored: { report, name, folder, file, addedAt } }) => ({
        ...{ report, name, addedAt },
        path: join(folder, file),
      }))
      .toReversed()
  }

  /** Loads the downloads of the last session and resumes them. */
  resumeAll(): Promise<void> {
    this.#isWanted = true
    return (this.#begun ??= this.#load()
      .then(() => this.#goOn())
      .catch((error: unknown) => {
        this.#begun = undefined
        throw error
      }))
  }

  /** Ends automatic pauses and checks files, after waking up, coming online, focus or new settings. */
  retryNow(): void {
    if (this.#closed || !this.#isWanted) return
    this.resumeAll()
      .then(() => this.#look())
      .catch(() => undefined)
    this.#context.settings
      .read()
      .then(({ raw }) => this.#pipeline.bandwidth.limit(raw.bandwidth))
      .catch(() => undefined)
    this.#jobs.retryNow()
  }

  /** Ends automatic pauses of an account after its service responds again. */
  wake(account: AccountId): void {
    if (!this.#closed && this.#isWanted) this.#jobs.wake(account)
  }

  /** Pauses or resumes all downloads at the user's request for quiet. */
  hold(held: boolean): void {
    if (held === this.#isHeld) return
    this.#isHeld = held
    if (!this.#begun || this.#closed) return
    void this.#change(async () => {
      if (held) await this.#jobs.close()
      else this.#jobs.open()
    }).catch(() => undefined)
  }

  /** Cancels the downloads of an account that is being removed. Saved files remain. */
  forget(account: AccountId): Promise<void> {
    return this.#change(async () => {
      for (const entry of this.#list.entries) if (entry.stored.account === account) await this.#cancel(entry)
    })
  }

  /** Aborts running downloads, which continue in the next session. */
  async stop(): Promise<void> {
    this.#closed = true
    await this.#jobs.close()
    this.#list.close()
  }

  #load(): Promise<void> {
    return (this.#loaded ??= this.#list.load().catch((error: unknown) => {
      // The store may work on a later attempt.
      this.#loaded = undefined
      throw error
    }))
  }

  async #goOn(): Promise<void> {
    const named = await this.#namedState()
    await within(folderTimeoutMs, Promise.all(this.#list.entries.map((entry) => this.#recover(entry, named))))
    await within(folderTimeoutMs, this.#look())
    if (!this.#closed && !this.#isHeld) this.#jobs.open()
  }

  /** Resolves a state interrupted by the end of the app; the next run retries (pipeline.ts). */
  async #recover(entry: DownloadItem, named: StoredState): Promise<void> {
    const { folderGuard } = this.#context
    try {
      await this.#pipeline.recover(entry, named)
      const path = partPath(entry)
      if (path !== null && entry.stored.etag !== null)
        entry.got = (await folderGuard.run(entry.stored.folder, () => lengthOf(path))) ?? 0
    } catch {
      entry.got = 0
    }
  }

  #now(): Instant {
    return instantOf(this.#context.clock.now())
  }

  async #namedState(): Promise<StoredState> {
    return this.#pipeline.stateOfNamed((await this.#context.settings.read()).raw.unpack)
  }

  #look(): Promise<void> {
    return lookForFiles(this.#list, this.#context.folderGuard, this.#now())
  }

  #shown(): readonly Download[] {
    return this.#list.entries.map((entry) => this.#list.shown(entry))
  }

  /** Runs a change, then starts the downloads that may run after it. */
  #change<T>(work: () => Promise<T>): Promise<T> {
    return this.#changes.run(async () => {
      await this.resumeAll()
      try {
        return await work()
      } finally {
        this.#jobs.allow()
      }
    })
  }

  /** @throws DeskFailure if the download is not in the list */
  async #entryOf(id: DownloadId): Promise<DownloadItem> {
    await this.resumeAll()
    const entry = this.#list.find(id)
    if (entry) return entry
    throw new DeskFailure({ kind: 'invalid', message: 'This download is no longer in the list.' })
  }

  /** A report of the stored list; null if absent. */
  async #knownReport(account: AccountId, report: RawReportId): Promise<KnownReport | null> {
    const stored = await this.#context.store.run('raw-reports/read', { account, report })
    return stored?.listed === true ? stored.row : null
  }

  async #add(account: AccountId, report: KnownReport, folder: string): Promise<DownloadItem> {
    const stored: StoredDownload = {
      id: randomUUID() as DownloadId,
      account,
      report: report.id,
      name: report.name,
      folder,
      file: `${safeStem(report.name, 'Raw report')}.zip`,
      ...{ part: null, host: null, size: null, etag: null },
      expires: report.expires,
      addedAt: this.#now(),
      state: { kind: 'waiting' },
    }
    return await this.#list.add(stored)
  }

  /** Stops a download and deletes its unfinished files. */
  async #clear(entry: DownloadItem): Promise<void> {
    await this.#jobs.halt(entry)
    const { folderGuard } = this.#context
    const { folder, state } = entry.stored
    const path = partPath(entry)
    if (path !== null) await folderGuard.run(folder, () => discardPart(path)).catch(() => undefined)
    entry.got = 0
    if (state.kind === 'unpacking')
      await folderGuard.run(folder, () => sweepDrafts(folder, markOf(entry))).catch(() => undefined)
  }

  /** Restarts a download from the beginning, in this folder. */
  async #fetchAnew(entry: DownloadItem, folder: string): Promise<void> {
    await this.#clear(entry)
    entry.missing = false
    await this.#list.update(entry, { folder, part: null, etag: null, state: { kind: 'waiting' } })
  }

  async #goOnWith(entry: DownloadItem): Promise<void> {
    const { state } = entry.stored
    switch (state.kind) {
      case 'saved':
        return await this.#fetchMissing(entry)
      case 'failed':
        return await this.#retryFailed(entry, state)
      case 'paused':
        return await this.#list.update(entry, { state: { kind: 'waiting' } })
      case 'waiting':
      case 'publishing':
      case 'unpacking':
        return this.#jobs.retryNow()
    }
  }

  async #fetchMissing(entry: DownloadItem): Promise<void> {
    await this.#look()
    if (!entry.missing) return
    if (hasExpired(entry, this.#now())) throw expired()
    await this.#fetchAnew(entry, entry.stored.folder)
  }

  async #retryFailed(entry: DownloadItem, state: Extract<StoredState, { kind: 'failed' }>): Promise<void> {
    const { folderGuard } = this.#context
    const { part, folder, file, size } = entry.stored
    const lies = () => lengthOf(join(folder, file))
    const there = state.named && (await folderGuard.run(folder, lies)) === size
    if (there) return await this.#list.update(entry, { state: await this.#namedState() })
    const other = await this.#context.settings.downloadFolder()
    // After a disk error the user was advised to choose another folder.
    const takes = () => folderGuard.run(folder, () => takesFiles(folder)).catch(() => false)
    const isElsewhere = state.failure.kind === 'disk' && other !== folder && !(await takes())
    if (isElsewhere) return await this.#fetchAnew(entry, other)
    await this.#list.update(entry, { part: state.named ? null : part, state: { kind: 'waiting' } })
  }

  /** Downloads a saved report again. The earlier file remains. */
  async #saveAgain(entry: DownloadItem): Promise<void> {
    await this.#look()
    const isSaved = entry.stored.state.kind === 'saved' && !entry.missing
    if (!isSaved) return await this.#goOnWith(entry)
    if (hasExpired(entry, this.#now())) throw expired()
    await this.#fetchAnew(entry, await this.#context.settings.downloadFolder())
  }

  async #cancel(entry: DownloadItem): Promise<string | null> {
    await this.#clear(entry)
    const lies = () => savedFile(entry, this.#context.folderGuard).catch(() => null)
    const stays = isNamed(entry.stored.state) && (await lies()) !== null
    try {
      await this.#list.remove(entry)
      this.#jobs.drop(entry)
    } catch (error) {
      // The download remains in the list, but is not restarted.
      if (entry.stored.state.kind === 'waiting') await this.#list.update(entry, { state: { kind: 'paused' } })
      throw error
    }
    return stays ? entry.stored.file : null
  }

  /** @throws DeskFailure if the file does not exist */
  async #fileOf(entry: DownloadItem): Promise<string> {
    const path = await savedFile(entry, this.#context.folderGuard)
    if (path !== null) return path
    await this.#look()
    throw fileIsAway()
  }
}
