import { basename } from 'node:path'
import { invalid } from '#shared/api/failure.ts'
import type { UnsearchedArchive } from '#shared/archives/rows.ts'
import type { ImportPreview, RowsFileId, RowsState, ShapeChoice } from '#shared/archives/rows-file.ts'
import { rawTypes } from '#shared/api/raw-columns.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, DataScopeId, RawReportId } from '#shared/values/ids.ts'
import type { JobContext } from '#main/lib/jobs.ts'
import type { ArchivesContext } from './archives-context.ts'
import type { RowsCatalogue } from './catalogue.ts'
import type { ImportedFile, RowsEngine } from './engine/rows-engine.ts'
import type { SeenFile } from '#main/analytics/rows-layout.ts'
import type { ArchiveLocator } from './source-files.ts'
import { idOfFile, idOfReport, isReplaced } from './source-files.ts'

/** Services that archives need, with those that the module creates. */
export type RowsContext = ArchivesContext & {
  readonly engine: RowsEngine
  readonly catalogue: RowsCatalogue
  readonly locator: ArchiveLocator
}

/** An archive to import. */
type ToRead = {
  readonly account: AccountId
  readonly dataScope: DataScopeId
  readonly id: RowsFileId
  readonly report: RawReportId | null
  readonly name: string
  readonly type: RawType | null
  readonly source: string
  /** Whether another file has replaced the source of the present rows. */
  readonly replaces: boolean
}

/** State of an archive whose import runs or failed. */
type ImportState = Exclude<RowsState, { kind: 'whole' | 'damaged' | 'not-read' }>

/** Time in ms without progress before the folder is checked. Some steps of long tables take this long. */
const silence = 30_000
/** Time in ms that a cancelled import may take to end before its process is killed. */
const longestEnd = 5000

/** Runs imports of archives, and remembers the ones that failed. */
export class ArchiveImports {
  readonly #context: RowsContext
  /** Archives whose import runs or failed. The jobs have the state; they know no paths and no reports. */
  readonly #archives = new Map<string, ToRead>()
  /** Damaged rows. They are imported again if their archive still exists. */
  readonly #damaged = new Set<string>()
  /** Files that are being checked. A file that does not respond is not checked twice. */
  readonly #checking = new Set<string>()
  /** The automatic import that is running, and whether a user's request interrupted it. */
  #automaticImport: { readonly dataScope: DataScopeId; readonly id: RowsFileId; gaveWay: boolean } | null =
    null

  constructor(context: RowsContext) {
    this.#context = context
  }

  /** Imports an archive; resolves when the import succeeds or fails. @throws DeskFailure if the archive is unknown or gone, or its folder hangs */
  async importArchive(account: AccountId, id: RowsFileId): Promise<void> {
    await this.begin(await this.#toRead(account, id))
  }

  /**
   * Starts an import for the user, before automatic imports.
   * @param chosen settings for tables of this shape, now and later
   * @throws DeskFailure as `importArchive`
   */
  async ask(account: AccountId, id: RowsFileId, chosen?: ShapeChoice): Promise<void> {
    const { store, clock } = this.#context
    const what = await this.#toRead(account, id)
    const chosenAt = instantOf(clock.now())
    if (chosen) await store.run('import-choices/keep', { account, chosenAt, chosen })
    this.#giveWay(id)
    void this.begin(what).catch(() => undefined)
  }

  /** Previews how an archive's first table is read. @param chosen overrides stored settings @throws DeskFailure as `importArchive` */
  async preview(
    account: AccountId,
    id: RowsFileId,
    chosen: ShapeChoice | undefined,
    signal: AbortSignal,
  ): Promise<ImportPreview> {
    const { store, engine } = this.#context
    const { source } = await this.#toRead(account, id)
    const stored = await store.run('import-choices/list', account)
    const choices = [...(chosen ? [chosen] : []), ...stored]
    return await engine.call('preview', { source, choices }, signal)
  }

  /** Starts the import of a file that the user added. */
  add(account: AccountId, source: string): RowsFileId {
    const id = idOfFile(source)
    const dataScope = this.#context.accounts.dataScopeOf(account)
    const about = { account, dataScope, id, report: null, name: basename(source), type: null }
    this.#giveWay(id)
    void this.begin({ ...about, source, replaces: false }).catch(() => undefined)
    return id
  }

  /** Imports an archive automatically. @returns whether the import gave way to a user's request */
  async importUnasked(account: AccountId, id: RowsFileId): Promise<boolean> {
    const turn = { dataScope: this.#context.accounts.dataScopeOf(account), id, gaveWay: false }
    this.#automaticImport = turn
    await this.importArchive(account, id).finally(() => (this.#automaticImport = null))
    return turn.gaveWay
  }

  /** Interrupts the automatic import for a user's request. The automatic import restarts afterwards. */
  #giveWay(to: RowsFileId): void {
    if (!this.#automaticImport || this.#automaticImport.id === to) return
    this.#automaticImport.gaveWay = true
    this.stop(this.#automaticImport.dataScope, this.#automaticImport.id)
  }

  /** Returns the import state of an archive. */
  async stateOf(account: AccountId, id: RowsFileId): Promise<'imported' | 'failed' | 'not-yet'> {
    const { accounts, catalogue } = this.#context
    const dataScope = accounts.dataScopeOf(account)
    if ((await catalogue.rowsOf(dataScope)).has(id)) return 'imported'
    return this.#stateOf(nameOf({ dataScope, id }))?.kind === 'failed' ? 'failed' : 'not-yet'
  }

  isDamaged(account: AccountId, id: RowsFileId): boolean {
    return this.#damaged.has(this.#nameOf(account, id))
  }

  /** Marks rows as damaged, and imports them again if possible. */
  repair(account: AccountId, ids: readonly RowsFileId[]): void {
    for (const id of ids) {
      this.#damaged.add(this.#nameOf(account, id))
      void this.importArchive(account, id).catch(() => undefined)
    }
    this.#context.events.emit({ kind: 'rows/changed', account })
  }

  /** Called when damaged rows were deleted. */
  forgetDamage(account: AccountId, id: RowsFileId): void {
    this.#damaged.delete(this.#nameOf(account, id))
  }

  /** Cancels all imports. */
  close(): void {
    void this.#context.jobs.cancelAll('import')
  }

  /**
   * Imports an archive again if another file has replaced it.
   * @param found the file at `path`, if already checked
   */
  async noticeReplaced(
    account: AccountId,
    { entry }: ImportedFile,
    path: string,
    found?: SeenFile | null,
  ): Promise<void> {
    const name = this.#nameOf(account, entry.id)
    if (this.#checking.has(name) || this.#archives.has(nameOf(entry))) return
    this.#checking.add(name)
    try {
      const lies = found === undefined ? await this.#context.locator.lookAt(path) : found
      if (!isReplaced(entry, path, lies) || this.#archives.has(nameOf(entry))) return
      const what = await this.#toRead(account, entry.id)
      void this.begin({ ...what, replaces: true }).catch(() => undefined)
    } finally {
      this.#checking.delete(name)
    }
  }

  /** Looks up the archive of an id. @throws DeskFailure if the archive is unknown or gone, or its folder hangs */
  async #toRead(account: AccountId, id: RowsFileId): Promise<ToRead> {
    const { accounts, raw, catalogue, locator } = this.#context
    const dataScope = accounts.dataScopeOf(account)
    const archive = (await raw.downloads.saved(account)).find(({ report }) => idOfReport(report) === id)
    const failed = this.#archives.get(nameOf({ dataScope, id }))
    const entry = (await catalogue.rowsOf(dataScope)).get(id)?.entry
    const source = archive?.path ?? failed?.source ?? entry?.source
    if (source === undefined) throw unknownFile()
    if ((await locator.lookAt(source)) === null) throw archiveIsGone()
    const report = archive?.report ?? failed?.report ?? entry?.report ?? null
    const name = archive?.name ?? failed?.name ?? entry?.name ?? ''
    return {
      ...{ account, dataScope, id, report, source },
      name: name === '' ? basename(source) : name,
      replaces: false,
      type: report === null ? null : await this.#typeOf(account, report).catch(() => null),
    }
  }

  /** Type of a raw report; null if unknown. */
  async #typeOf(account: AccountId, report: RawReportId): Promise<RawType | null> {
    const type = (await this.#context.raw.reports.known(account, report))?.type.toLowerCase()
    return rawTypes.find((rawType) => rawType === type) ?? null
  }

  /** State of an import that runs or failed; null for others. */
  #stateOf(name: string): ImportState | null {
    const record = this.#context.jobs.recordOf('import', name)
    if (record?.active) return { kind: 'importing', replaced: this.#archives.get(name)?.replaces ?? false }
    return record?.last?.state.kind === 'failed' ? record.last.state : null
  }

  #nameOf(account: AccountId, id: RowsFileId): string {
    return nameOf({ dataScope: this.#context.accounts.dataScopeOf(account), id })
  }

  /** Running and failed imports of a data scope. */
  readingsOf(dataScope: DataScopeId): readonly { readonly what: ToRead; readonly state: ImportState }[] {
    const archives = [...this.#archives.values()].filter((what) => what.dataScope === dataScope)
    return archives.flatMap((what) => {
      const state = this.#stateOf(nameOf(what))
      return state ? [{ what, state }] : []
    })
  }

  /** Returns the archives of an account without imported rows. */
  async notImported(account: AccountId): Promise<ReadonlyMap<RowsFileId, UnsearchedArchive>> {
    const { accounts, raw, catalogue } = this.#context
    const dataScope = accounts.dataScopeOf(account)
    const imported = await catalogue.rowsOf(dataScope)
    const found = new Map<RowsFileId, UnsearchedArchive>()
    for (const { report, name, path } of await raw.downloads.saved(account))
      found.set(idOfReport(report), { name: name === '' ? basename(path) : name, why: 'not-read' })
    for (const { what, state } of this.readingsOf(dataScope))
      found.set(what.id, { name: what.name, why: state.kind })
    for (const id of imported.keys()) found.delete(id)
    return found
  }

  /** Whether an import is running or queued. */
  isBusy(): boolean {
    return this.#context.jobs.recordsOf('import').some(({ active }) => active)
  }

  /** Imports an archive unless that import is running; resolves when the import succeeds or fails. */
  async begin(what: ToRead): Promise<void> {
    await this.#run(what)
    const read = (await this.#context.catalogue.rowsOf(what.dataScope)).get(what.id)
    if (read && !this.#archives.has(nameOf(what)) && this.#damaged.delete(nameOf(what)))
      this.#context.events.emit({ kind: 'rows/changed', account: what.account })
  }

  async #run(what: ToRead): Promise<void> {
    const { jobs } = this.#context
    const key = nameOf(what)
    if (jobs.recordOf('import', key)?.active) return
    this.#archives.set(key, what)
    const { id } = jobs.run({
      ...{ kind: 'import', key, account: what.account, subject: what.id, title: what.name, unit: 'bytes' },
      run: async (context) => {
        await this.#read(what, context)
        return null
      },
    })
    this.#changed(what)
    const { kind } = await jobs.ended(id)
    if (kind !== 'failed' && jobs.recordOf('import', key)?.last?.id === id) this.#archives.delete(key)
    this.#changed(what)
  }

  /** Cancels an import, or removes a failed import from the list. */
  stop(dataScope: DataScopeId, id: RowsFileId): void {
    const { jobs } = this.#context
    const key = nameOf({ dataScope, id })
    const what = this.#archives.get(key)
    if (!what) return
    const { last = null } = jobs.recordOf('import', key) ?? {}
    this.#archives.delete(key)
    jobs.forget('import', key)
    if (last) jobs.dismiss(last.id)
    this.#changed(what)
  }

  async #read(what: ToRead, { signal, progress }: JobContext): Promise<void> {
    const { store, accounts, clock, engine, catalogue, events } = this.#context
    const { account, dataScope, id, report, name, type, source } = what
    const zone = accounts.account(account).dayZone
    const about = { dataScope, id, report, name, type, readAt: instantOf(clock.now()) }
    const choices = await store.run('import-choices/list', account)
    const reading = nameOf(what)
    let bytes = 0
    const stopFollowing = events.on('rows/import-progress', (event) => {
      if (event.reading !== reading) return
      bytes = event.done
      progress({ done: bytes, total: event.total, unit: 'bytes' })
    })
    const ended = new AbortController()
    let hangs: unknown
    // A read in a folder that hangs ends only with the process. The next call starts a new process.
    signal.addEventListener(
      'abort',
      () => void clock.wait(longestEnd, ended.signal).then(engine.kill, nothing),
    )
    this.#untilItHangs(source, () => bytes, ended.signal).catch((error: unknown) => {
      if (ended.signal.aborted) return
      hangs = error
      void engine.kill()
    })
    const read = await engine
      .call('importArchive', { reading, source, zone, choices, about }, signal)
      .catch((error: unknown) => {
        throw hangs ?? error
      })
      .finally(() => {
        ended.abort()
        stopFollowing()
      })
    await catalogue.put(read)
  }

  /**
   * Checks the folder whenever the import makes no progress.
   * @param progress returns the number of bytes read
   * @throws FolderHangs; the reason of the abort
   */
  async #untilItHangs(source: string, progress: () => number, ended: AbortSignal): Promise<never> {
    const { clock, locator } = this.#context
    for (;;) {
      const before = progress()
      await clock.wait(silence, ended)
      if (progress() === before) await locator.lookAt(source)
    }
  }

  #changed({ account }: ToRead): void {
    const { events } = this.#context
    events.emit({ kind: 'rows/changed', account })
    events.emit({ kind: 'rows/import-changed', account })
  }
}

const nothing = () => undefined

const nameOf = ({ dataScope, id }: Pick<ToRead, 'dataScope' | 'id'>): string => `${dataScope} ${id}`

export const unknownFile = () => invalid('This file no longer exists.')
const archiveIsGone = () => invalid('The file was moved, renamed or deleted.')
