import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { CallArgument, CallResult } from '#shared/bridge/calls.ts'
import { soundFindings } from '#shared/cases/case.ts'
import type { Case, CaseEntry, CaseFindings, CaseId, ShownCase } from '#shared/cases/case.ts'
import { scopedStem } from '#shared/cases/scope.ts'
import { DeskFailure, invalid } from '#shared/api/failure.ts'
import { withColumnNames } from '#shared/archives/rows-file.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { CsvForm } from '#shared/values/delimited.ts'
import { dayAt } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { writeAddress } from '#shared/views/address.ts'
import { writePrintAddress } from '#shared/exports/paper.ts'
import { changedMeanwhile } from '#shared/texts/cases.ts'
import { agree, ofOneScope } from '#main/reports/one-scope.ts'
import { singleFlight } from '#main/lib/async.ts'
import type { Flights } from '#main/lib/async.ts'
import type { ImportedFile } from '#main/archives/engine/rows-engine.ts'
import { workFolder } from '#main/analytics/rows-layout.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'
import type { JobResult } from '#main/lib/jobs.ts'
import { filesOfCase, gapsOfFiles, isCounted } from './case-archives.ts'
import type { CaseFile } from './case-archives.ts'
import { gapOf, instancesConcerned, lostFigures, figuresOfCase } from './case-figures.ts'
import type { FileExport } from '#main/exports/export-maker.ts'
import type { CasesContext } from './cases-context.ts'
import { planRows, agreedTo, RequestedRows } from './requested-rows.ts'

type ACase = CallArgument<'cases/of'>

/** A case whose findings are packed. */
type PackedCase = { readonly account: AccountId; readonly stored: Case; readonly made: CaseFindings }

type PackWriting = {
  readonly signal: AbortSignal
  readonly progress: (done: number, total: number | null) => void
  readonly csv: CsvForm | undefined
}

/** Cases. The `cases/…` calls are documented in src-shared/bridge/calls/archives.ts. */
export class Cases implements Module {
  readonly name = 'cases'
  readonly #context: CasesContext
  readonly #requestedRows: RequestedRows
  /** Running updates. Concurrent requests for one case share an update. */
  readonly #makings: Flights<ShownCase> = new Map()
  /** Aborts the wait for newer figures. */
  readonly #ending = new AbortController()
  readonly #followed: readonly (() => void)[]

  constructor(context: CasesContext) {
    this.#context = context
    this.#requestedRows = new RequestedRows(context, (request) => this.make(request))
    const { events } = context
    const follow = ({ account }: { readonly account: AccountId }) => this.#requestedRows.follow(account)
    this.#followed = [
      events.on('raw/changed', follow),
      // A case may wait for the rows of any import.
      events.on('rows/import-changed', follow),
      events.on('downloads/changed', ({ changed, removed }) => {
        const ended = changed.filter(({ state }) => state.kind === 'saved' || state.kind === 'missing')
        const accounts = removed.length > 0 ? this.#accountIds() : ended.map(({ account }) => account)
        for (const account of new Set(accounts)) this.#requestedRows.follow(account)
      }),
    ]
  }

  /** Processes rows that arrived while the app was closed. */
  start(): void {
    for (const account of this.#accountIds()) this.#requestedRows.follow(account)
  }

  #accountIds(): readonly AccountId[] {
    return this.#context.accounts.list().map(({ id }) => id)
  }

  list(account: AccountId): Promise<CallResult<'cases/list'>> {
    return this.#context.store.run('cases/list', account)
  }

  readonly read: Handler<'cases/of'> = async (request) =>
    await this.#shown(request.account, await this.#context.store.run('cases/of', request))

  readonly begin: Handler<'cases/begin'> = async ({ account, entry: said, fitting }) => {
    const id = randomUUID() as CaseId
    const entry = fitting ? { ...said, files: await this.#fitting(account, said) } : said
    const added = { account, id, begunAt: this.#now(), entry }
    await this.#write(account, this.#context.store.run('cases/add', added))
    return { id }
  }

  readonly change: Handler<'cases/change'> = ({ account, id, ...note }) =>
    this.#write(account, this.#context.store.run('cases/note', { account, id, note }))

  readonly make: Handler<'cases/make'> = (request) =>
    singleFlight(
      this.#makings,
      `${request.account} ${request.id}`,
      { signal: new AbortController().signal },
      () => this.#make(request),
    )

  readonly planRows: Handler<'cases/plan-rows'> = async (request) => {
    const { reports, clock } = this.#context
    const { entry, made, requests } = await this.read(request)
    const { account } = request
    return planRows({
      ...{ entry, requests, today: dayAt(clock.now(), entry.scope.zone) },
      instances: await instancesConcerned(account, entry.scope, reports),
      files: await this.#filesOf(account, entry, made),
    })
  }

  readonly addRows: Handler<'cases/add-rows'> = async (request) => {
    const { account, id } = request
    const plan = agreedTo(await this.planRows({ account, id }), request)
    await this.#requestedRows.ask(account, await this.#context.store.run('cases/of', { account, id }), plan)
    return null
  }

  readonly sent: Handler<'cases/sent'> = ({ account, id, sent }) => {
    const sentAt = sent ? this.#now() : null
    return this.#write(account, this.#context.store.run('cases/sent', { account, id, sentAt }))
  }

  readonly remove: Handler<'cases/remove'> = (request) =>
    this.#write(request.account, this.#context.store.run('cases/remove', request))

  readonly save: Handler<'cases/save'> = async ({ account, id }) =>
    this.#context.exports.run(account, await this.packOf(account, id))

  /** Returns the pack of a case's findings as an export. @throws DeskFailure if it has none, or other rows by now */
  readonly packOf = async (account: AccountId, id: CaseId): Promise<FileExport> => {
    const { store, accounts } = this.#context
    const stored = await store.run('cases/of', { account, id })
    const made = soundFindings(stored)
    if (!made) throw stored.made ? unknownScope() : notMade()
    if (await this.#rowsChanged(account, stored.entry, made)) throw otherRows()
    const { name, scope } = stored.entry
    return {
      name: `Case ${name}`,
      ending: 'zip',
      stem: scopedStem(`${accounts.account(account).name} - Case ${name}`, scope),
      write: async (path, signal, progress, csv) => {
        const packed = await this.#pack(path, { account, stored, made }, { signal, progress, csv })
        const saved = { account, id, savedAt: this.#now(), savedOf: made.madeAt }
        await this.#write(account, store.run('cases/saved', saved)).catch(() => undefined)
        return packed
      },
    }
  }

  readonly handlers = {
    'cases/list': ({ account }) => this.list(account),
    'cases/of': this.read,
    'cases/begin': this.begin,
    'cases/change': this.change,
    'cases/make': this.make,
    'cases/plan-rows': this.planRows,
    'cases/add-rows': this.addRows,
    'cases/sent': this.sent,
    'cases/remove': this.remove,
    'cases/save': this.save,
  } satisfies Partial<Handlers>

  stop(): Promise<void> {
    for (const stop of this.#followed) stop()
    this.#ending.abort()
    return this.#requestedRows.close()
  }

  /** Archives that are known to have all rows of some of a case's instances. */
  async #fitting(account: AccountId, entry: CaseEntry): Promise<RowsFileId[]> {
    const files = await this.#filesOf(account, entry, null)
    const fits = files.filter(
      (file) => isCounted(file) && file.instance !== null && file.narrowed.length === 0,
    )
    return fits.map(({ read: { entry: file } }) => file.id)
  }

  /** Rows of archives, with the account's column names. Archives that are not imported are omitted. */
  async #readRows(account: AccountId, files: readonly RowsFileId[]): Promise<readonly ImportedFile[]> {
    const { rows } = this.#context.archives
    const [known, names] = await Promise.all([rows.filesOf(account), rows.columnNames(account)])
    return files.flatMap((id) => {
      const read = known.get(id)
      return read ? [{ ...read, entry: withColumnNames(read.entry, names) }] : []
    })
  }

  /** Imported archives of a case. @param before earlier findings of the case; null if there are none */
  async #filesOf(
    account: AccountId,
    entry: CaseEntry,
    before: CaseFindings | null,
  ): Promise<readonly CaseFile[]> {
    const read = await this.#readRows(account, entry.files)
    return await filesOfCase(account, entry, read, this.#context.raw.reports, before)
  }

  #now = () => instantOf(this.#context.clock.now())

  /** Writes a change of a case and emits an event. */
  async #write(account: AccountId, writing: Promise<null>): Promise<null> {
    await writing
    this.#context.events.emit({ kind: 'rows/changed', account })
    return null
  }

  async #shown(account: AccountId, { requests, ...stored }: Case): Promise<ShownCase> {
    const made = soundFindings(stored)
    return {
      ...stored,
      requests: await this.#requestedRows.shown(account, requests),
      rowsChanged: made !== null && (await this.#rowsChanged(account, stored.entry, made)),
    }
  }

  async #rowsChanged(account: AccountId, { files }: CaseEntry, { archives }: CaseFindings): Promise<boolean> {
    const read = await this.#readRows(account, files)
    const now = read.map(({ entry: { id, readAt } }) => `${id} ${readAt}`).sort()
    const then = archives.map(({ file, readAt }) => `${file} ${readAt}`).sort()
    return now.join('\n') !== then.join('\n')
  }

  async #make({ account, id }: ACase): Promise<ShownCase> {
    const { store, accounts } = this.#context
    const stored = await store.run('cases/of', { account, id })
    const made = await ofOneScope(async () => {
      const standing = accounts.standingOf(account)
      const dataScope = accounts.dataScopeOf(account)
      const gathered = { ...(await this.#gather(account, stored)), dataScope }
      await agree(this.#context, account, standing)
      return gathered
    }, this.#ending.signal)
    // New findings replace both: figures must not be lost because newer ones are unavailable.
    for (const had of [soundFindings(stored), stored.before]) {
      const lost = had && lostFigures(had, made)
      if (lost) throw new DeskFailure(lost)
    }
    await this.#write(account, store.run('cases/made', { account, id, made }))
    return await this.read({ account, id })
  }

  async #gather(account: AccountId, { entry, made: before }: Case): Promise<CaseFindings> {
    const { accounts, reports, archives, clock } = this.#context
    const { scope } = entry
    const files = await this.#filesOf(account, entry, before)
    const { concerned, instanceGaps, gathered, ...figures } = await figuresOfCase(entry, {
      ...{ account, reports, clock, signal: this.#ending.signal },
      gathered: before?.gathered ?? null,
    })
    const { countRowsOfCase } = await import('./case-rows.ts')
    const rows = await countRowsOfCase(account, entry, files, archives)
    const absent = entry.files.length - files.length
    const rowGaps = [
      ...(absent > 0
        ? [gapOf('Archives', `${absent} of ${entry.files.length} are no longer imported.`)]
        : []),
      ...instanceGaps,
      ...(files.length > 0 ? gapsOfFiles(entry, files, concerned) : []),
      ...rows.lacks,
    ]
    return {
      ...{
        madeAt: this.#now(),
        scope,
        zone: scope.zone,
        service: hostOf(accounts.account(account).address),
      },
      ...figures,
      ...(gathered && { gathered }),
      ...rows,
      instances: concerned.map((instance) => ({
        ...instance,
        archives: files.filter((file) => isCounted(file) && file.instance?.id === instance.id).length,
      })),
      covers: !files.some(isCounted) ? 'none' : rowGaps.length === 0 ? 'whole' : 'part',
      lacks: [...rowGaps, ...figures.lacks],
    }
  }

  /**
   * Checks that a case is unchanged. The user may update it or change its notes, and arriving rows update it too.
   * @throws DeskFailure `invalid` if the case changed
   */
  async #verify(account: AccountId, { id, entry, before }: Case, made: CaseFindings): Promise<void> {
    const current = await this.#context.store.run('cases/of', { account, id })
    const isSame = isDeepStrictEqual([current.entry, current.made, current.before], [entry, made, before])
    if (!isSame) throw invalid(changedMeanwhile)
    if (await this.#rowsChanged(account, entry, made)) throw otherRows()
  }

  /** Writes the pack of a case's findings. */
  async #pack(
    path: string,
    { account, stored, made }: PackedCase,
    { signal, progress, csv }: PackWriting,
  ): Promise<Pick<JobResult, 'rows' | 'cut'>> {
    // Writers of ZIPs and workbooks are imported on demand.
    const { writePack } = await import('./case-pack.ts')
    const { accounts, archives, settings, shell, folder } = this.#context
    const { id, entry, before } = stored
    const verify = () => this.#verify(account, stored, made)
    await verify()
    const read = await this.#readRows(account, entry.files)
    const archiveOf = (file: RowsFileId) => made.archives.find((archive) => archive.file === file)
    const files = read.map((readRows) => {
      const { left = null, instance = null } = archiveOf(readRows.entry.id) ?? {}
      return { read: readRows, excludedBecause: left, instance }
    })
    const { rowsOfCase } = await import('./case-rows.ts')
    const request = files.some(isCounted) ? rowsOfCase(entry, files) : null
    const names = (await settings.read()).ruleNames.filter((ruleName) => ruleName.account === account)
    const view = writeAddress({ kind: 'cases', id })
    return await writePack(path, {
      ...{ work: workFolder(folder), signal, progress, files: request?.files ?? [] },
      about: {
        ...{ account: accounts.account(account).name, entry, made, before },
        rules: new Map(names.map(({ code, name }) => [code, name])),
      },
      print: () => shell.print(writePrintAddress({ account, view, madeAt: made.madeAt }), signal),
      verify,
      page: (offset, limit) =>
        request &&
        archives.rows.ask(account, (engine) =>
          engine.call('page', { ...request, columns: [], offset, limit }, signal),
        ),
      csv: () =>
        request &&
        archives.rows.ask(account, (engine) =>
          engine.call('write', { ...request, columns: [], format: 'csv', csv }, signal),
        ),
    })
  }
}

/** Host of a service, as users know it. */
function hostOf(address: string): string {
  try {
    return new URL(address).host
  } catch {
    return address
  }
}

const notMade = () => invalid('The case has no figures yet. Update it first.')
const unknownScope = () =>
  invalid('An older version may have counted only one instance. Update the case, then save it.')
const otherRows = () => invalid('The rows have changed since the last update. Update the case, then save it.')
