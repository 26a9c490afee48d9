import { rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { CallArgument, CallName, CallResult, DeskEvents } from '../../src-shared/bridge/calls.ts'
import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import type { SearchHits } from '../../src-shared/rows/answers.ts'
import type { RowsQuestion } from '../../src-shared/rows/question.ts'
import type { DroppedFileId, RowsFile, RowsFileId, RowsState } from '../../src-shared/rows/rows-file.ts'
import type { RawType } from '../../src-shared/service/raw-columns.ts'
import type { AccountId, RawReportId } from '../../src-shared/values/ids.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { Exports } from '../exports/exports.ts'
import type { Store } from '../figures/cache/cache-store.ts'
import type { Line } from '../lib/rpc.ts'
import type { SavedArchive } from '../raw/downloads/downloads-parts.ts'
import { RowsCatalogue } from './catalogue.ts'
import { DroppedFiles, idOfFile, tablePath } from './dropped.ts'
import type { Asked, Looked, ReadRows } from './engine/calls.ts'
import { startRowsEngine } from './engine/engine.ts'
import { exportRows, exportUnreadable, saveList } from './exporting.ts'
import { Readings } from './readings.ts'
import type { ToRead } from './readings.ts'
import { recount } from './recount.ts'
import type { RecountParts } from './recount.ts'

type Answered<N extends CallName> = (asked: CallArgument<N>) => Promise<CallResult<N>>

export type RowsParts = {
  readonly store: Pick<Store, 'run'>
  readonly book: Pick<AccountStore, 'account' | 'list' | 'ownerOf' | 'onChange'>
  /** The profile folder. */
  readonly folder: string
  /** Begins the rows' process (engine/rows-process.ts). */
  readonly openEngine: () => Line
  /** The archives that are saved of an account. */
  readonly saved: (account: AccountId) => Promise<readonly SavedArchive[]>
  /** Of which type a report is, as far as that is known. */
  readonly typeOf: (account: AccountId, report: RawReportId) => Promise<RawType | null>
  /** Lets the person choose ZIP and CSV files. */
  readonly chooseTables: () => Promise<readonly string[]>
  readonly runExport: Exports['run']
  readonly trend: RecountParts['trend']
  readonly reportOf: RecountParts['reportOf']
  readonly emit: <N extends 'rows/changed' | 'rows/progress'>(name: N, event: DeskEvents[N]) => void
  readonly now: () => number
}

/** The rows inside archives: what each does is said where its call is declared (src-shared/bridge/calls/rows.ts). */
export type Rows = {
  readonly list: (account: AccountId) => Promise<CallResult<'rows/list'>>
  readonly read: Answered<'rows/read'>
  readonly stop: Answered<'rows/stop'>
  /** Names files that were dropped on a window, by their paths; what is no file is left out. */
  readonly dropped: (paths: readonly string[]) => Promise<readonly DroppedFileId[]>
  readonly take: Answered<'rows/take'>
  readonly choose: (account: AccountId) => Promise<CallResult<'rows/choose'>>
  readonly letGo: Answered<'rows/let-go'>
  readonly page: Answered<'rows/page'>
  readonly facets: Answered<'rows/facets'>
  readonly histogram: Answered<'rows/histogram'>
  readonly groups: Answered<'rows/groups'>
  readonly clusters: Answered<'rows/clusters'>
  readonly search: Answered<'rows/search'>
  readonly recount: Answered<'rows/recount'>
  readonly unreadable: Answered<'rows/unreadable'>
  readonly export: Answered<'rows/export'>
  readonly exportUnreadable: Answered<'rows/export-unreadable'>
  readonly saveList: Answered<'rows/save-list'>
  readonly cancel: (key: string) => null
  readonly close: () => Promise<void>
}

export function createRows(parts: RowsParts): Rows {
  const { book, folder, now, emit } = parts
  const engine = startRowsEngine(parts.openEngine, (event) => readings.heard(event))
  const catalogue = new RowsCatalogue({ store: parts.store, engine, folder, now })
  const readings: Readings = new Readings({ engine, catalogue, now, emit })
  const droppedFiles = new DroppedFiles()
  /** Rows that were found to be damaged. They are read in again where their archive is still there. */
  const damaged = new Set<string>()
  const stopFollowing = book.onChange((change) => {
    if (change.kind === 'removed') for (const owner of change.owners) catalogue.forget(owner)
  })

  const damagedName = (account: AccountId, id: RowsFileId) => `${book.ownerOf(account)} ${id}`

  async function list(account: AccountId): Promise<RowsFile[]> {
    const owner = book.ownerOf(account)
    const [read, archives] = await Promise.all([catalogue.of(owner), parts.saved(account)])
    const running = new Map(readings.of(owner).map((each) => [each.what.id, each]))
    const listed = new Map<RowsFileId, { readonly file: RowsFile; readonly order: number }>()
    for (const { report, name, path, addedAt } of archives) {
      const id = idOfReport(report)
      const file: RowsFile = {
        ...{ id, account, report, name: name === '' ? basename(path) : name, type: null },
        archive: await whereabouts(path),
        state: { as: 'not-read' },
      }
      listed.set(id, { file, order: addedAt })
    }
    for (const { what, state } of running.values()) {
      const { id, report, name, type, source } = what
      const archive = await whereabouts(source)
      const order = listed.get(id)?.order ?? now()
      listed.set(id, { file: { id, account, report, name, type, archive, state }, order })
    }
    for (const { entry } of read.values()) {
      const { id, report, name, type, readAt } = entry
      const before = listed.get(id)
      const file: RowsFile = {
        ...{ id, account, report, name: before?.file.name ?? name, type },
        archive: before?.file.archive ?? (await whereabouts(entry.source)),
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
    if (damaged.has(damagedName(account, entry.id))) return { as: 'damaged' }
    const { columns, count: rows, unreadable, first, last, readAt } = entry
    const plain = columns.map(({ name, kind, standard }) => ({ name, kind, standard }))
    return {
      as: 'whole',
      facts: { columns: plain, rows, unreadable, first, last, bytes: entry.rows.size, readAt },
    }
  }

  /** What there is to read for an id. @throws DeskFailure where nobody knows it, or its archive is gone */
  async function toRead(account: AccountId, id: RowsFileId): Promise<ToRead> {
    const owner = book.ownerOf(account)
    const archive = (await parts.saved(account)).find(({ report }) => idOfReport(report) === id)
    const failed = readings.of(owner).find(({ what }) => what.id === id)?.what
    const entry = (await catalogue.of(owner)).get(id)?.entry
    const source = archive?.path ?? failed?.source ?? entry?.source
    if (source === undefined) throw unknownFile()
    if ((await whereabouts(source)) === 'gone') throw archiveIsGone()
    const report = archive?.report ?? failed?.report ?? entry?.report ?? null
    const name = archive?.name ?? failed?.name ?? entry?.name ?? ''
    return {
      ...{ account, owner, id, report, source },
      name: name === '' ? basename(source) : name,
      type: report === null ? null : await parts.typeOf(account, report).catch(() => null),
    }
  }

  async function begin(what: ToRead): Promise<void> {
    await readings.begin(what)
    const read = (await catalogue.of(what.owner)).get(what.id)
    const isRunning = readings.of(what.owner).some(({ what: other }) => other.id === what.id)
    if (read && !isRunning && damaged.delete(damagedName(what.account, what.id)))
      emit('rows/changed', { account: what.account })
  }

  function addFiles(account: AccountId, paths: readonly string[]): readonly RowsFileId[] {
    return paths.map((source) => {
      const id = idOfFile(source)
      const owner = book.ownerOf(account)
      void begin({ account, owner, id, report: null, name: basename(source), type: null, source }).catch(
        () => undefined,
      )
      return id
    })
  }

  /** What the catalogue has of files. @throws DeskFailure `invalid` where one is not read in */
  async function entriesOf(account: AccountId, ids: readonly RowsFileId[]): Promise<readonly ReadRows[]> {
    const known = await catalogue.of(book.ownerOf(account))
    return [...new Set(ids)].map((id) => {
      const read = known.get(id)
      if (!read) throw notReadIn()
      return read
    })
  }

  /** An answer; where files are damaged, they are read in again as far as that can be. @throws DeskFailure */
  async function soundly<A>(account: AccountId, looking: Promise<Looked<A>>): Promise<A> {
    const looked = await looking
    if (looked.kind === 'answer') return looked.answer
    for (const id of looked.files) {
      damaged.add(damagedName(account, id))
      void toRead(account, id)
        .then(begin)
        .catch(() => undefined)
    }
    emit('rows/changed', { account })
    throw rowsAreDamaged()
  }

  async function askedOf(question: RowsQuestion, key: string | undefined): Promise<Asked> {
    const read = await entriesOf(question.account, question.files)
    const { conditions, sort } = question
    return { files: read.map(({ entry }) => entry), conditions, sort, key: key ?? null }
  }

  const zoneOf = (account: AccountId) => book.account(account).dayZone

  /** Searches that are under way, so that they can be given up between files. */
  const searches = new Map<string, AbortController>()

  async function search({
    account,
    text,
    most,
    key,
  }: CallArgument<'rows/search'>): Promise<CallResult<'rows/search'>> {
    const controller = new AbortController()
    if (key !== undefined) {
      searches.get(key)?.abort()
      searches.set(key, controller)
    }
    const accounts = account === null ? book.list().map(({ id }) => id) : [account]
    const files: SearchHits[] = []
    const failed: { file: RowsFileId; name: string }[] = []
    let searched = 0
    for (const of of accounts) {
      const known = [...(await catalogue.of(book.ownerOf(of))).values()].map(({ entry }) => entry)
      for (const file of known.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (controller.signal.aborted) throw new DeskFailure({ kind: 'cancelled', message: 'Cancelled.' })
        const hits = await soundly(of, engine.call('search', { file, text, most, key: key ?? null })).catch(
          (error: unknown) => {
            if (!damaged.has(damagedName(of, file.id))) throw error
            failed.push({ file: file.id, name: file.name })
          },
        )
        searched += 1
        if (hits && hits.found > 0) files.push({ account: of, file: file.id, name: file.name, ...hits })
      }
    }
    if (key !== undefined && searches.get(key) === controller) searches.delete(key)
    return { files, searched, failed }
  }

  const exporting = { engine, runExport: parts.runExport, soundly }

  return {
    list,
    read: async ({ account, file }) => {
      const what = await toRead(account, file)
      void begin(what).catch(() => undefined)
      return null
    },
    stop: ({ account, file }) => {
      readings.stop(book.ownerOf(account), file)
      return Promise.resolve(null)
    },
    dropped: (paths) => droppedFiles.add(paths),
    take: ({ account, dropped }) => Promise.resolve(addFiles(account, droppedFiles.take(dropped))),
    choose: async (account) => addFiles(account, (await parts.chooseTables()).map(tablePath)),
    letGo: async ({ account, file, what }) => {
      const owner = book.ownerOf(account)
      if (what === 'rows') {
        readings.stop(owner, file)
        await catalogue.remove(owner, file)
        damaged.delete(damagedName(account, file))
      } else {
        const archive = (await parts.saved(account)).find(({ report }) => idOfReport(report) === file)
        // A file that a person added is theirs: only what the desk saved is removed.
        if (!archive) throw unknownFile()
        await rm(archive.path, { force: true })
      }
      emit('rows/changed', { account })
      return null
    },
    page: async ({ question, key, ...page }) =>
      soundly(question.account, engine.call('page', { ...(await askedOf(question, key)), ...page })),
    facets: async ({ question, key, ...more }) =>
      soundly(question.account, engine.call('facets', { ...(await askedOf(question, key)), ...more })),
    histogram: async ({ question, key, by }) =>
      soundly(
        question.account,
        engine.call('histogram', { ...(await askedOf(question, key)), by, zone: zoneOf(question.account) }),
      ),
    groups: async ({ question, key, sort, ...more }) =>
      soundly(
        question.account,
        engine.call('groups', {
          ...(await askedOf(question, key)),
          ...more,
          groupSort: sort,
          zone: zoneOf(question.account),
        }),
      ),
    clusters: async ({ question, key }) =>
      soundly(
        question.account,
        engine.call('clusters', { ...(await askedOf(question, key)), zone: zoneOf(question.account) }),
      ),
    search,
    recount: async ({ account, file }) => {
      const [{ entry } = unknownRows()] = await entriesOf(account, [file])
      const asked = { files: [entry], conditions: [], sort: [], key: null, zone: zoneOf(account) }
      const days = await soundly(account, engine.call('days', asked))
      return await recount({ account, entry, days }, { ...parts, zoneOf })
    },
    unreadable: async ({ account, file, offset, limit }) => {
      const [{ entry, entryPath } = unknownRows()] = await entriesOf(account, [file])
      return await soundly(account, engine.call('unreadable', { file: entry, entryPath, offset, limit }))
    },
    export: async ({ question, columns, format }) => {
      const asked = await askedOf(question, undefined)
      return await exportRows({ account: question.account, asked, columns, format }, exporting)
    },
    exportUnreadable: async ({ account, file }) => {
      const [read = unknownRows()] = await entriesOf(account, [file])
      return exportUnreadable(account, read, exporting)
    },
    saveList: (asked) => Promise.resolve(saveList(asked, exporting)),
    cancel: (key) => {
      searches.get(key)?.abort()
      void engine.call('cancel', key).catch(() => undefined)
      return null
    },
    close: async () => {
      stopFollowing()
      for (const { id } of book.list()) {
        const owner = book.ownerOf(id)
        for (const { what } of readings.of(owner)) readings.stop(owner, what.id)
      }
      await engine.close()
    },
  }
}

const idOfReport = (report: RawReportId): RowsFileId => `report-${report}` as RowsFileId

const whereabouts = (path: string): Promise<'there' | 'gone'> =>
  stat(path).then(
    (found) => (found.isFile() ? 'there' : 'gone'),
    () => 'gone',
  )

const failure = (message: string) => () => new DeskFailure({ kind: 'invalid', message })
const notReadIn = failure('These rows are not read in.')
const unknownFile = failure('There is no such file any more.')
const archiveIsGone = failure('The file is no longer there: it was moved, renamed or removed.')
const unknownRows = (): never => {
  throw notReadIn()
}
const rowsAreDamaged = () =>
  new DeskFailure({
    kind: 'disk',
    message: 'These rows were damaged on the disk. They are read in again where the archive is still there.',
  })
