import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { CallArgument, CallResult } from '#shared/bridge/calls.ts'
import { soundFindings } from '#shared/cases/case.ts'
import type { Case, CaseEntry, CaseFindings, CaseId, ShownCase } from '#shared/cases/case.ts'
import { scopedStem } from '#shared/cases/scope.ts'
import { DeskFailure, invalid } from '#shared/api/failure.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { CsvForm } from '#shared/values/delimited.ts'
import { dayAt } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { writeAddress } from '#shared/views/address.ts'
import { writePrintAddress } from '#shared/exports/paper.ts'
import { changedMeanwhile } from '#shared/texts/cases.ts'
import { agree, ofOneScope } from '#main/reports/one-scope.ts'
import { singleFlight } from '#main/lib/async.ts'
import type { Flights } from '#main/lib/async.ts'
import type { ReadRows } from '#main/archives/engine/rows-engine.ts'
import { workFolder } from '#main/analytics/rows-layout.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { JobResult } from '#main/lib/jobs.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Settings } from '#main/settings/settings.ts'
import { filesOfCase, lacksOfFiles } from './case-archives.ts'
import { instancesConcerned, lostFigures, figuresOfCase } from './case-figures.ts'
import type { CaseReports } from './case-gathering.ts'
import { countRowsOfCase, rowsOfCase } from './case-rows.ts'
import type { CaseArchives } from './case-rows.ts'
import { planRows, agreedTo, RequestedRows } from './requested-rows.ts'
import type { CaseRaw } from './requested-rows.ts'

type ACase = CallArgument<'cases/of'>

/** Cases. The `cases/…` calls are documented in src-shared/bridge/calls/archives.ts. */
export class Cases implements Module {
  readonly name = 'cases'
  readonly #state: Pick<Store, 'run'>
  readonly #accounts: Pick<AccountStore, 'account' | 'dataScopeOf' | 'list' | 'standingOf'>
  readonly #reports: CaseReports
  readonly #raw: CaseRaw
  readonly #archives: CaseArchives
  readonly #exports: Pick<Exports, 'run'>
  readonly #settings: Pick<Settings, 'read'>
  readonly #shell: Pick<SystemShell, 'print'>
  readonly #events: AppEvents
  readonly #clock: Pick<Clock, 'now' | 'wait'>
  readonly #folder: string
  readonly #requested: RequestedRows
  /** Running updates. Concurrent requests for one case share an update. */
  readonly #makings: Flights<ShownCase> = new Map()
  /** Aborts the wait for newer figures. */
  readonly #ending = new AbortController()

  readonly #followed: readonly (() => void)[]

  /** @param folder the profile folder */
  constructor(
    state: Pick<Store, 'run'>,
    accounts: Pick<AccountStore, 'account' | 'dataScopeOf' | 'list' | 'standingOf'>,
    reports: CaseReports,
    raw: CaseRaw,
    archives: CaseArchives,
    exports: Pick<Exports, 'run'>,
    settings: Pick<Settings, 'read'>,
    shell: Pick<SystemShell, 'print'>,
    events: AppEvents,
    clock: Pick<Clock, 'now' | 'wait'>,
    folder: string,
  ) {
    this.#state = state
    this.#accounts = accounts
    this.#reports = reports
    this.#raw = raw
    this.#archives = archives
    this.#exports = exports
    this.#settings = settings
    this.#shell = shell
    this.#events = events
    this.#clock = clock
    this.#folder = folder
    this.#requested = new RequestedRows(state, raw, archives.imports, events, (request) => this.make(request))
    const follow = ({ account }: { readonly account: AccountId }) => this.follow(account)
    this.#followed = [
      events.on('raw/changed', follow),
      // A case may wait for the rows of any import.
      events.on('rows/import-changed', follow),
      events.on('downloads/changed', ({ changed, removed }) => {
        const ended = changed.filter(({ state }) => state.kind === 'saved' || state.kind === 'missing')
        const accounts = removed.length > 0 ? this.#accountIds() : ended.map(({ account }) => account)
        for (const account of new Set(accounts)) this.follow(account)
      }),
    ]
  }

  /** Processes rows that arrived while the app was closed. */
  start(): void {
    for (const account of this.#accountIds()) this.follow(account)
  }

  #accountIds(): readonly AccountId[] {
    return this.#accounts.list().map(({ id }) => id)
  }

  list(account: AccountId): Promise<CallResult<'cases/list'>> {
    return this.#state.run('cases/list', account)
  }

  readonly read: Handler<'cases/of'> = async (request) =>
    await this.#shown(request.account, await this.#state.run('cases/of', request))

  readonly begin: Handler<'cases/begin'> = async ({ account, entry: said, fitting }) => {
    const id = randomUUID() as CaseId
    const entry = fitting ? { ...said, files: await this.#fitting(account, said) } : said
    await this.#write(account, this.#state.run('cases/add', { account, id, begunAt: this.#now(), entry }))
    return { id }
  }

  readonly change: Handler<'cases/change'> = ({ account, id, ...note }) =>
    this.#write(account, this.#state.run('cases/note', { account, id, note }))

  readonly make: Handler<'cases/make'> = (request) =>
    singleFlight(
      this.#makings,
      `${request.account} ${request.id}`,
      { signal: new AbortController().signal },
      () => this.#make(request),
    )

  readonly planRows: Handler<'cases/plan-rows'> = async (request) => {
    const { entry, made, requests } = await this.read(request)
    const { account } = request
    const read = await this.#readRows(account, entry.files)
    return planRows({
      ...{ entry, requests, today: dayAt(this.#clock.now(), entry.scope.zone) },
      instances: await instancesConcerned(account, entry.scope, this.#reports),
      files: await filesOfCase(account, entry, read, this.#raw, made),
    })
  }

  readonly addRows: Handler<'cases/add-rows'> = async (request) => {
    const { account, id } = request
    const plan = agreedTo(await this.planRows({ account, id }), request)
    await this.#requested.ask(account, await this.#state.run('cases/of', { account, id }), plan)
    return null
  }

  readonly sent: Handler<'cases/sent'> = ({ account, id, sent }) =>
    this.#write(account, this.#state.run('cases/sent', { account, id, sentAt: sent ? this.#now() : null }))

  readonly remove: Handler<'cases/remove'> = (request) =>
    this.#write(request.account, this.#state.run('cases/remove', request))

  readonly save: Handler<'cases/save'> = async ({ account, id }) => {
    const stored = await this.#state.run('cases/of', { account, id })
    const made = soundFindings(stored)
    if (!made) throw stored.made ? unknownScope() : notMade()
    if (await this.#rowsChanged(account, stored.entry, made)) throw otherRows()
    const { name, scope } = stored.entry
    return this.#exports.run(account, {
      name: `Case ${name}`,
      ending: 'zip',
      stem: scopedStem(`${this.#accounts.account(account).name} - Case ${name}`, scope),
      write: async (path, signal, progress, csv) => {
        const packed = await this.#pack(path, { account, stored, made, signal, progress, csv })
        const saved = { account, id, savedAt: this.#now(), savedOf: made.madeAt }
        await this.#write(account, this.#state.run('cases/saved', saved)).catch(() => undefined)
        return packed
      },
    })
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

  /** Called when raw reports, downloads or rows of an account changed: requested rows may have arrived. */
  follow(account: AccountId): void {
    this.#requested.follow(account)
  }

  stop(): Promise<void> {
    for (const stop of this.#followed) stop()
    this.#ending.abort()
    return this.#requested.close()
  }

  /** Archives that are known to have all rows of some of a case's instances. */
  async #fitting(account: AccountId, entry: CaseEntry): Promise<RowsFileId[]> {
    const read = await this.#readRows(account, entry.files)
    const files = await filesOfCase(account, entry, read, this.#raw, null)
    const fits = files.filter(
      ({ left, instance, narrowed }) => left === null && instance !== null && narrowed.length === 0,
    )
    return fits.map(({ read: { entry: file } }) => file.id)
  }

  /** Rows of archives. Archives that are not imported are omitted. */
  async #readRows(account: AccountId, files: readonly RowsFileId[]): Promise<readonly ReadRows[]> {
    const known = await this.#archives.questions.readIn(account)
    return files.flatMap((id) => known.get(id) ?? [])
  }

  #now = () => this.#clock.now() as Instant

  /** Writes a change of a case and emits an event. */
  async #write(account: AccountId, writing: Promise<null>): Promise<null> {
    await writing
    this.#events.emit({ kind: 'rows/changed', account })
    return null
  }

  async #shown(account: AccountId, { requests, ...stored }: Case): Promise<ShownCase> {
    const made = soundFindings(stored)
    return {
      ...stored,
      requests: await this.#requested.shown(account, requests),
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
    const stored = await this.#state.run('cases/of', { account, id })
    const [accounts, reports] = [this.#accounts, this.#reports]
    const made = await ofOneScope(async () => {
      const standing = accounts.standingOf(account)
      const dataScope = accounts.dataScopeOf(account)
      const gathered = { ...(await this.#gather(account, stored)), dataScope }
      await agree({ accounts, reports }, account, standing)
      return gathered
    }, this.#ending.signal)
    // New findings replace both: figures must not be lost because newer ones are unavailable.
    for (const had of [soundFindings(stored), stored.before]) {
      const lost = had && lostFigures(had, made)
      if (lost) throw new DeskFailure(lost)
    }
    await this.#write(account, this.#state.run('cases/made', { account, id, made }))
    return await this.read({ account, id })
  }

  async #gather(account: AccountId, { entry, made: before }: Case): Promise<CaseFindings> {
    const { scope } = entry
    const read = await this.#readRows(account, entry.files)
    const files = await filesOfCase(account, entry, read, this.#raw, before)
    const { concerned, lacksInstances, gathered, ...figures } = await figuresOfCase(entry, {
      ...{ account, reports: this.#reports, clock: this.#clock, signal: this.#ending.signal },
      gathered: before?.gathered ?? null,
    })
    const rows = await countRowsOfCase(account, entry, files, this.#archives)
    const absent = entry.files.length - read.length
    const ofRows = [
      ...(absent > 0 ? [gone(absent, entry.files.length)] : []),
      ...lacksInstances,
      ...(files.length > 0 ? lacksOfFiles(entry, files, concerned) : []),
      ...rows.lacks,
    ]
    const counts = files.some(({ left }) => left === null)
    return {
      ...{
        madeAt: this.#now(),
        scope,
        zone: scope.zone,
        service: hostOf(this.#accounts.account(account).address),
      },
      ...figures,
      ...(gathered && { gathered }),
      ...rows,
      instances: concerned.map((instance) => ({
        ...instance,
        archives: files.filter((file) => file.left === null && file.instance?.id === instance.id).length,
      })),
      covers: !counts ? 'none' : ofRows.length === 0 ? 'whole' : 'part',
      lacks: [...ofRows, ...figures.lacks],
    }
  }

  /**
   * Checks that a case is unchanged. The user may update it or change its notes, and arriving rows update it too.
   * @throws DeskFailure `invalid` if the case changed
   */
  async #verify(account: AccountId, { id, entry, before }: Case, made: CaseFindings): Promise<void> {
    const current = await this.#state.run('cases/of', { account, id })
    const isSame = isDeepStrictEqual([current.entry, current.made, current.before], [entry, made, before])
    if (!isSame) throw invalid(changedMeanwhile)
    if (await this.#rowsChanged(account, entry, made)) throw otherRows()
  }

  /** Writes the pack of a case's findings. */
  async #pack(
    path: string,
    {
      account,
      stored,
      made,
      signal,
      progress,
      csv,
    }: {
      readonly account: AccountId
      readonly stored: Case
      readonly made: CaseFindings
      readonly signal: AbortSignal
      readonly progress: (done: number, total: number | null) => void
      readonly csv: CsvForm | undefined
    },
  ): Promise<Pick<JobResult, 'rows' | 'cut'>> {
    // Writers of ZIPs and workbooks are imported on demand.
    const { writePack } = await import('./case-pack.ts')
    const { questions } = this.#archives
    const { id, entry, before } = stored
    const verify = () => this.#verify(account, stored, made)
    await verify()
    const read = await this.#readRows(account, entry.files)
    const archiveOf = (file: RowsFileId) => made.archives.find((archive) => archive.file === file)
    const files = read.map((readRows) => {
      const { left = null, instance = null } = archiveOf(readRows.entry.id) ?? {}
      return { read: readRows, left, instance }
    })
    const request = files.some(({ left }) => left === null) ? rowsOfCase(entry, files) : null
    const names = (await this.#settings.read()).ruleNames.filter((ruleName) => ruleName.account === account)
    const view = writeAddress({ kind: 'cases', id })
    return await writePack(path, {
      ...{ work: workFolder(this.#folder), signal, progress, files: request?.files ?? [] },
      about: {
        ...{ account: this.#accounts.account(account).name, entry, made, before },
        rules: new Map(names.map(({ code, name }) => [code, name])),
      },
      print: () => this.#shell.print(writePrintAddress({ account, view, madeAt: made.madeAt }), signal),
      verify,
      page: (offset, limit) =>
        request &&
        questions.verified(
          account,
          questions.engine.call('page', { ...request, columns: [], offset, limit }, signal),
        ),
      csv: () =>
        request &&
        questions.verified(
          account,
          questions.engine.call('write', { ...request, columns: [], format: 'csv', csv }, signal),
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

const gone = (absent: number, total: number) => ({
  what: 'Archives',
  failure: { kind: 'invalid', message: `${absent} of ${total} are no longer imported.` } as const,
})

const notMade = () => invalid('The case has no figures yet. Update it first.')
const unknownScope = () =>
  invalid('An older version may have counted only one instance. Update the case, then save it.')
const otherRows = () => invalid('The rows have changed since the last update. Update the case, then save it.')
