import { rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { CallResult } from '#shared/bridge/calls.ts'
import type { DownloadsChanged } from '#shared/downloads/download.ts'
import type { DroppedFileId, RowsFile, RowsFileId, RowsState } from '#shared/archives/rows-file.ts'
import { withColumnNames } from '#shared/archives/rows-file.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'
import type { ArchivesContext } from './archives-context.ts'
import { RowsCatalogue } from './catalogue.ts'
import { startRowsEngine } from './engine/rows-engine.ts'
import type { ImportedFile } from './engine/rows-engine.ts'
import { rowsFolder, workFolder } from '#main/analytics/rows-layout.ts'
import { ArchiveImports, unknownFile } from './imports.ts'
import type { RowsContext } from './imports.ts'
import { ImportedRows } from './imported-rows.ts'
import { RowsQueries } from './rows-queries.ts'
import { AutoImport, Recounting } from './recounting.ts'
import { ArchiveLocator, DroppedFiles, idOfReport, tablePath } from './source-files.ts'

/** Loaded with the first export. */
const exporting = () => import('./exporting.ts')

/** A file and its sort key. `order`: time of addition, in ms since 1970. */
type Listed = { readonly file: RowsFile; readonly order: number }

/** Archives and the rows inside them. The `rows/…` calls are documented in src-shared/bridge/calls/archives.ts. */
export class Archives implements Module {
  readonly name = 'archives'
  readonly imports: ArchiveImports
  readonly rows: ImportedRows
  readonly recounting: Recounting
  readonly queries: RowsQueries
  readonly #context: RowsContext
  readonly #droppedFiles: DroppedFiles
  readonly #autoImport: AutoImport
  readonly #followed: readonly (() => void)[]

  constructor(services: ArchivesContext) {
    const { folder, openRows, events, folderGuard } = services
    const open = () => openRows([rowsFolder(folder), workFolder(folder)])
    const engine = startRowsEngine({ open, events })
    const catalogue = new RowsCatalogue(services, engine)
    const context = { ...services, engine, catalogue, locator: new ArchiveLocator(folderGuard) }
    this.#context = context
    this.imports = new ArchiveImports(context)
    this.rows = new ImportedRows(context, this.imports)
    this.recounting = new Recounting(context, this.rows)
    this.queries = new RowsQueries(context, this.rows, this.imports)
    this.#droppedFiles = new DroppedFiles(folderGuard)
    this.#autoImport = new AutoImport(context, this.rows, this.imports, this.recounting)
    this.#followed = this.#follow()
  }

  readonly list = async (account: AccountId): Promise<RowsFile[]> => {
    const { accounts, raw, catalogue, locator } = this.#context
    const dataScope = accounts.dataScopeOf(account)
    const [read, archives] = await Promise.all([catalogue.rowsOf(dataScope), raw.downloads.saved(account)])
    const pathOf = new Map(archives.map(({ report, path }) => [idOfReport(report), path]))
    const pathOfRows = ({ entry }: ImportedFile) => pathOf.get(entry.id) ?? entry.source
    const paths = [
      ...archives.map(({ path }) => path),
      ...this.imports.readingsOf(dataScope).map(({ what }) => what.source),
      ...[...read.values()].map(pathOfRows),
    ]
    const found = await locator.findAll(paths, () => this.#changed(account))
    for (const rows of read.values()) {
      const path = pathOfRows(rows)
      await this.imports.noticeReplaced(account, rows, path, found.get(path) ?? null)
    }
    const listed = new Map<RowsFileId, Listed>()
    for (const { report, name, path, addedAt } of archives) {
      const id = idOfReport(report)
      const file: RowsFile = {
        ...{ id, account, report, name: name === '' ? basename(path) : name, type: null },
        archive: locator.stateOf(path),
        state: { kind: 'not-read' },
      }
      listed.set(id, { file, order: addedAt })
    }
    this.#listRows(account, read, listed, await this.rows.columnNames(account))
    return [...listed.values()]
      .sort((a, b) => b.order - a.order || (a.file.id < b.file.id ? -1 : 1))
      .map(({ file }) => file)
  }

  readonly import: Handler<'rows/import'> = async ({ account, file, chosen }) => {
    await this.imports.ask(account, file, chosen)
    return null
  }

  readonly cancelImport: Handler<'rows/cancel-import'> = async ({ account, file }) => {
    await Promise.resolve(this.imports.stop(this.#context.accounts.dataScopeOf(account), file))
    return null
  }

  /** Registers files dropped on a window. Paths that are neither files nor folders are ignored. */
  readonly dropped = (paths: readonly string[]): Promise<readonly DroppedFileId[]> =>
    this.#droppedFiles.add(paths)

  readonly take: Handler<'rows/take'> = async ({ account, dropped }) =>
    await Promise.resolve(this.#droppedFiles.take(dropped).map((path) => this.imports.add(account, path)))

  readonly choose = async (account: AccountId): Promise<readonly RowsFileId[]> => {
    const paths = (await this.#context.shell.chooseTables()).map(tablePath)
    return paths.map((path) => this.imports.add(account, path))
  }

  readonly discard: Handler<'rows/let-go'> = async ({ account, file, what }) => {
    const { accounts, raw, catalogue, folderGuard } = this.#context
    if (what === 'rows') {
      const dataScope = accounts.dataScopeOf(account)
      this.imports.stop(dataScope, file)
      await catalogue.remove(dataScope, file)
      this.imports.forgetDamage(account, file)
    } else {
      const archives = await raw.downloads.saved(account)
      const archive = archives.find(({ report }) => idOfReport(report) === file)
      // Only an archive that the app saved is deleted. A file that the user added is the user's own.
      if (!archive) throw unknownFile()
      await folderGuard.run(dirname(archive.path), () => rm(archive.path, { force: true }))
    }
    this.#changed(account)
    return null
  }

  readonly recount: Handler<'rows/recount'> = async ({ account, file }) =>
    await this.recounting.run(account, await this.rows.fileOf(account, file))

  readonly recounted: Handler<'rows/recounted'> = ({ account, report }) =>
    this.recounting.get(account, report)

  readonly export: Handler<'rows/export'> = async ({ query, columns, format }) => {
    const request = await this.rows.select(query)
    const { exportRows } = await exporting()
    return await exportRows({ account: query.account, request, columns, format }, this.#exporting)
  }

  readonly exportTable: Handler<'rows/export-table'> = async (order) => {
    const { exportTable } = await exporting()
    return await exportTable(order, await this.rows.select(order.query), this.#exporting)
  }

  readonly exportUnreadable: Handler<'rows/export-unreadable'> = async ({ account, file }) => {
    const { exportUnreadable } = await exporting()
    return await exportUnreadable(account, await this.rows.fileOf(account, file), this.#exporting)
  }

  readonly saveList: Handler<'rows/save-list'> = async (request) =>
    (await exporting()).saveList(request, this.#context)

  readonly lists = (account: AccountId): Promise<CallResult<'rows/lists'>> =>
    this.#context.store.run('block-lists/list', { account, now: instantOf(this.#context.clock.now()) })

  readonly undoList: Handler<'rows/undo-list'> = async (list) => {
    await this.#context.store.run('block-lists/undo', list)
    return null
  }

  get handlers() {
    return {
      ...this.queries.handlers,
      'rows/list': ({ account }) => this.list(account),
      'rows/import': this.import,
      'rows/cancel-import': this.cancelImport,
      'rows/take': this.take,
      'rows/choose': ({ account }) => this.choose(account),
      'rows/let-go': this.discard,
      'rows/recount': this.recount,
      'rows/recounted': this.recounted,
      'rows/export': this.export,
      'rows/export-table': this.exportTable,
      'rows/export-unreadable': this.exportUnreadable,
      'rows/save-list': this.saveList,
      'rows/lists': ({ account }) => this.lists(account),
      'rows/undo-list': this.undoList,
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
    await this.#context.engine.close()
    await ended
  }

  get #exporting() {
    return { ...this.#context, rows: this.rows }
  }

  #changed(account: AccountId): void {
    this.#context.events.emit({ kind: 'rows/changed', account })
  }

  /** Adds running imports and imported rows to the list. */
  #listRows(
    account: AccountId,
    read: ReadonlyMap<RowsFileId, ImportedFile>,
    listed: Map<RowsFileId, Listed>,
    names: ReadonlyMap<string, string>,
  ): void {
    const { accounts, clock, locator } = this.#context
    const readings = this.imports.readingsOf(accounts.dataScopeOf(account))
    const running = new Map(readings.map((reading) => [reading.what.id, reading]))
    for (const { what, state } of running.values()) {
      const { id, report, name, type, source } = what
      const archive = locator.stateOf(source)
      const order = listed.get(id)?.order ?? clock.now()
      listed.set(id, { file: { id, account, report, name, type, archive, state }, order })
    }
    for (const { entry: plain } of read.values()) {
      const entry = withColumnNames(plain, names)
      const { id, report, name, type, readAt } = entry
      const before = listed.get(id)
      const file: RowsFile = {
        ...{ id, account, report, name: before?.file.name ?? name, type },
        archive: before?.file.archive ?? locator.stateOf(entry.source),
        // A running repeat import is shown in place of the imported rows' state.
        state: running.get(id)?.state ?? this.#stateOf(account, entry),
      }
      listed.set(id, { file, order: before?.order ?? readAt })
    }
  }

  #stateOf(account: AccountId, entry: ImportedFile['entry']): RowsState {
    if (this.imports.isDamaged(account, entry.id)) return { kind: 'damaged' }
    const { columns, count: rows, unreadable, first, last, readAt, readAs, zone = null } = entry
    const cellsOf = (what: 'odd' | 'several') =>
      columns.flatMap(({ name: column, [what]: cells }) => (cells ? [{ column, cells }] : []))
    const plain = columns.map(({ name, kind, standard }) => ({ name, kind, standard }))
    return {
      kind: 'whole',
      facts: {
        ...{ columns: plain, rows, unreadable, zone, first, last, bytes: entry.rows.size, readAt },
        ...{ odd: cellsOf('odd'), several: cellsOf('several') },
        ...(readAs && { readAs }),
      },
    }
  }

  /** Subscribes to events of other modules. */
  #follow(): readonly (() => void)[] {
    const { events, catalogue, accounts } = this.#context
    return [
      events.on('account/removed', ({ dataScopes }) => {
        for (const dataScope of dataScopes) catalogue.forget(dataScope)
      }),
      events.on('downloads/changed', (event) => {
        for (const account of this.#accountsOfSaved(event)) {
          this.#changed(account)
          this.#autoImport.changed(account)
        }
      }),
      events.on('settings/changed', ({ changed }) => {
        if (changed.includes('readsIn')) this.#autoImport.retryNow()
        if (changed.includes('columnNames')) for (const { id } of accounts.list()) this.#changed(id)
      }),
    ]
  }

  /** Accounts whose list of rows changes with these downloads. After a removal: all accounts. */
  #accountsOfSaved({ changed, removed }: DownloadsChanged): ReadonlySet<AccountId> {
    if (removed.length > 0) return new Set(this.#context.accounts.list().map(({ id }) => id))
    const ended = changed.filter(({ state }) => state.kind === 'saved' || state.kind === 'missing')
    return new Set(ended.map(({ account }) => account))
  }
}
