import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newTableId, readHead, ownerFolder, stemOf } from '#main/analytics/history-layout.ts'
import type { TableId, TablePlace, HistoryPath } from '#main/analytics/history-layout.ts'
import type { Store } from '#main/database/cache/cache-store.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Store as StateStore } from '#main/database/state/state-store.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import { diskRoom } from '#main/lib/disk-room.ts'
import type { TableRow, Totals } from '#shared/api/answers.ts'
import { failureOf, deskFailure } from '#shared/api/failure.ts'
import type {
  Composed,
  DaysOfAccount,
  Doubt,
  Provisional,
  RestatedDays,
  Restatements,
} from '#shared/reports/answer.ts'
import { daysOf } from '#shared/values/day.ts'
import type { DayRange, Day } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import type { Engine } from '../engine/report-engine.ts'
import type { WrittenTable } from '../engine/table-calls.ts'
import { compactMonth, rewriteFile, rewriteReplaced, worthJoining, HeldFiles } from './compacting.ts'
import type { IsSettled } from './compacting.ts'
import { isOnDisk, rebuildCatalogue } from './rebuilding.ts'
import type { Rebuilt } from './rebuilding.ts'
import { isOfDaysOver, restatementOf, RestatementLog } from './restatements.ts'
import type { Noted, RestatedSince } from './restatements.ts'

/** Says what an engine that fails means for figures that came. @throws DeskFailure */
function savingFailed(error: unknown): never {
  const { kind } = failureOf(error)
  if (kind !== 'internal') throw error
  const message =
    'New figures could not be saved. Saved days are safe. Try again. If it fails again, choose fewer days or filter.'
  throw deskFailure(kind, message, { cause: error })
}

/**
 * Rows of a table, handed to the engine page by page. None are held here, so that a table may be of any size. Each draft has to be
 * saved (History.save) or discarded.
 */
export class TableDraft {
  readonly id: TableId = newTableId()
  readonly #engine: Pick<Engine, 'call'>
  readonly #over: () => void
  #rows = 0
  #added = 0
  #isOver = false

  /** @param over hears once that it has ended */
  constructor(engine: Pick<Engine, 'call'>, over: () => void) {
    this.#engine = engine
    this.#over = over
  }

  /** How many rows the table has. */
  get rows(): number {
    return this.#rows
  }

  /** Whether of rows with one label only the one added last is to be written. */
  get dropsRepeats(): boolean {
    return this.#rows < this.#added
  }

  /**
   * Adds a page. Whoever waits for it keeps no more pages than he asks for at once.
   * @param columns how many cells follow each label
   * @throws DeskFailure where the engine or its disk refuse
   */
  async add(columns: number, rows: readonly TableRow[]): Promise<void> {
    this.#rows += rows.length
    this.#added += rows.length
    await this.#engine.call('stage', { staging: this.id, columns, rows }).catch(savingFailed)
  }

  /** Of rows with one label, only the one added last is to be written: so many in all. */
  dropRepeats(rows: number): void {
    this.#rows = rows
  }

  /** The engine has no more rows of it. */
  ended(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#over()
  }

  /** Lets its rows go; nothing happens where it has ended. */
  async discard(): Promise<void> {
    if (this.#isOver) return
    if (this.#added > 0) await this.#engine.call('discard', this.id).catch(() => null)
    this.ended()
  }
}

/** A table to be kept, fetched as one. */
export type TableToStore = TablePlace & {
  readonly range: DayRange
  /** The label's first, without rates; none of an overview. */
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
  /** Page by page, or handed over as they came; null where totals alone are kept. */
  readonly rows: readonly (readonly TableRow[])[] | TableDraft | null
  readonly fetchedAt: Instant
  /** Why its rows do not add up; null where they do. */
  readonly doubt: Doubt | null
  /** How much of what it is composed of was asked; only of a composed table. */
  readonly composed?: Composed
  /** The term of its data scope in which it was asked for. */
  readonly term: number
  /** Under which check it was fetched; absent where no other is waited for. */
  readonly provisional?: Provisional
}

/** A table as it was fetched; whose it is and of which days is said when it is kept. */
export type FetchedTable = Omit<TableToStore, 'owner' | 'subject' | 'range' | 'term'>

/** The kept tables: each in a file of the history folder, and in the catalogue that says which. */
export class History {
  readonly #store: Pick<Store, 'run' | 'opened'>
  readonly #engine: Pick<Engine, 'call' | 'mayRest'>
  readonly #folder: string
  readonly #accountOf: (owner: DataScopeId) => DaysOfAccount | null
  readonly #events: Emitter | undefined
  readonly #restatements: RestatementLog
  /** What is being kept, by what it is of: a list of that waits for it. */
  readonly #saving = new Map<string, Set<Promise<unknown>>>()

  readonly #held = new HeldFiles()
  /** Tables whose file could not be read the last time that it was tried, by what they are of. */
  readonly #unreadableTables = new Map<string, Map<TableId, DayRange>>()
  /** Owners of whom provisional tables were kept. */
  readonly #waiting = new Set<DataScopeId>()
  /** Tables whose rows the engine holds: it must not rest meanwhile. */
  #drafts = 0

  /**
   * @param state where it is kept what was restated
   * @param folder the history folder
   * @param accountOf whose a data scope's figures are; null where nobody knows it: then nothing is compared
   * @param events where it tells of each table that it stores, if anybody follows
   */
  constructor(
    store: Pick<Store, 'run' | 'opened'>,
    state: Pick<StateStore, 'run'>,
    engine: Pick<Engine, 'call' | 'mayRest'>,
    folder: string,
    accountOf: (owner: DataScopeId) => DaysOfAccount | null,
    events?: Emitter,
  ) {
    this.#store = store
    this.#engine = engine
    this.#folder = folder
    this.#accountOf = accountOf
    this.#events = events
    this.#restatements = new RestatementLog(state, store)
  }

  /** What is kept of a subject, by first day; nothing where the catalogue cannot be read. */
  async list(place: TablePlace): Promise<readonly StoredTable[]> {
    await Promise.allSettled(this.#saving.get(nameOf(place)) ?? [])
    const stored = await this.#store.run('tables/list', place).catch(() => [])
    return await this.#readable(nameOf(place), stored)
  }

  /** The tables that can be read, as far as it is known: of those that were set aside it is tried again. */
  async #readable(name: string, stored: readonly StoredTable[]): Promise<readonly StoredTable[]> {
    const unreadable = this.#unreadableTables.get(name)
    if (!unreadable) return stored
    const tried = stored.filter(({ id }) => unreadable.has(id))
    const states = await this.#engine
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

  /** Tables whose file cannot be read for now: their days count as not kept until it can. */
  markUnreadable(place: TablePlace, tables: readonly Pick<StoredTable, 'id' | 'range'>[]): void {
    if (tables.length === 0) return
    const unreadable = this.#unreadableTables.get(nameOf(place)) ?? new Map<TableId, DayRange>()
    for (const { id, range } of tables) unreadable.set(id, range)
    this.#unreadableTables.set(nameOf(place), unreadable)
  }

  /** Days within a range that are kept, but in files that cannot be read for now. */
  unreadable(place: TablePlace, { start, end }: DayRange): readonly Day[] {
    const ranges = [...(this.#unreadableTables.get(nameOf(place))?.values() ?? [])]
    return ranges.flatMap(daysOf).filter((day) => start <= day && day <= end)
  }

  /**
   * Begins a table whose rows are handed over as they come.
   * @throws DeskFailure where the disk is full: then nothing has to be asked for that could not be kept
   */
  async draft(): Promise<TableDraft> {
    await this.#checkRoom()
    return this.#begin()
  }

  #begin(): TableDraft {
    const engine = this.#engine
    engine.mayRest((this.#drafts += 1) === 0)
    return new TableDraft(engine, () => engine.mayRest((this.#drafts -= 1) === 0))
  }

  /**
   * Keeps a table in place of an older one of the same days. First its file is there, then what it says otherwise is noted,
   * then the catalogue names it, then the older one's file goes: whenever that ends early, one of them is kept whole.
   * @returns its id; null where nothing can be kept in this session
   * @throws DeskFailure where disk or catalogue refuse; then nothing has changed
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
    owner,
    subject,
    range,
    fetchedAt,
    doubt,
    rows,
    term,
    provisional,
    ...told
  }: TableToStore): Promise<TableId | null> {
    const [store, engine] = [this.#store, this.#engine]
    const draft = rows instanceof TableDraft ? rows : this.#begin()
    const { id } = draft
    let written: WrittenTable | undefined
    let noted: Noted | null = null
    try {
      // What is held in memory alone is gone with the session: no file is written that nothing would know of.
      if ((await store.opened).kind !== 'ready') return null
      await this.#checkRoom()
      if (!(rows instanceof TableDraft))
        for (const page of rows ?? []) await draft.add(told.headers.length - 1, page)
      const whole = rows !== null
      const entry = { id, owner, subject, range, fetchedAt, doubt, whole, rows: draft.rows }
      const stem = stemOf({ owner, subject, range }, id)
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
      // Newer figures are there, or its data scope was found to see others.
      if (unused.includes(written.file.path)) {
        if (noted) await this.#restatements.withdraw(noted)
        return null
      }
      if (provisional) this.#waiting.add(owner)
      else this.#emitStored(owner)
      return id
    } catch (error) {
      // An answer that did not come says nothing: a file that the catalogue names stays.
      if (written && !(await store.run('tables/is-named', written.file.path).catch(() => true))) {
        await this.#remove([written.file.path])
        if (noted) await this.#restatements.withdraw(noted).catch(() => undefined)
      }
      throw error
    } finally {
      await draft.discard()
    }
  }

  /** @throws DeskFailure where a disk that is nearly full would have nothing left for other programs */
  async #checkRoom(): Promise<void> {
    // Where that cannot be told, the writing itself says what the disk refuses.
    const room = await diskRoom(dirname(this.#folder)).catch(() => null)
    if (room === null || room.room > 0) return
    const stored = Math.ceil(room.reserve / 1_000_000).toLocaleString('en')
    throw deskFailure(
      'disk',
      `The disk is full except for ${stored} MB kept for other programs. No more days can be saved. Free some space and try again.`,
    )
  }

  /** Notes what a table says otherwise than the one that it replaces. @returns which that is; null where there is none */
  async #noteRestated(
    { owner, subject, ...table }: TablePlace & StoredTable,
    now = Date.now(),
  ): Promise<Noted | null> {
    const [store, engine] = [this.#store, this.#engine]
    const account = this.#accountOf(owner)
    if (account === null || !isOfDaysOver(table, account)) return null
    const { range } = table
    const stored = await store.run('tables/of-days', { owner, subject, range })
    // Where not all was asked, what comes later says nothing else: it says more.
    if ([table, ...stored].some(({ head }) => isPart(head))) return null
    const comparison = await restatementOf(engine, { stored, table, account, now })
    if (comparison === null) return null
    const noted = { owner, subject, range, beforeFetchedAt: comparison.beforeFetchedAt }
    await this.#restatements.note(noted, comparison)
    return noted
  }

  /** What waits for a check of its data scope's instances, of a subject; nothing where that cannot be read. */
  async provisional(place: TablePlace): Promise<readonly StoredTable[]> {
    await Promise.allSettled(this.#saving.get(nameOf(place)) ?? [])
    return await this.#store.run('tables/provisional', place).catch(() => [])
  }

  /** Whether tables of a data scope were kept provisionally, and no check has confirmed them yet. */
  waits(owner: DataScopeId): boolean {
    return this.#waiting.has(owner)
  }

  /** The same, looked up: earlier runs of the app may have left some. */
  async holdsUnconfirmed(owner: DataScopeId): Promise<boolean> {
    return await this.#store.run('tables/waits', owner).catch(() => true)
  }

  /** A check has confirmed what came before it. */
  confirmed(owner: DataScopeId): void {
    if (!this.#waiting.delete(owner)) return
    this.#emitStored(owner)
    // What came while it was made waits for the next.
    this.#store.run('tables/waits', owner).then(
      (waits) => waits && this.#waiting.add(owner),
      () => this.#waiting.add(owner),
    )
  }

  /** What was noted to be restated may be gone. */
  forgetNoted(): void {
    this.#restatements.forgetRead()
  }

  /** How many days of a subject's range were restated; null where none was. */
  restated(request: TablePlace & { readonly range: DayRange }): Promise<RestatedDays | null> {
    return this.#restatements.restated(request)
  }

  /** Whether figures of the same family were restated since figures of their days were fetched. */
  restatedSince(place: TablePlace): Promise<RestatedSince> {
    return this.#restatements.since(place)
  }

  /** What was restated of a subject within a range. @throws DeskFailure where it cannot be read */
  restatements(request: TablePlace & { readonly range: DayRange }): Promise<Restatements> {
    return this.#restatements.list(request)
  }

  /** Done when nothing is being kept. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#saving.values()].flatMap((running) => [...running]))
  }

  /** Lets tables go that are not what was written; those that lie in another file by now stay, and files too (rebuilding.ts). */
  async forget(tables: readonly Pick<StoredTable, 'id' | 'file'>[]): Promise<void> {
    const placed = tables.map(({ id, file }) => ({ id, path: file.path }))
    await this.#store.run('tables/forget', placed)
  }

  /** Lets go everything that is kept of a data scope. @throws DeskFailure where disk or catalogue refuse */
  async forgetOwner(owner: DataScopeId): Promise<void> {
    await this.#store.run('tables/forget-owner', owner)
    await this.#restatements.forget(owner)
    // The engine may write a table of theirs at the same moment: then the folder is not empty yet.
    const folder = join(this.#folder, ownerFolder(owner))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Lets the oldest go until no more than so many bytes are kept; what is spared stays. */
  async letOldestGo(
    bytes: number,
    spare: readonly (TablePlace & { readonly range: DayRange })[],
  ): Promise<void> {
    await this.#remove((await this.#store.run('tables/let-oldest-go', { bytes, spare })).unused)
  }

  /**
   * Writes settled days into a file a month, where there are many; one month after the other. Then joins those again that an earlier
   * version left unsorted, which makes them smaller and quicker to read.
   * @param isSettledOf says so for a data scope; null where nobody knows it
   * @throws DeskFailure where disk or catalogue refuse
   */
  async compact(
    isSettledOf: (owner: DataScopeId) => IsSettled | null,
    signal: AbortSignal,
    min = worthJoining,
  ): Promise<void> {
    if (!(await isOnDisk(this.#store))) return
    for (const month of await this.#store.run('tables/in-many-files', min)) {
      if (signal.aborted) return
      const isSettled = isSettledOf(month.owner)
      if (isSettled)
        await compactMonth(this.#store, this.#engine, month, isSettled, (paths) => this.#remove(paths))
    }
    for (const joined of await this.#store.run('tables/joined', undefined)) {
      if (signal.aborted) return
      if (!(await this.#engine.call('isSorted', joined.path)))
        await rewriteFile(this.#store, this.#engine, joined, (paths) => this.#remove(paths))
    }
  }

  /**
   * Makes the catalogue from what the files say, where it is lost, and deletes what was left over (rebuilding.ts).
   * @param now milliseconds since 1970
   * @throws DeskFailure where the catalogue refuses
   */
  rebuild(
    signal: AbortSignal,
    now: () => number = Date.now,
    isDataScope: (owner: DataScopeId) => boolean = () => true,
  ): Promise<Rebuilt> {
    const note = async (table: TablePlace & StoredTable) => void (await this.#noteRestated(table, now()))
    return rebuildCatalogue(this.#store, this.#engine, this.#folder, { signal, now, isDataScope, note })
  }

  /** Writes a data scope's files anew of which some days were replaced. @throws DeskFailure where disk or catalogue refuse */
  async rewriteReplaced(owner: DataScopeId): Promise<void> {
    if (await isOnDisk(this.#store))
      await rewriteReplaced(this.#store, this.#engine, owner, (paths) => this.#remove(paths))
  }

  /** Does something with tables whose files stay meanwhile, though others replace them. @throws what `work` rejects with */
  holding<T>(tables: readonly Pick<StoredTable, 'file'>[], work: () => Promise<T>): Promise<T> {
    return this.#held.during(tables, work, (paths) => this.#remove(paths))
  }

  #emitStored(owner: DataScopeId): void {
    this.#events?.emit({ kind: 'tables/stored', owner })
  }

  /** What cannot be removed now is found again by its own words (rebuilding.ts). */
  async #remove(unused: readonly HistoryPath[]): Promise<void> {
    const paths = this.#held.leave(unused)
    if (paths.length === 0 || !(await isOnDisk(this.#store))) return
    for (const path of paths) await rm(join(this.#folder, path), { force: true }).catch(() => undefined)
  }
}

/** Whether not all of a composed table was asked. */
function isPart(head: string): boolean {
  const composed = readHead(head)?.composed
  return composed !== undefined && composed.requested < composed.total
}

const nameOf = ({ owner, subject }: TablePlace) => `${owner} ${subject}`
