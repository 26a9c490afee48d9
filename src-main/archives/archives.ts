import { rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { CallResult } from '#shared/bridge/calls.ts'
import type { DownloadsChanged } from '#shared/downloads/download.ts'
import type { DroppedFileId, RowsFile, RowsFileId, RowsState } from '#shared/archives/rows-file.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { Line } from '#main/workers/rpc.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'
import type { Store as CacheStore } from '#main/database/cache/cache-store.ts'
import type { Store as StateStore } from '#main/database/state/state-store.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import { RowsCatalogue } from './catalogue.ts'
import { startRowsEngine } from './engine/rows-engine.ts'
import type { ReadRows, RowsEngine } from './engine/rows-engine.ts'
import { rowsFolder, workFolder } from '#main/analytics/rows-layout.ts'
import { exportRows, exportTable, exportUnreadable, saveList } from './exporting.ts'
import { ArchiveImports, unknownFile } from './imports.ts'
import type { ArchivesRaw } from './imports.ts'
import { Questions } from './rows-questions.ts'
import { AutoImport, Recounting } from './recounting.ts'
import { ArchiveLocator, DroppedFiles, idOfReport, tablePath } from './source-files.ts'

/** A file and its sort key. `order`: time of addition, in ms since 1970. */
type Listed = { readonly file: RowsFile; readonly order: number }

/** Archives and the rows inside them. The `rows/…` calls are documented in src-shared/bridge/calls/archives.ts. */
export class Archives implements Module {
  readonly name = 'archives'
  readonly questions: Questions
  readonly imports: ArchiveImports
  readonly recounting: Recounting
  readonly #accounts: Pick<AccountStore, 'account' | 'list' | 'dataScopeOf'>
  readonly #raw: ArchivesRaw
  readonly #store: Pick<CacheStore, 'run'> & Pick<StateStore, 'run'>
  readonly #exports: Pick<Exports, 'run'>
  readonly #events: AppEvents
  readonly #shell: Pick<SystemShell, 'chooseTables'>
  readonly #clock: Clock
  readonly #engine: RowsEngine
  readonly #catalogue: RowsCatalogue
  readonly #looks: SlowFolderGuard
  readonly #locator: ArchiveLocator
  readonly #droppedFiles: DroppedFiles
  readonly #autoImport: AutoImport
  readonly #followed: readonly (() => void)[]

  /**
   * @param folder the profile folder
   * @param openRows starts the rows process (engine-process.ts) with the rows folder and a folder for temporary files
   * @param looks guards access to folders of archives
   */
  constructor(
    store: Pick<CacheStore, 'run'> & Pick<StateStore, 'run'>,
    accounts: Pick<AccountStore, 'account' | 'list' | 'dataScopeOf'>,
    raw: ArchivesRaw,
    reports: Pick<Reports, 'trend'>,
    exports: Pick<Exports, 'run'>,
    jobs: Jobs,
    settings: Pick<Settings, 'read'>,
    shell: Pick<SystemShell, 'chooseTables'>,
    events: AppEvents,
    clock: Clock,
    folder: string,
    openRows: (folders: readonly [rows: string, temporary: string]) => Line,
    looks: SlowFolderGuard = slowFolderGuard,
  ) {
    this.#accounts = accounts
    this.#raw = raw
    this.#store = store
    this.#exports = exports
    this.#events = events
    this.#shell = shell
    this.#clock = clock
    this.#engine = startRowsEngine({
      open: () => openRows([rowsFolder(folder), workFolder(folder)]),
      events,
    })
    this.#catalogue = new RowsCatalogue(store, folder, clock, this.#engine)
    this.#looks = looks
    this.#locator = new ArchiveLocator(looks)
    this.#droppedFiles = new DroppedFiles(looks)
    const [engine, catalogue] = [this.#engine, this.#catalogue]
    this.imports = new ArchiveImports(
      accounts,
      raw,
      jobs,
      events,
      clock,
      engine,
      catalogue,
      this.#locator,
      store,
    )
    this.questions = new Questions(accounts, raw.reports, store, clock, engine, catalogue, this.imports)
    this.recounting = new Recounting(accounts, raw, reports, store, events, clock, this.questions)
    this.#autoImport = new AutoImport(
      accounts,
      settings,
      clock,
      this.imports,
      this.questions,
      this.recounting,
    )
    this.#followed = this.#follow()
  }

  readonly list = async (account: AccountId): Promise<RowsFile[]> => {
    const owner = this.#accounts.dataScopeOf(account)
    const [read, archives] = await Promise.all([
      this.#catalogue.rowsOf(owner),
      this.#raw.downloads.saved(account),
    ])
    const pathOf = new Map(archives.map(({ report, path }) => [idOfReport(report), path]))
    const pathOfRows = ({ entry }: ReadRows) => pathOf.get(entry.id) ?? entry.source
    const paths = [
      ...archives.map(({ path }) => path),
      ...this.imports.readingsOf(owner).map(({ what }) => what.source),
      ...[...read.values()].map(pathOfRows),
    ]
    const found = await this.#locator.findAll(paths, () => this.#changed(account))
    for (const rows of read.values()) {
      const path = pathOfRows(rows)
      await this.imports.noticeReplaced(account, rows, path, found.get(path) ?? null)
    }
    const listed = new Map<RowsFileId, Listed>()
    for (const { report, name, path, addedAt } of archives) {
      const id = idOfReport(report)
      const file: RowsFile = {
        ...{ id, account, report, name: name === '' ? basename(path) : name, type: null },
        archive: this.#locator.stateOf(path),
        state: { kind: 'not-read' },
      }
      listed.set(id, { file, order: addedAt })
    }
    this.#listRows(account, owner, read, listed)
    return [...listed.values()]
      .sort((a, b) => b.order - a.order || (a.file.id < b.file.id ? -1 : 1))
      .map(({ file }) => file)
  }

  readonly read: Handler<'rows/read'> = async ({ account, file, chosen }) => {
    await this.imports.ask(account, file, chosen)
    return null
  }

  readonly cancelImport: Handler<'rows/stop'> = async ({ account, file }) => {
    await Promise.resolve(this.imports.stop(this.#accounts.dataScopeOf(account), file))
    return null
  }

  /** Registers files dropped on a window. Paths that are neither files nor folders are ignored. */
  readonly dropped = (paths: readonly string[]): Promise<readonly DroppedFileId[]> =>
    this.#droppedFiles.add(paths)

  readonly take: Handler<'rows/take'> = async ({ account, dropped }) =>
    await Promise.resolve(this.#droppedFiles.take(dropped).map((path) => this.imports.add(account, path)))

  readonly choose = async (account: AccountId): Promise<readonly RowsFileId[]> => {
    const paths = (await this.#shell.chooseTables()).map(tablePath)
    return paths.map((path) => this.imports.add(account, path))
  }

  readonly discard: Handler<'rows/let-go'> = async ({ account, file, what }) => {
    if (what === 'rows') {
      const owner = this.#accounts.dataScopeOf(account)
      this.imports.stop(owner, file)
      await this.#catalogue.remove(owner, file)
      this.imports.forgetDamage(account, file)
    } else {
      const archives = await this.#raw.downloads.saved(account)
      const archive = archives.find(({ report }) => idOfReport(report) === file)
      // Only an archive that the app saved is deleted. A file that the user added is the user's own.
      if (!archive) throw unknownFile()
      await this.#looks.run(dirname(archive.path), () => rm(archive.path, { force: true }))
    }
    this.#changed(account)
    return null
  }

  readonly recount: Handler<'rows/recount'> = async ({ account, file }) =>
    await this.recounting.run(account, await this.questions.entryOf(account, file))

  readonly recounted: Handler<'rows/recounted'> = ({ account, report }) =>
    this.recounting.get(account, report)

  readonly export: Handler<'rows/export'> = async ({ question, columns, format }) => {
    const request = await this.questions.paramsOf(question)
    return await exportRows({ account: question.account, request, columns, format }, this.#exporting)
  }

  readonly exportTable: Handler<'rows/export-table'> = async (order) =>
    await exportTable(order, await this.questions.inZone(order.question), this.#exporting)

  readonly exportUnreadable: Handler<'rows/export-unreadable'> = async ({ account, file }) =>
    exportUnreadable(account, await this.questions.entryOf(account, file), this.#exporting)

  readonly saveList: Handler<'rows/save-list'> = (request) =>
    Promise.resolve(saveList(request, this.#exports, this.#store, this.#clock))

  readonly lists = (account: AccountId): Promise<CallResult<'rows/lists'>> =>
    this.#store.run('block-lists/list', account)

  readonly undoList: Handler<'rows/undo-list'> = async (list) => {
    await this.#store.run('block-lists/undo', list)
    return null
  }

  get handlers() {
    const { questions } = this
    return {
      'rows/list': ({ account }) => this.list(account),
      'rows/read': this.read,
      'rows/preview': questions.preview,
      'rows/stop': this.cancelImport,
      'rows/take': this.take,
      'rows/choose': ({ account }) => this.choose(account),
      'rows/let-go': this.discard,
      'rows/page': questions.page,
      'rows/facets': questions.facets,
      'rows/histogram': questions.histogram,
      'rows/groups': questions.groups,
      'rows/clusters': questions.clusters,
      'rows/block-list': questions.blockList,
      'rows/search': questions.search,
      'rows/recount': this.recount,
      'rows/recounted': this.recounted,
      'rows/unreadable': questions.unreadable,
      'rows/long-cells': questions.longCells,
      'rows/export': this.export,
      'rows/export-table': this.exportTable,
      'rows/export-unreadable': this.exportUnreadable,
      'rows/save-list': this.saveList,
      'rows/lists': ({ account }) => this.lists(account),
      'rows/undo-list': this.undoList,
      'rows/cancel': ({ key }) => questions.cancel(key),
    } satisfies Partial<Handlers>
  }

  /** Starts automatic imports. */
  start(): void {
    this.#autoImport.begin()
  }

  /** Called when the service of one account is reachable again. */
  wake(account?: AccountId): void {
    if (account !== undefined) this.#autoImport.wake(account)
  }

  /** Pauses or resumes automatic imports. */
  pause(paused: boolean): void {
    this.#autoImport.pause(paused)
  }

  async stop(): Promise<void> {
    for (const stop of this.#followed) stop()
    const ended = this.#autoImport.close()
    this.imports.close()
    await this.#engine.close()
    await ended
  }

  get #exporting() {
    return { questions: this.questions, exports: this.#exports, events: this.#events }
  }

  #changed(account: AccountId): void {
    this.#events.emit({ kind: 'rows/changed', account })
  }

  /** Adds running imports and imported rows to the list. */
  #listRows(
    account: AccountId,
    owner: DataScopeId,
    read: ReadonlyMap<RowsFileId, ReadRows>,
    listed: Map<RowsFileId, Listed>,
  ): void {
    const running = new Map(this.imports.readingsOf(owner).map((reading) => [reading.what.id, reading]))
    for (const { what, state } of running.values()) {
      const { id, report, name, type, source } = what
      const archive = this.#locator.stateOf(source)
      const order = listed.get(id)?.order ?? this.#clock.now()
      listed.set(id, { file: { id, account, report, name, type, archive, state }, order })
    }
    for (const { entry } of read.values()) {
      const { id, report, name, type, readAt } = entry
      const before = listed.get(id)
      const file: RowsFile = {
        ...{ id, account, report, name: before?.file.name ?? name, type },
        archive: before?.file.archive ?? this.#locator.stateOf(entry.source),
        // A running repeat import is shown in place of the imported rows' state.
        state: running.get(id)?.state ?? this.#stateOf(account, entry),
      }
      listed.set(id, { file, order: before?.order ?? readAt })
    }
  }

  #stateOf(account: AccountId, entry: ReadRows['entry']): RowsState {
    if (this.imports.isDamaged(account, entry.id)) return { kind: 'damaged' }
    const { columns, count: rows, unreadable, first, last, readAt, readAs, zone = null } = entry
    const odd = columns.flatMap(({ name: column, odd: cells }) => (cells ? [{ column, cells }] : []))
    const plain = columns.map(({ name, kind, standard }) => ({ name, kind, standard }))
    return {
      kind: 'whole',
      facts: {
        ...{ columns: plain, rows, unreadable, odd, zone, first, last, bytes: entry.rows.size, readAt },
        ...(readAs && { readAs }),
      },
    }
  }

  /** Subscribes to events of other modules. */
  #follow(): readonly (() => void)[] {
    const events = this.#events
    return [
      events.on('account/removed', ({ owners }) => {
        for (const owner of owners) this.#catalogue.forget(owner)
      }),
      events.on('downloads/changed', (event) => {
        for (const account of this.#accountsOfSaved(event)) {
          this.#changed(account)
          this.#autoImport.changed(account)
        }
      }),
      events.on('settings/changed', ({ changed }) => {
        if (changed.includes('readsIn')) this.#autoImport.retryNow()
      }),
    ]
  }

  /** Accounts whose list of rows changes with these downloads. After a removal: all accounts. */
  #accountsOfSaved({ changed, removed }: DownloadsChanged): ReadonlySet<AccountId> {
    if (removed.length > 0) return new Set(this.#accounts.list().map(({ id }) => id))
    const ended = changed.filter(({ state }) => state.kind === 'saved' || state.kind === 'missing')
    return new Set(ended.map(({ account }) => account))
  }
}
