import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newTableId, readHead, dataScopeFolder, historyStemOf } from '#main/analytics/history-layout.ts'
import type { TableId, TablePlace, HistoryPath } from '#main/analytics/history-layout.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { diskRoom } from '#main/lib/disk-room.ts'
import type { TableRow, Totals } from '#shared/api/answers.ts'
import { failureOf, deskFailure } from '#shared/api/failure.ts'
import type { Composed, Doubt, Provisional } from '#shared/reports/answer.ts'
import { daysOf } from '#shared/values/day.ts'
import type { DayRange, Day } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import type { Engine } from '../engine/report-engine.ts'
import { accountOfScope } from '../one-scope.ts'
import type { WrittenTable } from '../engine/table-calls.ts'
import { compactMonth, rewriteFile, rewriteReplaced, worthJoining, HeldFiles } from './compacting.ts'
import type { IsSettled } from './compacting.ts'
import type { HistoryContext } from './history-context.ts'
import { isOnDisk, rebuildCatalogue } from './rebuilding.ts'
import type { Rebuilt } from './rebuilding.ts'
import { isOfDaysOver, restatementOf, RestatementLog } from './restatements.ts'
import type { Noted } from './restatements.ts'

/** Explains an internal failure of the engine to the user. @throws DeskFailure */
function savingFailed(error: unknown): never {
  const { kind } = failureOf(error)
  if (kind !== 'internal') throw error
  const message =
    'New figures could not be saved. Saved days are safe. Try again. If it fails again, choose fewer days or filter.'
  throw deskFailure(kind, message, { cause: error })
}

/**
 * Rows of a table, passed to the engine page by page, so that a table may have any size. Each draft must be saved
 * (History.save) or discarded.
 */
export class TableDraft {
  readonly id: TableId = newTableId()
  readonly #engine: Engine
  readonly #over: () => void
  #rows = 0
  #addedRows = 0
  #isOver = false

  /** @param over called once when the draft has ended */
  constructor(engine: Engine, over: () => void) {
    this.#engine = engine
    this.#over = over
  }

  /** Number of rows. */
  get rows(): number {
    return this.#rows
  }

  /** Whether only the last of several rows with the same label is written. */
  get dropsRepeats(): boolean {
    return this.#rows < this.#addedRows
  }

  /**
   * Adds a page. Await each call to limit the number of pages in memory.
   * @param columns number of cells after each label
   * @throws DeskFailure if the engine or its disk fails
   */
  async add(columns: number, rows: readonly TableRow[]): Promise<void> {
    this.#rows += rows.length
    this.#addedRows += rows.length
    await this.#engine.call('stage', { staging: this.id, columns, rows }).catch(savingFailed)
  }

  /** Requests that only the last of several rows with the same label is written. @param rows number of rows after that */
  dropRepeats(rows: number): void {
    this.#rows = rows
  }

  /** Called when the engine no longer holds the rows. */
  ended(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#over()
  }

  /** Discards the rows. Does nothing if the draft has ended. */
  async discard(): Promise<void> {
    if (this.#isOver) return
    if (this.#addedRows > 0) await this.#engine.call('discard', this.id).catch(() => null)
    this.ended()
  }
}

/** A table to store, fetched as a whole. */
export type TableToStore = TablePlace & {
  readonly range: DayRange
  /** The label's header first; without rates. Empty for an overview. */
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
  /** Pages of rows, or a draft with them; null if only totals are stored. */
  readonly rows: readonly (readonly TableRow[])[] | TableDraft | null
  readonly fetchedAt: Instant
  /** Why the rows do not add up; null if they do. */
  readonly doubt: Doubt | null
  /** How many parts of a composed table were requested; omitted for other tables. */
  readonly composed?: Composed
  /** Term of the data scope in which the table was requested. */
  readonly term: number
  /** The check under which a table was fetched that awaits another one; omitted if confirmed. */
  readonly provisional?: Provisional
}

/** A fetched table, before its data scope, subject and days are added for storing. */
export type FetchedTable = Omit<TableToStore, 'dataScope' | 'subject' | 'range' | 'term'>

/** The stored tables: one or more per file of the history folder, indexed by the catalogue. */
export class History {
  readonly #context: HistoryContext
  readonly restatements: RestatementLog
  /** Running saves by data scope and subject. Listing a subject waits for its saves. */
  readonly #saving = new Map<string, Set<Promise<unknown>>>()

  readonly #heldFiles = new HeldFiles()
  /** Tables whose files were unreadable at the last attempt, by data scope and subject. */
  readonly #unreadableTables = new Map<string, Map<TableId, DayRange>>()
  /** Data scopes with provisional tables from this session. */
  readonly #waiting = new Set<DataScopeId>()
  /** Number of open drafts. The engine process must not end while it holds their rows. */
  #drafts = 0

  constructor(context: HistoryContext) {
    this.#context = context
    this.restatements = new RestatementLog(context.store)
  }

  /** Returns the stored tables of a subject, by first day. Empty if the catalogue cannot be read. */
  async list(place: TablePlace): Promise<readonly StoredTable[]> {
    await Promise.allSettled(this.#saving.get(nameOf(place)) ?? [])
    const stored = await this.#context.store.run('tables/list', place).catch(() => [])
    return await this.#readable(nameOf(place), stored)
  }

  /** Filters out unreadable tables, after checking again whether their files can be read. */
  async #readable(name: string, stored: readonly StoredTable[]): Promise<readonly StoredTable[]> {
    const unreadable = this.#unreadableTables.get(name)
    if (!unreadable) return stored
    const tried = stored.filter(({ id }) => unreadable.has(id))
    const states = await this.#context.engine
      .call(
        'look',
        tried.map(({ file }) => file),
      )
      .catch(() => [])
    const still = tried.filter((_, nth) => (states[nth]?.kind ?? 'unreadable') === 'unreadable')
    if (still.length === 0) this.#unreadableTables.delete(name)
    else this.#unreadableTables.set(name, new Map(still.map(({ id, range }) => [id, range])))
    return stored.filter((table) => !still.includes(table))
  }

  /** Marks tables whose files cannot be read. Their days count as missing until the files can be read. */
  markUnreadable(place: TablePlace, tables: readonly StoredTable[]): void {
    if (tables.length === 0) return
    const unreadable = this.#unreadableTables.get(nameOf(place)) ?? new Map<TableId, DayRange>()
    for (const { id, range } of tables) unreadable.set(id, range)
    this.#unreadableTables.set(nameOf(place), unreadable)
  }

  /** Returns the stored days of a range whose files cannot be read at the moment. */
  unreadable(place: TablePlace, { start, end }: DayRange): readonly Day[] {
    const ranges = [...(this.#unreadableTables.get(nameOf(place))?.values() ?? [])]
    return ranges.flatMap(daysOf).filter((day) => start <= day && day <= end)
  }

  /**
   * Starts a table whose rows are added later.
   * @throws DeskFailure if the disk is full, before anything is requested that could not be stored
   */
  async draft(): Promise<TableDraft> {
    await this.#checkRoom()
    return this.#begin()
  }

  #begin(): TableDraft {
    const { engine } = this.#context
    engine.mayRest((this.#drafts += 1) === 0)
    return new TableDraft(engine, () => engine.mayRest((this.#drafts -= 1) === 0))
  }

  /**
   * Stores a table in place of an older one of the same days. The order is: write the file, note restatements, update the
   * catalogue, delete the old file. After a crash at any point, one of the tables is whole.
   * @returns the table's id; null if nothing can be stored in this session, or the table is obsolete
   * @throws DeskFailure if the disk or the catalogue fails; then nothing has changed
   */
  save(table: TableToStore): Promise<TableId | null> {
    const name = nameOf(table)
    const running = this.#saving.get(name) ?? new Set()
    const saving = this.#save(table).finally(() => {
      running.delete(saving)
      if (running.size === 0) this.#saving.delete(name)
    })
    this.#saving.set(name, running.add(saving))
    return saving
  }

  async #save({
    dataScope,
    subject,
    range,
    fetchedAt,
    doubt,
    rows,
    term,
    provisional,
    ...told
  }: TableToStore): Promise<TableId | null> {
    const { engine, store } = this.#context
    const draft = rows instanceof TableDraft ? rows : this.#begin()
    const { id } = draft
    let written: WrittenTable | undefined
    let noted: Noted | null = null
    try {
      // A catalogue in memory is lost at the end of the session, so a file would be orphaned.
      if ((await store.opened).kind !== 'ready') return null
      await this.#checkRoom()
      if (!(rows instanceof TableDraft))
        for (const page of rows ?? []) await draft.add(told.headers.length - 1, page)
      const whole = rows !== null
      const entry = { id, dataScope, subject, range, fetchedAt, doubt, whole, rows: draft.rows }
      const stem = historyStemOf({ dataScope, subject, range }, id)
      const { dropsRepeats } = draft
      written = await engine
        .call('write', { staging: id, stem, entry, dropsRepeats, ...told })
        .catch(savingFailed)
      draft.ended()
      const table = { ...entry, head: written.head }
      noted = await this.#noteRestated({ ...table, file: written.file, bytes: written.file.size })
      const stored = { file: written.file, tables: [table], term, ...(provisional && { provisional }) }
      const { unused } = await store.run('tables/keep', stored)
      await this.#remove(unused)
      // Newer figures are stored already, or the data scope has changed.
      if (unused.includes(written.file.path)) {
        if (noted) await this.restatements.withdraw(noted)
        return null
      }
      if (provisional) this.#waiting.add(dataScope)
      else this.#emitStored(dataScope)
      return id
    } catch (error) {
      // The call may have succeeded without a response. A file that the catalogue names must stay.
      if (written && !(await store.run('tables/is-named', written.file.path).catch(() => true))) {
        await this.#remove([written.file.path])
        if (noted) await this.restatements.withdraw(noted).catch(() => undefined)
      }
      throw error
    } finally {
      await draft.discard()
    }
  }

  /** @throws DeskFailure if the reserve for other programs would be used up */
  async #checkRoom(): Promise<void> {
    // If the free space is unknown, writing reports a full disk.
    const room = await diskRoom(dirname(this.#context.historyFolder)).catch(() => null)
    if (room === null || room.room > 0) return
    const reserve = Math.ceil(room.reserve / 1_000_000).toLocaleString('en')
    throw deskFailure(
      'disk',
      `The disk is full except for ${reserve} MB kept for other programs. No more days can be saved. Free some space and try again.`,
    )
  }

  /** Notes differences from the stored table that will be replaced. @returns the noted comparison; null if there is none */
  async #noteRestated(
    { dataScope, subject, ...table }: TablePlace & StoredTable,
    now = Date.now(),
  ): Promise<Noted | null> {
    const { accounts, engine, store } = this.#context
    const account = accountOfScope(accounts, dataScope)
    if (account === undefined || !isOfDaysOver(table, account)) return null
    const { range } = table
    const stored = await store.run('tables/of-days', { dataScope, subject, range })
    // A partial table has fewer rows, so differences are no restatements.
    if ([table, ...stored].some(({ head }) => isPart(head))) return null
    const comparison = await restatementOf(engine, { stored, table, account, now })
    if (comparison === null) return null
    const noted = { dataScope, subject, range, beforeFetchedAt: comparison.beforeFetchedAt }
    await this.restatements.note(noted, comparison)
    return noted
  }

  /** Returns provisional tables of a subject. Empty if the catalogue cannot be read. */
  async provisional(place: TablePlace): Promise<readonly StoredTable[]> {
    await Promise.allSettled(this.#saving.get(nameOf(place)) ?? [])
    return await this.#context.store.run('tables/provisional', place).catch(() => [])
  }

  /** Whether this session stored provisional tables of a data scope that are not confirmed yet. */
  waits(dataScope: DataScopeId): boolean {
    return this.#waiting.has(dataScope)
  }

  /** Like `waits`, but includes provisional tables of earlier sessions. */
  async holdsUnconfirmed(dataScope: DataScopeId): Promise<boolean> {
    return await this.#context.store.run('tables/waits', dataScope).catch(() => true)
  }

  /** Called when a scope check has confirmed provisional tables. */
  confirmed(dataScope: DataScopeId): void {
    if (!this.#waiting.delete(dataScope)) return
    this.#emitStored(dataScope)
    // Tables that were stored during the check wait for the next one.
    this.#context.store.run('tables/waits', dataScope).then(
      (waits) => waits && this.#waiting.add(dataScope),
      () => this.#waiting.add(dataScope),
    )
  }

  /** Resolves when no save is running. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#saving.values()].flatMap((running) => [...running]))
  }

  /** Removes tables from the catalogue, unless they have moved to another file. Does not delete files (rebuilding.ts does). */
  async forget(tables: readonly StoredTable[]): Promise<void> {
    const placed = tables.map(({ id, file }) => ({ id, path: file.path }))
    await this.#context.store.run('tables/forget', placed)
  }

  /** Deletes everything stored of a data scope. @throws DeskFailure if the disk or the catalogue fails */
  async forgetDataScope(dataScope: DataScopeId): Promise<void> {
    await this.#context.store.run('tables/forget-data-scope', dataScope)
    await this.restatements.forget(dataScope)
    // Retries, because the engine may write a file to the folder at the same time.
    const folder = join(this.#context.historyFolder, dataScopeFolder(dataScope))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Deletes the oldest tables until at most `bytes` are stored. Days in `spare` stay. */
  async letOldestGo(
    bytes: number,
    spare: readonly (TablePlace & { readonly range: DayRange })[],
  ): Promise<void> {
    await this.#remove((await this.#context.store.run('tables/let-oldest-go', { bytes, spare })).unused)
  }

  /**
   * Joins settled days into one file per month if there are many files. Then rewrites joined files that an earlier version left
   * unsorted, which makes the files smaller and faster to read.
   * @param isSettledOf returns the check for a data scope; null if the data scope is unknown
   * @throws DeskFailure if the disk or the catalogue fails
   */
  async compact(
    isSettledOf: (dataScope: DataScopeId) => IsSettled | null,
    signal: AbortSignal,
    min = worthJoining,
  ): Promise<void> {
    if (!(await isOnDisk(this.#context.store))) return
    for (const month of await this.#context.store.run('tables/in-many-files', min)) {
      if (signal.aborted) return
      const isSettled = isSettledOf(month.dataScope)
      if (isSettled) await compactMonth(this.#context, month, isSettled, (paths) => this.#remove(paths))
    }
    for (const joined of await this.#context.store.run('tables/joined', undefined)) {
      if (signal.aborted) return
      if (!(await this.#context.engine.call('isSorted', joined.path)))
        await rewriteFile(this.#context, joined, (paths) => this.#remove(paths))
    }
  }

  /**
   * Rebuilds a lost catalogue from the files, and deletes leftover files (rebuilding.ts).
   * @param now milliseconds since 1970
   * @throws DeskFailure if the catalogue fails
   */
  rebuild(
    signal: AbortSignal,
    now: () => number = Date.now,
    isDataScope: (dataScope: DataScopeId) => boolean = () => true,
  ): Promise<Rebuilt> {
    const note = async (table: TablePlace & StoredTable) => void (await this.#noteRestated(table, now()))
    return rebuildCatalogue(this.#context, { signal, now, isDataScope, note })
  }

  /** Rewrites a data scope's files in which days were replaced. @throws DeskFailure if the disk or the catalogue fails */
  async rewriteReplaced(dataScope: DataScopeId): Promise<void> {
    if (await isOnDisk(this.#context.store))
      await rewriteReplaced(this.#context, dataScope, (paths) => this.#remove(paths))
  }

  /** Runs work during which the tables' files are not deleted, even if replaced. @throws the error of `work` */
  holding<T>(tables: readonly StoredTable[], work: () => Promise<T>): Promise<T> {
    return this.#heldFiles.during(tables, work, (paths) => this.#remove(paths))
  }

  #emitStored(dataScope: DataScopeId): void {
    this.#context.events.emit({ kind: 'tables/stored', dataScope })
  }

  /** A file that cannot be deleted now is found later by rebuilding.ts. */
  async #remove(unused: readonly HistoryPath[]): Promise<void> {
    const paths = this.#heldFiles.leave(unused)
    if (paths.length === 0 || !(await isOnDisk(this.#context.store))) return
    for (const path of paths)
      await rm(join(this.#context.historyFolder, path), { force: true }).catch(() => undefined)
  }
}

/** Whether a composed table lacks some of its parts. */
export function isPart(head: string): boolean {
  const composed = readHead(head)?.composed
  return composed !== undefined && composed.requested < composed.total
}

const nameOf = ({ dataScope, subject }: TablePlace) => `${dataScope} ${subject}`
