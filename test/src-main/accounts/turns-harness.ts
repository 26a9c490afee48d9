import { expect } from 'vitest'
import { AccountStore } from '#main/accounts/account-store.ts'
import { serveEngine } from '#main/analytics/engine-server.ts'
import { figuresOperations } from '#main/reports/engine/table-operations.ts'
import type { EngineCalls } from '#main/reports/engine/table-calls.ts'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import { Reports } from '#main/reports/figures.ts'
import { readHead } from '#main/analytics/history-layout.ts'
import { lineHere } from '#main/workers/rpc-client.ts'
import type { ArgumentOf, ResultOf } from '#main/workers/rpc.ts'
import { serveRpc } from '#main/workers/rpc-server.ts'
import { openSession } from '#main/database/store-session.ts'
import type { Store } from '#main/database/open-store.ts'
import { plainTable, subjectOf } from '#shared/reports/query.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { addDays, day, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { AccountId, InstanceId, DataScopeId } from '#shared/values/ids.ts'
import type { ServiceInProcess } from '#test/helpers/service-in-process.ts'
import { FakeKeychain } from './helpers.ts'
import { storeOver } from '#test/src-main/database/helpers.ts'
import { ExportsUnderTurns, wrongIn } from './turns-export.ts'
import type { FileFormat, ToWrite } from './turns-export.ts'
import { countedIn, isSame, oracleOf } from './turns-oracle.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { join } from 'node:path'

export type Step =
  | {
      readonly kind: 'table' | 'page' | 'overview' | 'keep whole' | 'compose' | 'refresh' | 'change'
      readonly range: DayRange
    }
  /** A table is written into a file. */
  | {
      readonly kind: 'export'
      readonly range: DayRange
      readonly format: FileFormat
      readonly of: 'devices' | 'sources' | 'a page' | 'Overview'
      /** Beside as many days from the first of the month. */
      readonly compared: boolean
    }
  /** The list of instances is read, as it is when nothing else is asked. */
  | { readonly kind: 'look' }
  | { readonly kind: 'later'; readonly seconds: number }
  | { readonly kind: 'restart' }

/** One profile folder, one store and one engine for every life: only accounts are new. */
export type Room = {
  readonly service: ServiceInProcess
  readonly store: Store
  readonly folder: string
  readonly history: string
  readonly openEngine: () => ReturnType<typeof lineHere>
  readonly end: () => Promise<void>
}

/** The engine's calls as somebody has them who passes them on. */
type Forwarded = {
  readonly [N in keyof EngineCalls]: (asked: ArgumentOf<EngineCalls[N]>) => Promise<ResultOf<EngineCalls[N]>>
}

export function roomFor(folder: string, service: ServiceInProcess): Room {
  const history = join(folder, 'history')
  const session = openSession(folder)
  const folders = { history, temporary: `${history}-work` }
  const engine = startEngine({
    open: () => lineHere(async (port) => serveEngine(port, folders, figuresOperations)),
    idle: 3_600_000,
  })
  const calls: Forwarded = {
    table: (asked) => engine.call('table', asked),
    narrowed: (asked) => engine.call('narrowed', asked),
    rowsOf: (asked) => engine.call('rowsOf', asked),
    movers: (asked) => engine.call('movers', asked),
    explain: (asked) => engine.call('explain', asked),
    snapshot: (asked) => engine.call('snapshot', asked),
    names: (asked) => engine.call('names', asked),
    differences: (asked) => engine.call('differences', asked),
    stage: (asked) => engine.call('stage', asked),
    write: (asked) => engine.call('write', asked),
    discard: (asked) => engine.call('discard', asked),
    join: (asked) => engine.call('join', asked),
    inspect: (asked) => engine.call('inspect', asked),
    isSorted: (asked) => engine.call('isSorted', asked),
    entries: (asked) => engine.call('entries', asked),
    look: (asked) => engine.call('look', asked),
  }
  return {
    ...{ service, folder, history },
    store: storeOver(session),
    openEngine: () =>
      lineHere(async (port) => {
        serveRpc<Forwarded>(port, calls, async () => port.close())
      }),
    end: async () => {
      await engine.close()
      session.close()
    },
  }
}

const startedAt = Date.parse('2026-11-20T12:00:00Z')
const devices = (range: DayRange): TableQuery => ({
  ...{ ...plainTable, family: 'script', dimension: 'devices', range, limit: 1000, whole: true },
})
const bySource = (range: DayRange): TableQuery => ({ ...devices(range), dimension: 'sources' })
const overview = (range: DayRange): OverviewQuery => ({
  ...{
    kind: 'overview',
    family: 'script',
    range,
    instance: null,
    source: null,
    campaign: null,
    chart: false,
  },
})

/** An account of which the token sees others from time to time. */
export class LifeUnderTurns {
  readonly #room: Room
  readonly #scopes: readonly (readonly InstanceId[])[]
  readonly #keychain = new FakeKeychain()
  readonly #clock = { moved: 0, now: () => startedAt + this.#clock.moved, wait: () => Promise.resolve() }
  #events = new AppEvents()
  #accounts: AccountStore
  #reports: Reports
  #exported: ExportsUnderTurns
  #account: AccountId | null = null
  /** How many answers were looked at. */
  shown = 0

  private constructor(room: Room, scopes: readonly (readonly InstanceId[])[]) {
    this.#room = room
    this.#scopes = scopes
    this.#accounts = this.#newBook()
    this.#reports = this.#newReports()
    this.#exported = this.#newExports()
  }

  static async begin(room: Room, scopes: readonly (readonly InstanceId[])[]): Promise<LifeUnderTurns> {
    const life = new LifeUnderTurns(room, scopes)
    await life.#accounts.open()
    const { id } = await life.#accounts.connect({
      ...{ name: 'Acme', address: 'https://reports.example', token: room.service.token },
      ...{ storage: 'session', bodyEncoding: 'json' },
    })
    life.#account = id
    return life
  }

  get #id(): AccountId {
    if (this.#account === null) throw new TypeError('It has no account')
    return this.#account
  }

  async take(batch: readonly Step[]): Promise<void> {
    // A restart ends whatever goes on beside it.
    const alone = batch.find(({ kind }) => kind === 'restart')
    await Promise.all((alone ? [alone] : batch).map((step) => this.#take(step)))
  }

  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'later':
        this.#clock.moved += step.seconds * 1000
        return
      case 'look':
        await this.#accounts.confirm(this.#id)
        return
      case 'restart': {
        await this.#exported.end()
        await this.#reports.stop()
        await this.#accounts.stop()
        this.#accounts = this.#newBook()
        this.#reports = this.#newReports()
        this.#exported = this.#newExports()
        await this.#accounts.open()
        return
      }
      case 'export':
        return this.#write(step)
      case 'table':
        return this.#ask(devices(step.range))
      case 'page':
        return this.#ask({ ...devices(step.range), whole: false })
      case 'overview':
        return this.#ask(overview(step.range))
      case 'compose':
        return this.#ask(bySource(step.range), true)
      case 'refresh':
        return this.#ask(devices(step.range), true)
      case 'change':
        return this.#pair(step.range)
      case 'keep whole':
        await this.#reports
          .storeWhole({
            ...{ account: this.#id, query: devices(step.range), progress: () => undefined },
            signal: new AbortController().signal,
          })
          .catch(() => undefined)
    }
  }

  /** What is not answered shows no figure. */
  async #ask(query: ReportQuery, force = false): Promise<void> {
    const answer = await this.#reports.ask({ account: this.#id, query, force }).catch(() => null)
    if (answer !== null) this.#check(answer, query.range)
  }

  async #write({ range, format, of, compared }: Extract<Step, { kind: 'export' }>): Promise<void> {
    const dimension = of === 'sources' ? of : 'devices'
    const table = { ...devices(range), dimension, whole: of !== 'a page' } as const
    const query = of === 'Overview' ? overview(range) : table
    const first = day('2026-11-01')
    const before = compared ? { start: first, end: addDays(first, daysOf(range).length - 1) } : null
    const asked: ToWrite = { query, format, before }
    const written = await this.#exported.write(this.#id, asked)
    if (written === null) return
    const wrong = wrongIn(written, asked, oracleOf(this.#room.service), this.#scopes)
    expect({ wrong, asked, written }).toMatchObject({ wrong: null })
    this.shown += 1
  }

  async #pair(range: DayRange): Promise<void> {
    const before = { start: '2026-11-01' as Day, end: '2026-11-01' as Day }
    const asked = { account: this.#id, query: overview({ ...range, end: range.start }), before, labels: [] }
    const { sides } = await this.#reports.paired(asked).catch(() => ({ sides: null }))
    if (sides === null) return
    const [now, then] = [countedIn(sides.now.total), countedIn(sides.before.total)]
    const oracle = oracleOf(this.#room.service)
    const isOfOne = this.#scopes.some(
      (scope) =>
        isSame(oracle.of(scope, [range.start]), now) && isSame(oracle.of(scope, [before.start]), then),
    )
    expect({ isOfOne, now, then }).toMatchObject({ isOfOne: true })
    this.shown += 1
  }

  #check({ kind, figures, provenance }: ReportAnswer, range: DayRange): void {
    const days = daysOf(range).filter((day) => !provenance.missing.includes(day))
    const oracle = oracleOf(this.#room.service)
    const total = countedIn(figures.total)
    const rows = kind === 'table' && 'table' in figures ? figures.table : null
    const column = (header: string) => (rows?.headers.indexOf(header) ?? 0) - 1
    const [good, bad] = [column('Good'), column('Bad')]
    const dimension = kind === 'table' && rows?.headers[0] === 'Source' ? 'sources' : 'devices'
    const cellsAre = (scope: readonly InstanceId[]) =>
      (rows?.rows ?? []).every(({ label, cells }) => {
        const text = label.kind === 'text' ? label.text : ''
        if (!oracle.labels[dimension].has(text)) return true
        const said = { good: Number(cells[good]), bad: Number(cells[bad]) }
        return isSame(oracle.of(scope, days, `${dimension} ${text}`), said)
      })
    const isOfOne = this.#scopes.some((scope) => isSame(oracle.of(scope, days), total) && cellsAre(scope))
    const restated = provenance.restated
    expect({ isOfOne, restated, total, days }).toMatchObject({ isOfOne: true, restated: null })
    this.shown += 1
  }

  /** Nothing is left under an owner that is not of its scope. */
  async checkStored(): Promise<void> {
    // What was given up is about to be kept, or let go with what was noted of it.
    await this.#reports.stop()
    await this.#accounts.confirm(this.#id)
    await this.#accounts.confirm(this.#id)
    const { store } = this.#room
    const owners = (await store.run('owners/list', undefined)).filter(({ account }) => account === this.#id)
    const range = { start: '2026-11-01' as Day, end: '2026-11-01' as Day }
    const subjects = [devices(range), bySource(range), overview(range)].map(subjectOf)
    for (const { id, scope: of } of owners) {
      const scope = JSON.parse(of?.scope ?? '[]') as InstanceId[]
      for (const subject of subjects) await this.#checkTables(id, subject, scope)
      expect(await store.run('restatements/marks', id)).toEqual([])
    }
  }

  async #checkTables(owner: DataScopeId, subject: string, scope: readonly InstanceId[]): Promise<void> {
    const tables = await this.#room.store.run('tables/list', { owner, subject })
    const oracle = oracleOf(this.#room.service)
    for (const { head, range } of tables) {
      const stored = countedIn(readHead(head)?.total ?? {})
      expect({ subject, range, ...stored }).toEqual({ subject, range, ...oracle.of(scope, daysOf(range)) })
    }
  }

  async end(): Promise<void> {
    await this.#exported.end()
    await this.#reports.stop()
    await this.#accounts.remove(this.#id)
    await this.#accounts.stop()
  }

  #newExports(): ExportsUnderTurns {
    return new ExportsUnderTurns(this.#room.folder, this.#accounts, this.#reports, this.#clock.now)
  }

  #newBook(): AccountStore {
    const { service, store } = this.#room
    const create = () => service.client(this.#clock.now)
    const noSample = () => Promise.reject(new Error('No sample here'))
    this.#events = new AppEvents()
    return new AccountStore(store, this.#keychain, create, noSample, this.#events, this.#clock)
  }

  #newReports(): Reports {
    const { store, history, openEngine } = this.#room
    return new Reports(
      store,
      this.#accounts,
      this.#events,
      this.#clock,
      history,
      openEngine,
      undefined,
      () => 0,
    )
  }
}
