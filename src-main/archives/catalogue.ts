import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataScopeId } from '#shared/values/ids.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { ArchivesContext } from './archives-context.ts'
import type { ImportedFile, RowsEngine } from './engine/rows-engine.ts'
import {
  readEntry,
  writeEntry,
  isEntryPath,
  isRowsPath,
  dataScopeRowsFolder,
  rowsFolder,
} from '#main/analytics/rows-layout.ts'
import type { RowsPath } from '#main/analytics/rows-layout.ts'

/** Age in ms at which drafts and superseded files are deleted. Another instance may still use newer files. */
const aDay = 86_400_000

/** Catalogue of the imported rows. It can be rebuilt from the files of the rows folder. */
export class RowsCatalogue {
  readonly #context: ArchivesContext
  readonly #engine: RowsEngine
  readonly #files = new Map<DataScopeId, Promise<Map<RowsFileId, ImportedFile>>>()

  constructor(context: ArchivesContext, engine: RowsEngine) {
    this.#context = context
    this.#engine = engine
  }

  /** Returns the rows of a data scope by id. @throws DeskFailure if the store fails */
  rowsOf(dataScope: DataScopeId): Promise<ReadonlyMap<RowsFileId, ImportedFile>> {
    const known = this.#files.get(dataScope)
    if (known) return known
    const loading = this.#load(dataScope)
    this.#files.set(dataScope, loading)
    loading.catch(() => this.#files.delete(dataScope))
    return loading
  }

  /** Stores imported rows. They replace rows with the same id, whose files are deleted. */
  async put(read: ImportedFile): Promise<void> {
    const { entry, entryPath } = read
    const known = await this.#files.get(entry.dataScope)
    const before = known?.get(entry.id)
    await this.#context.store.run('rows-files/put', {
      dataScope: entry.dataScope,
      id: entry.id,
      path: entryPath,
      entry: writeEntry(entry),
    })
    known?.set(entry.id, read)
    if (before) await this.#remove(before, pathsOf(read))
  }

  /** Deletes rows and their files. */
  async remove(dataScope: DataScopeId, id: RowsFileId): Promise<void> {
    const known = await this.rowsOf(dataScope)
    const before = known.get(id)
    await this.#context.store.run('rows-files/remove', { dataScope, id })
    ;(await this.#files.get(dataScope))?.delete(id)
    if (before) await this.#remove(before, [])
  }

  /** Drops the in-memory catalogue of a removed data scope. */
  forget(dataScope: DataScopeId): void {
    this.#files.delete(dataScope)
  }

  async #remove(read: ImportedFile, but: readonly RowsPath[]): Promise<void> {
    const paths = pathsOf(read).filter((path) => !but.includes(path))
    // A file that remains belongs to no entry, and is deleted later as an old file.
    await this.#engine.call('remove', paths).catch(() => undefined)
  }

  async #load(dataScope: DataScopeId): Promise<Map<RowsFileId, ImportedFile>> {
    const listed = await this.#context.store.run('rows-files/list', { dataScope })
    const known = new Map<RowsFileId, ImportedFile>()
    for (const { path, entry: text } of listed) {
      const entry = readEntry(text)
      if (entry?.dataScope === dataScope && isEntryPath(path)) known.set(entry.id, { entry, entryPath: path })
    }
    await this.#findUnknown(dataScope, known)
    return known
  }

  /** Adds files that the catalogue lacks: the app was killed before storing them, or the catalogue was lost. */
  async #findUnknown(dataScope: DataScopeId, known: Map<RowsFileId, ImportedFile>): Promise<void> {
    const { store, clock, folder } = this.#context
    const names = await readdir(dataScopeRowsFolder(folder, dataScope)).catch(() => [])
    const paths = names.map((name) => `account=${dataScope}/${name}`)
    const isNamed = (path: string) =>
      [...known.values()].some((read) => pathsOf(read).some((own) => own === path))
    let isClear = true
    for (const path of paths.filter(isEntryPath)) {
      if (isNamed(path)) continue
      const found = await this.#engine.call('inspect', path).catch(() => {
        isClear = false
        return null
      })
      if (found?.entry.dataScope !== dataScope) continue
      const { entry } = found
      const present = known.get(entry.id)
      if (present && present.entry.readAt >= entry.readAt) continue
      await store.run('rows-files/put', { dataScope, id: entry.id, path, entry: writeEntry(entry) })
      known.set(entry.id, found)
    }
    // An entry that could not be inspected may refer to any of the remaining files.
    if (!isClear) return
    const unnamed = paths.filter((path) => (isRowsPath(path) || path.endsWith('.part')) && !isNamed(path))
    for (const path of unnamed) await removeOld(join(rowsFolder(folder), path), clock.now() - aDay)
  }
}

const pathsOf = ({ entry, entryPath }: ImportedFile): readonly RowsPath[] => [entry.rows.path, entryPath]

async function removeOld(place: string, before: number): Promise<void> {
  const found = await stat(place).catch(() => null)
  if (found && found.mtimeMs < before) await rm(place, { force: true }).catch(() => undefined)
}
