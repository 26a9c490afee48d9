import { join } from 'node:path'
import { expect } from 'vitest'
import { Accounts } from '#main/accounts/accounts.ts'
import { serveEngine } from '#main/analytics/engine-server.ts'
import { readHead } from '#main/analytics/history-layout.ts'
import type { Store } from '#main/database/open-store.ts'
import { openSession } from '#main/database/store-session.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import type { EngineCalls } from '#main/reports/engine/table-calls.ts'
import { figuresOperations } from '#main/reports/engine/table-operations.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Turn } from '#main/sandbox/contracts.ts'
import { inProcessChannel } from '#main/workers/rpc-client.ts'
import { serveRpc } from '#main/workers/rpc-server.ts'
import type { ArgumentOf, ResultOf } from '#main/workers/rpc.ts'
import { failureOf } from '#shared/api/failure.ts'
import { plainTable, subjectOf } from '#shared/reports/query.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { addDays, daysOf, lengthOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { AccountId, DataScopeId, InstanceId } from '#shared/values/ids.ts'
import { serviceInProcess } from '#test/helpers/service-in-process.ts'
import type { ServiceInProcess } from '#test/helpers/service-in-process.ts'
import { storeOver } from '#test/src-main/database/helpers.ts'
import { FakeKeychain, never } from '../accounts/helpers.ts'
import { countedOf, GrowingCounts, labels } from './growing-counts.ts'
import { wrongInCase } from './moment-case-oracle.ts'
import { CasesOfAccount } from './moment-cases.ts'
import type { CaseAbout } from './moment-cases.ts'
import { ReadBackExports, wrongInFile } from './moment-exports.ts'
import type { FileFormat, ToWrite } from './moment-exports.ts'
import { countedIn, isSame, Oracle, partOf, subsetsOf, wrongInAnswer, wrongInTrend } from './moment-oracle.ts'
import type { Scope } from './moment-oracle.ts'
import { newReports } from './new-reports.ts'

type OfRange = { readonly range: DayRange; readonly part: 'all' | 'source' | 'instance' }

export type Step =
  | (OfRange & {
      readonly kind: 'table' | 'page' | 'overview' | 'by day' | 'sources' | 'campaigns'
      readonly force: boolean
    })
  /** `before` are other days, with which they are compared. */
  | (OfRange & { readonly kind: 'keep whole' | 'change'; readonly before: DayRange })
  /** A table is written into a file. */
  | {
      readonly kind: 'export'
      readonly range: DayRange
      readonly format: FileFormat
      readonly of: 'devices' | 'sources' | 'a page' | 'Overview'
      /** Beside as many days from this one on. */
      readonly compared: boolean
      readonly before: DayRange
    }
  /** A case is made, or the last one is made again. */
  | { readonly kind: 'make'; readonly range: DayRange; readonly about: CaseAbout; readonly again: boolean }
  /** The evidence of the last case is written; its pages are printed at once, or after the update that goes on. */
  | { readonly kind: 'pack'; readonly isSlow: boolean }
  /** The list of instances is read, as it is when nothing else is asked. */
  | { readonly kind: 'look' }
  | { readonly kind: 'later'; readonly minutes: number }
  | { readonly kind: 'restate'; readonly day: Day }
  | { readonly kind: 'away'; readonly isAway: boolean }
  /** From now on the token sees these. The list of instances need not be read before the next change. */
  | { readonly kind: 'rights'; readonly instances: Scope }
  | { readonly kind: 'restart' }

/** One profile folder, one store and one engine for every life: only accounts are new. */
export type Room = {
  readonly counts: GrowingCounts
  readonly service: ServiceInProcess
  readonly store: Store
  readonly folder: string
  readonly history: string
  readonly openEngine: () => ReturnType<typeof inProcessChannel>
  readonly end: () => Promise<void>
}

/** The engine's calls as somebody has them who passes them on. */
type Forwarded = {
  readonly [N in keyof EngineCalls]: (asked: ArgumentOf<EngineCalls[N]>) => Promise<ResultOf<EngineCalls[N]>>
}

export function roomFor(folder: string): Room {
  const counts = new GrowingCounts()
  const service = serviceInProcess(7, counts.events(), counts.clock)
  const history = join(folder, 'history')
  const session = openSession(folder, undefined, counts.clock.now)
  const folders = { history, temporary: `${history}-work` }
  const engine = startEngine({
    open: () => inProcessChannel(async (port) => serveEngine(port, folders, figuresOperations)),
    idle: 3_600_000,
  })
  const calls: Forwarded = {
    table: (asked) => engine.call('table', asked),
    narrowed: (asked) => engine.call('narrowed', asked),
    rowsOf: (asked) => engine.call('rowsOf', asked),
    movers: (asked) => engine.call('movers', asked),
    explain: (asked) => engine.call('explain', asked),
    judge: (asked) => engine.call('judge', asked),
    snapshot: (asked) => engine.call('snapshot', asked),
    parquet: (asked) => engine.call('parquet', asked),
    names: (asked) => engine.call('names', asked),
    differences: (asked) => engine.call('differences', asked),
    stage: (asked) => engine.call('stage', asked),
    write: (asked) => engine.call('write', asked),
    discard: (asked) => engine.call('discard', asked),
    rowByDay: (asked) => engine.call('rowByDay', asked),
    join: (asked) => engine.call('join', asked),
    isSorted: (asked) => engine.call('isSorted', asked),
    inspect: (asked) => engine.call('inspect', asked),
    entries: (asked) => engine.call('entries', asked),
    look: (asked) => engine.call('look', asked),
  }
  return {
    ...{ counts, service, folder, history },
    store: storeOver(session),
    openEngine: () =>
      inProcessChannel(async (port) => {
        serveRpc<Forwarded>(port, calls, async () => port.close())
      }),
    end: async () => {
      await engine.close()
      session.close()
    },
  }
}

const limitsOf = ({ part }: OfRange) => ({
  instance: part === 'instance' ? (labels.sessions[0] ?? null) : null,
  source: part === 'source' ? (labels.sources[0] ?? null) : null,
})
const tableOf = (of: OfRange, dimension: TableQuery['dimension']): TableQuery => ({
  ...{ ...plainTable, family: 'script', dimension, range: of.range, limit: 1000, whole: true },
  ...limitsOf(of),
})
const overviewOf = (of: OfRange): OverviewQuery => ({
  ...{ kind: 'overview', family: 'script', range: of.range, campaign: null, chart: false },
  ...limitsOf(of),
})

/** How an account is used: what its token sees at first, and whether it is ever quiet for long enough to look at that. */
export type Circumstances = { readonly turns: readonly Turn[]; readonly isQuiet: boolean }

/** An account whose figures are shown and written while time passes and its token sees others. */
export class AccountLife {
  readonly #room: Room
  readonly #oracle: Oracle
  readonly #keychain = new FakeKeychain()
  readonly #clock: Clock
  /** What was asked, to be asked once more of what is stored. */
  readonly #asked = new Map<string, ReportQuery>()
  #events = new AppEvents()
  #accounts: Accounts
  #reports: Reports
  #files: ReadBackExports
  #cases: CasesOfAccount
  #account: AccountId | null = null
  readonly #seen = { figures: 0, doubtful: 0 }

  private constructor(room: Room, { isQuiet }: Circumstances) {
    this.#room = room
    this.#oracle = new Oracle(room.counts, room.service)
    // A second without a request never comes where it is not quiet.
    const wait = (milliseconds: number) =>
      milliseconds === 1000 && !isQuiet ? never : new Promise<void>((resolve) => setImmediate(resolve))
    this.#clock = { now: room.counts.clock.now, wait }
    this.#accounts = this.#newAccounts()
    this.#reports = this.#newReports()
    this.#cases = this.#newCases()
    this.#files = this.#newFiles()
  }

  static async begin(room: Room, circumstances: Circumstances): Promise<AccountLife> {
    const { counts, service } = room
    counts.reset()
    service.reset(circumstances.turns)
    const life = new AccountLife(room, circumstances)
    await life.#accounts.open()
    const { id } = await life.#accounts.connect({
      ...{ name: 'Acme', address: 'https://reports.example', token: service.token },
      ...{ storage: 'session', bodyEncoding: 'json' },
    })
    life.#account = id
    return life
  }

  /** How many figures were looked at, how many of them say that they are doubtful, and how many are excused. */
  get seen() {
    return { ...this.#seen, excused: this.#oracle.excused }
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
    const { counts, service } = this.#room
    switch (step.kind) {
      case 'later':
        return counts.pass(step.minutes * 60_000)
      case 'restate':
        return counts.restate(step.day)
      case 'away':
        service.isAway = step.isAway
        return
      case 'rights':
        return service.take([{ requests: 1, instances: [...step.instances] }])
      case 'look':
        await this.#accounts.confirm(this.#id)
        return
      case 'restart':
        return this.#restart()
      case 'export':
        return this.#write(step)
      case 'make':
        return this.#make(step)
      case 'pack': {
        const wrong = await this.#cases.pack(this.#id, step.isSlow)
        expect(wrong).toBeNull()
        return
      }
      case 'change':
        return this.#pair(step)
      case 'by day':
        return this.#askByDay(overviewOf(step), step.force)
      case 'keep whole':
        await this.#reports
          .storeWhole({
            ...{ account: this.#id, query: tableOf(step, 'devices'), progress: () => undefined },
            signal: new AbortController().signal,
          })
          .catch(noFault)
        return
      case 'table':
        return this.#ask(tableOf(step, step.part === 'all' ? 'devices' : 'sessions'), step.force)
      case 'page':
        return this.#ask({ ...tableOf(step, 'devices'), whole: false }, step.force)
      case 'overview':
        return this.#ask(overviewOf(step), step.force)
      case 'sources':
      case 'campaigns':
        return this.#ask(tableOf({ ...step, part: 'all' }, step.kind), step.force)
    }
  }

  async #restart(): Promise<void> {
    await this.#stop()
    this.#accounts = this.#newAccounts()
    this.#reports = this.#newReports()
    this.#cases = this.#newCases()
    this.#files = this.#newFiles()
    await this.#accounts.open()
  }

  /** What is not answered shows no figure. */
  async #ask(query: ReportQuery, force: boolean, scopes?: readonly Scope[]): Promise<void> {
    this.#asked.set(JSON.stringify(query), query)
    const answer = await this.#reports.ask({ account: this.#id, query, force }).catch(noFault)
    if (!answer) return
    const { provenance } = answer
    this.#look(wrongInAnswer(this.#oracle, answer, scopes), answer, provenance.doubt !== null)
  }

  async #askByDay(query: OverviewQuery, force: boolean): Promise<void> {
    const answer = await this.#reports.trend({ account: this.#id, query, force }).catch(noFault)
    if (answer)
      this.#look(wrongInTrend(this.#oracle, answer, query), answer, answer.provenance.doubt !== null)
  }

  async #write({ range, format, of, ...beside }: Extract<Step, { kind: 'export' }>): Promise<void> {
    const dimension = of === 'sources' ? of : 'devices'
    const all = { range, part: 'all' } as const
    const table = { ...tableOf(all, dimension), dimension, whole: of !== 'a page' } as const
    const query = of === 'Overview' ? overviewOf(all) : table
    const { start } = beside.before
    const before = beside.compared ? { start, end: addDays(start, lengthOf(range) - 1) } : null
    const asked: ToWrite = { query, format, before }
    const written = await this.#files.write(this.#id, asked)
    if (written) this.#look(wrongInFile(written, asked, this.#oracle), { asked, written })
  }

  async #make({ range, about, again }: Extract<Step, { kind: 'make' }>): Promise<void> {
    const made = await this.#cases.make(this.#id, about, range, again)
    if (made) this.#look(wrongInCase(this.#oracle, made), made, made.made.lacks.length > 1)
  }

  async #pair(step: Extract<Step, { kind: 'keep whole' | 'change' }>): Promise<void> {
    const { before } = step
    const query = overviewOf({
      ...step,
      range: { ...step.range, end: addDays(step.range.start, lengthOf(before) - 1) },
    })
    const answer = await this.#reports.paired({ account: this.#id, query, before }).catch(noFault)
    if (!answer?.sides) return
    const { now, before: then } = answer.sides
    const others = daysOf(before)
    const pairs = daysOf(query.range).map((day, nth) => [day, others[nth] ?? day] as const)
    const isOf = (scope: Scope, days: readonly Day[], total: typeof now.total) =>
      this.#oracle.find(
        this.#oracle.anyOf(days),
        (_, levels) => isSame(countedOf(scope, levels, partOf(query)), countedIn(total)),
        [scope],
      ) !== null
    const isRight = (scope: Scope, some: readonly (readonly [Day, Day])[]) => {
      const [days, earlier] = [some.map(([day]) => day), some.map(([, day]) => day)]
      return isOf(scope, days, now.total) && isOf(scope, earlier, then.total)
    }
    const sets = subsetsOf(pairs).filter((some) => some.length === answer.compared.days)
    const isOfOne =
      answer.doubt !== null ||
      this.#oracle.scopes().some((scope) => sets.some((some) => isRight(scope, some))) ||
      this.#oracle.isExcused(pairs.flat())
    this.#look(isOfOne ? null : 'the sides are of no scope', answer, answer.doubt !== null)
  }

  #look(wrong: string | null, figures: object, isDoubtful = false): void {
    const { served } = this.#room.service
    if (wrong !== null) throw new Error(`${wrong}: ${JSON.stringify({ figures, served })}`)
    this.#seen.figures += 1
    if (isDoubtful) this.#seen.doubtful += 1
  }

  /** Nothing is left under a data scope that is not of its scope, and nothing else is shown of what is stored. */
  async checkStored(): Promise<void> {
    const { store, service, counts } = this.#room
    service.isAway = false
    // What was given up is about to be kept, or let go with what was noted of it.
    await this.#restart()
    await this.#accounts.confirm(this.#id)
    await this.#accounts.confirm(this.#id)
    const dataScopes = (await store.run('data-scopes/list', undefined)).filter(
      ({ account }) => account === this.#id,
    )
    const subjects = new Set([...this.#asked.values()].map(subjectOf))
    for (const { id, scope: of, until } of dataScopes) {
      const scope = JSON.parse(of?.scope ?? '[]') as InstanceId[]
      for (const subject of subjects) await this.#checkTables(id, subject, scope)
      if (counts.restated.size === 0) expect(await store.run('restatements/marks', id)).toEqual([])
      if (until !== null) continue
      service.isAway = true
      for (const query of this.#asked.values()) await this.#ask(query, false, [scope])
    }
  }

  async #checkTables(dataScope: DataScopeId, subject: string, scope: Scope): Promise<void> {
    const query = [...this.#asked.values()].find((each) => subjectOf(each) === subject)
    const tables = await this.#room.store.run('tables/list', { dataScope, subject })
    for (const { head, range, fetchedAt, doubt } of query ? tables : []) {
      const stored = countedIn(readHead(head)?.total ?? {})
      const provenance = { fetchedAt, missing: [], from: 'stored' } as const
      const choices = this.#oracle.choicesOf({
        provenance,
        range,
        composed: subject.includes('sources') || subject.includes('campaigns'),
      })
      const part = query ? partOf(query) : {}
      const found = this.#oracle.find(
        choices,
        (_, levels) => isSame(countedOf(scope, levels, part), stored),
        [scope],
      )
      const isRight = found !== null || doubt !== null || this.#oracle.isExcused(daysOf(range))
      this.#look(isRight ? null : 'it is stored of another scope', {
        subject,
        range,
        stored,
        scope,
      })
    }
  }

  async end(): Promise<void> {
    await this.#stop(() => this.#accounts.remove(this.#id))
  }

  async #stop(before: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    await this.#cases.stop()
    await this.#files.end()
    await this.#reports.stop()
    await before()
    await this.#accounts.stop()
  }

  #newFiles(): ReadBackExports {
    const print = (address: string) => this.#cases.print(address)
    return new ReadBackExports(this.#room.folder, {
      ...{ accounts: this.#accounts, reports: this.#reports, events: this.#events },
      ...{ now: this.#clock.now, print },
    })
  }

  #newCases(): CasesOfAccount {
    const { store, folder } = this.#room
    return new CasesOfAccount({
      ...{ store, folder, accounts: this.#accounts, reports: this.#reports, events: this.#events },
      ...{ clock: this.#clock, files: () => this.#files },
    })
  }

  #newAccounts(): Accounts {
    const { service, store } = this.#room
    const noSample = () => Promise.reject(new Error('No sample here'))
    this.#events = new AppEvents()
    return new Accounts({
      ...{ store, keychain: this.#keychain, createClient: service.client, startSample: noSample },
      ...{ events: this.#events, clock: this.#clock },
    })
  }

  #newReports(): Reports {
    const { store, history, openEngine } = this.#room
    return newReports({
      ...{ store, accounts: this.#accounts, events: this.#events, clock: this.#clock },
      ...{ historyFolder: history, openEngine },
    })
  }
}

/** A failure shows no figure; one of the app itself is a fault. */
function noFault(error: unknown): null {
  expect(failureOf(error)).not.toMatchObject({ kind: 'internal' })
  return null
}
