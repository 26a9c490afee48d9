import { rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import type { StoredList } from '#shared/archives/list-origin.ts'
import type { RowsQuestion } from '#shared/archives/question.ts'
import type { RowsFile, RowsFileId, RowsState } from '#shared/archives/rows-file.ts'
import type { AccountId, Instant, DataScopeId, RawReportId } from '#shared/values/ids.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { AutoImport } from './auto-import.ts'
import { openCases } from '#main/cases/open-cases.ts'
import { RowsCatalogue } from './catalogue.ts'
import { DroppedFiles, idOfFile, tablePath } from './dropped.ts'
import type { RowsParams, Verified, ReadRows } from './engine/calls.ts'
import { startRowsEngine } from './engine/engine.ts'
import type { SeenFile } from './entry.ts'
import { exportRows, exportUnreadable, saveList } from './exporting.ts'
import { exportTable } from './exporting-tables.ts'
import { withInstances } from './instances.ts'
import { ArchiveImports } from './import-queue.ts'
import type { ToRead } from './import-queue.ts'
import { Recounting } from './recounting.ts'
import type { Rows, RowsParts } from './rows-parts.ts'
import { Searches } from './searches.ts'
import { followOthers } from './follow-others.ts'
import { isReplaced } from './sources.ts'
import { rowsAreDamaged, rowsAreOthers } from './unsound.ts'
import { ArchiveLocator } from './archive-locator.ts'

export type { Rows, RowsParts } from './rows-parts.ts'

/** So long nobody has to have asked for rows before anything is read in by itself, in milliseconds. */
const minIntervalMs = 3000

export function createRows(parts: RowsParts): Rows {
  const { accounts, folder, now, events } = parts
  const engine = startRowsEngine(
    parts.openEngine,
    (event) => imports.onEvent(event),
    (cause) => events.emit({ kind: 'worker/ended', worker: 'rows', cause }),
  )
  const catalogue = new RowsCatalogue({ store: parts.store, engine, folder, now })
  const looks = parts.looks ?? slowFolderGuard
  const archiveLocator = new ArchiveLocator(looks)
  const lookAt = (path: string) => archiveLocator.lookAt(path)
  const imports: ArchiveImports = new ArchiveImports({
    ...{ engine, catalogue, lookAt, now, events, wait: parts.wait },
  })
  const droppedFiles = new DroppedFiles(looks)
  /** Rows that were found to be damaged. They are read in again where their archive is still there. */
  const damaged = new Set<string>()
  const damagedName = (account: AccountId, id: RowsFileId) => `${accounts.dataScopeOf(account)} ${id}`

  /** Files that are being looked at: one that does not answer is not asked again meanwhile. */
  const looking = new Set<string>()

  /**
   * Reads in again what is of a file that is there no more, because another has taken its place.
   * @param found what lies at its path, as far as that is known already
   */
  async function noticeReplaced(
    account: AccountId,
    { entry }: ReadRows,
    path: string,
    found?: SeenFile | null,
  ): Promise<void> {
    const name = damagedName(account, entry.id)
    const isKnown = () => imports.of(entry.owner).some(({ what }) => what.id === entry.id)
    if (looking.has(name) || isKnown()) return
    looking.add(name)
    try {
      const lies = found === undefined ? await archiveLocator.lookAt(path) : found
      if (!isReplaced(entry, path, lies) || isKnown()) return
      void begin({ ...(await toRead(account, entry.id)), replaces: true }).catch(() => undefined)
    } finally {
      looking.delete(name)
    }
  }

  async function list(account: AccountId): Promise<RowsFile[]> {
    const owner = accounts.dataScopeOf(account)
    const [read, archives] = await Promise.all([catalogue.of(owner), parts.saved(account)])
    const pathOf = new Map(archives.map(({ report, path }) => [idOfReport(report), path]))
    const pathOfRows = ({ entry }: ReadRows) => pathOf.get(entry.id) ?? entry.source
    const paths = [
      ...archives.map(({ path }) => path),
      ...imports.of(owner).map(({ what }) => what.source),
      ...[...read.values()].map(pathOfRows),
    ]
    const found = await archiveLocator.lookSoon(paths, () => events.emit({ kind: 'rows/changed', account }))
    for (const readRows of read.values()) {
      const path = pathOfRows(readRows)
      await noticeReplaced(account, readRows, path, found.get(path) ?? null)
    }
    const running = new Map(imports.of(owner).map((item) => [item.what.id, item]))
    const listed = new Map<RowsFileId, { readonly file: RowsFile; readonly order: number }>()
    for (const { report, name, path, addedAt } of archives) {
      const id = idOfReport(report)
      const file: RowsFile = {
        ...{ id, account, report, name: name === '' ? basename(path) : name, type: null },
        archive: archiveLocator.of(path),
        state: { kind: 'not-read' },
      }
      listed.set(id, { file, order: addedAt })
    }
    for (const { what, state } of running.values()) {
      const { id, report, name, type, source } = what
      const archive = archiveLocator.of(source)
      const order = listed.get(id)?.order ?? now()
      listed.set(id, { file: { id, account, report, name, type, archive, state }, order })
    }
    for (const { entry } of read.values()) {
      const { id, report, name, type, readAt } = entry
      const before = listed.get(id)
      const file: RowsFile = {
        ...{ id, account, report, name: before?.file.name ?? name, type },
        archive: before?.file.archive ?? archiveLocator.of(entry.source),
        // What is being read in again is shown as that.
        state: running.get(id)?.state ?? stateOf(account, entry),
      }
      listed.set(id, { file, order: before?.order ?? readAt })
    }
    return [...listed.values()]
      .sort((a, b) => b.order - a.order || (a.file.id < b.file.id ? -1 : 1))
      .map(({ file }) => file)
  }

  function stateOf(account: AccountId, entry: ReadRows['entry']): RowsState {
    if (damaged.has(damagedName(account, entry.id))) return { kind: 'damaged' }
    const { columns, count: rows, unreadable, first, last, readAt } = entry
    const plain = columns.map(({ name, kind, standard }) => ({ name, kind, standard }))
    return {
      kind: 'whole',
      facts: { columns: plain, rows, unreadable, first, last, bytes: entry.rows.size, readAt },
    }
  }

  /** What there is to read for an id. @throws DeskFailure where nobody knows it, its archive is gone or its folder hangs */
  async function toRead(account: AccountId, id: RowsFileId): Promise<ToRead> {
    const owner = accounts.dataScopeOf(account)
    const archive = (await parts.saved(account)).find(({ report }) => idOfReport(report) === id)
    const failed = imports.of(owner).find(({ what }) => what.id === id)?.what
    const entry = (await catalogue.of(owner)).get(id)?.entry
    const source = archive?.path ?? failed?.source ?? entry?.source
    if (source === undefined) throw unknownFile()
    if ((await archiveLocator.lookAt(source)) === null) throw archiveIsGone()
    const report = archive?.report ?? failed?.report ?? entry?.report ?? null
    const name = archive?.name ?? failed?.name ?? entry?.name ?? ''
    return {
      ...{ account, owner, id, report, source },
      name: name === '' ? basename(source) : name,
      replaces: false,
      type: report === null ? null : await parts.typeOf(account, report).catch(() => null),
    }
  }

  async function begin(what: ToRead): Promise<void> {
    await imports.begin(what)
    const read = (await catalogue.of(what.owner)).get(what.id)
    const isRunning = imports.of(what.owner).some(({ what: other }) => other.id === what.id)
    if (read && !isRunning && damaged.delete(damagedName(what.account, what.id)))
      events.emit({ kind: 'rows/changed', account: what.account })
  }

  function addFiles(account: AccountId, paths: readonly string[]): readonly RowsFileId[] {
    return paths.map((source) => {
      const id = idOfFile(source)
      const owner = accounts.dataScopeOf(account)
      const about = { account, owner, id, report: null, name: basename(source), type: null }
      giveWay(id)
      void begin({ ...about, source, replaces: false }).catch(() => undefined)
      return id
    })
  }

  /** What the catalogue has of files. @throws DeskFailure `invalid` where one is not read in */
  async function entriesOf(account: AccountId, ids: readonly RowsFileId[]): Promise<readonly ReadRows[]> {
    const known = await catalogue.of(accounts.dataScopeOf(account))
    return [...new Set(ids)].map((id) => {
      const read = known.get(id)
      if (!read) throw notReadIn()
      return read
    })
  }

  /**
   * An answer; where files are damaged, they are read in again as far as that can be. Those that were removed or read in again
   * while they were asked about are gone, not damaged. @throws DeskFailure
   */
  async function verified<A>(account: AccountId, looking: Promise<Verified<A>>): Promise<A> {
    const looked = await looking
    if (looked.kind === 'answer') return looked.answer
    const known = await catalogue.of(accounts.dataScopeOf(account))
    const broken = looked.files.filter((entry) => isDeepStrictEqual(known.get(entry.id)?.entry, entry))
    if (broken.length === 0) throw rowsAreOthers()
    for (const { id } of broken) {
      damaged.add(damagedName(account, id))
      void toRead(account, id)
        .then(begin)
        .catch(() => undefined)
    }
    events.emit({ kind: 'rows/changed', account })
    throw rowsAreDamaged()
  }

  async function askedOf(question: RowsQuestion, key: string | undefined): Promise<RowsParams> {
    const read = await entriesOf(question.account, question.files)
    lastAsked = now()
    for (const readRows of read)
      void noticeReplaced(question.account, readRows, readRows.entry.source).catch(() => undefined)
    const { sort } = question
    const conditions = await withInstances(question.conditions, question.account, read, parts.reportOf)
    return { files: read.map(({ entry }) => entry), conditions, sort, key: key ?? null }
  }

  const zoneOf = (account: AccountId) => accounts.account(account).dayZone

  const askedInZone = async (question: RowsQuestion, key?: string) => ({
    ...(await askedOf(question, key)),
    zone: zoneOf(question.account),
  })

  const searches = new Searches({
    engine,
    accounts: () => accounts.list().map(({ id }) => id),
    filesOf: async (account) =>
      [...(await catalogue.of(accounts.dataScopeOf(account))).values()].map(({ entry }) => entry),
    verified,
  })

  const recounting = new Recounting({
    ...{ state: parts.state, trend: parts.trend, reportOf: parts.reportOf, zoneOf, now },
    days: (account, { entry }, zone) => {
      const asked = { files: [entry], conditions: [], sort: [], key: null, zone }
      return verified(account, engine.call('days', asked))
    },
    changed: (account) => events.emit({ kind: 'rows/changed', account }),
  })

  /** When somebody asked about rows last. */
  let lastAsked = 0
  /** What is being read in by itself at this moment, and whether a person's wish took its turn. */
  let unasked: { readonly owner: DataScopeId; readonly id: RowsFileId; gaveWay: boolean } | null = null

  /** What a person asks for comes first: what is read in by itself begins anew afterwards. */
  function giveWay(to: RowsFileId): void {
    if (!unasked || unasked.id === to) return
    unasked.gaveWay = true
    imports.stop(unasked.owner, unasked.id)
  }

  const autoImport = new AutoImport({
    accounts: () => accounts.list().map(({ id }) => id),
    isOn: parts.autoImport,
    due: async (account) => {
      const readIn = () => catalogue.of(accounts.dataScopeOf(account))
      return await recounting.due(account, await parts.saved(account), readIn, idOfReport)
    },
    lookInto: async (account, id) => {
      const owner = accounts.dataScopeOf(account)
      const readRows = async () => (await catalogue.of(owner)).get(id)
      if (!(await readRows())) {
        const turn = (unasked = { owner, id, gaveWay: false })
        await begin(await toRead(account, id)).finally(() => (unasked = null))
        if (turn.gaveWay) return 'gave-way'
      }
      const read = await readRows()
      if (!read) return 'done'
      return (await recounting.run(account, read)).failure ? 'no-figures' : 'done'
    },
    quiet: async (signal) => {
      // What was just saved is given time to come to rest first.
      do await parts.wait(minIntervalMs, signal).catch(() => undefined)
      while (!signal.aborted && (imports.isBusy() || now() - lastAsked < minIntervalMs))
    },
  })

  const cases = openCases({
    ...{ parts, engine, verified, imports, recounting, fileOf: idOfReport },
    catalogueOf: (account) => catalogue.of(accounts.dataScopeOf(account)),
    readIn: async (account, file) => begin(await toRead(account, file)),
  })

  const stopFollowing = followOthers({ events, accounts, catalogue, autoImport, cases })
  const exporting = { engine, runExport: parts.runExport, verified }

  return {
    list,
    read: async ({ account, file }) => {
      const what = await toRead(account, file)
      giveWay(file)
      void begin(what).catch(() => undefined)
      return null
    },
    stop: ({ account, file }) => {
      imports.stop(accounts.dataScopeOf(account), file)
      return Promise.resolve(null)
    },
    dropped: (paths) => droppedFiles.add(paths),
    take: ({ account, dropped }) => Promise.resolve(addFiles(account, droppedFiles.take(dropped))),
    choose: async (account) => addFiles(account, (await parts.chooseTables()).map(tablePath)),
    discard: async ({ account, file, what }) => {
      const owner = accounts.dataScopeOf(account)
      if (what === 'rows') {
        imports.stop(owner, file)
        await catalogue.remove(owner, file)
        damaged.delete(damagedName(account, file))
      } else {
        const archive = (await parts.saved(account)).find(({ report }) => idOfReport(report) === file)
        // A file that a person added is theirs: only what the desk saved is removed.
        if (!archive) throw unknownFile()
        await looks.at(dirname(archive.path), () => rm(archive.path, { force: true }))
      }
      events.emit({ kind: 'rows/changed', account })
      return null
    },
    page: async ({ question, key, ...page }) =>
      verified(question.account, engine.call('page', { ...(await askedOf(question, key)), ...page })),
    facets: async ({ question, key, ...more }) =>
      verified(question.account, engine.call('facets', { ...(await askedOf(question, key)), ...more })),
    histogram: async ({ question, key, by }) =>
      verified(question.account, engine.call('histogram', { ...(await askedInZone(question, key)), by })),
    groups: async ({ question, key, sort, ...more }) => {
      const asked = { ...(await askedInZone(question, key)), ...more, groupSort: sort }
      return await verified(question.account, engine.call('groups', asked))
    },
    clusters: async ({ question, key }) =>
      verified(question.account, engine.call('clusters', await askedInZone(question, key))),
    search: (asked) => searches.run(asked),
    recount: async ({ account, file }) => {
      const [read = unknownRows()] = await entriesOf(account, [file])
      return await recounting.run(account, read)
    },
    cases,
    recounted: ({ account, report }) => recounting.of(account, report),
    unreadable: async ({ account, file, offset, limit }) => {
      const [{ entry, entryPath } = unknownRows()] = await entriesOf(account, [file])
      return await verified(account, engine.call('unreadable', { file: entry, entryPath, offset, limit }))
    },
    export: async ({ question, columns, format }) => {
      const asked = await askedOf(question, undefined)
      return await exportRows({ account: question.account, asked, columns, format }, exporting)
    },
    exportTable: async (order) => exportTable(order, await askedInZone(order.question), exporting),
    exportUnreadable: async ({ account, file }) => {
      const [read = unknownRows()] = await entriesOf(account, [file])
      return exportUnreadable(account, read, exporting)
    },
    saveList: (asked) => {
      const { account } = asked
      const note = async (list: Omit<StoredList, 'madeAt'>) => {
        const made = { ...list, madeAt: now() as Instant }
        await parts.state.run('block-lists/note', { account, list: made })
      }
      return Promise.resolve(saveList(asked, { ...exporting, note }))
    },
    lists: (account) => parts.state.run('block-lists/list', account),
    cancel: (key) => {
      searches.cancel(key)
      void engine.call('cancel', key).catch(() => undefined)
      return null
    },
    begin: () => {
      autoImport.begin()
      for (const { id } of accounts.list()) cases.follow(id)
    },
    wake: (account) => autoImport.wake(account),
    pause: (paused) => autoImport.pause(paused),
    close: async () => {
      stopFollowing()
      const ended = Promise.all([autoImport.close(), cases.close()])
      for (const { id } of accounts.list()) {
        const owner = accounts.dataScopeOf(id)
        for (const { what } of imports.of(owner)) imports.stop(owner, what.id)
      }
      await engine.close()
      await ended
    },
  }
}

const idOfReport = (report: RawReportId): RowsFileId => `report-${report}` as RowsFileId

const failure = (message: string) => () => new DeskFailure({ kind: 'invalid', message })
const notReadIn = failure('These rows are not read in.')
const unknownFile = failure('There is no such file any more.')
const archiveIsGone = failure('The file is no longer there: it was moved, renamed or removed.')
const unknownRows = (): never => {
  throw notReadIn()
}
