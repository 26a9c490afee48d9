import type { AccountChange } from '../../../../src-main/accounts/account-book.ts'
import { createRawAsking } from '../../../../src-main/raw/asking/asking.ts'
import type { RawAsking } from '../../../../src-main/raw/asking/asking.ts'
import type { AcceptedReport, KnownList, RawLists } from '../../../../src-main/raw/asking/parts.ts'
import type { CallOptions, Received, ServiceClient } from '../../../../src-main/service/client.ts'
import { ServiceFailure } from '../../../../src-main/service/service-failure.ts'
import type { Store } from '../../../../src-main/store/store.ts'
import type { Account } from '../../../../src-shared/accounts/account.ts'
import { DeskFailure } from '../../../../src-shared/desk/desk-failure.ts'
import type { RawRequestState, StuckRequest } from '../../../../src-shared/raw/asking.ts'
import { checkDraft } from '../../../../src-shared/raw/check-draft.ts'
import { argumentsOf } from '../../../../src-shared/raw/draft.ts'
import type { RawDraft } from '../../../../src-shared/raw/draft.ts'
import type {
  ProcessingLimits,
  RawListRow,
  RawReport,
  RawRequestedAnswer,
} from '../../../../src-shared/service/answers.ts'
import type { AnswerFor, ArgumentsFor, EndpointPath } from '../../../../src-shared/service/endpoints.ts'
import type { FailureKind } from '../../../../src-shared/service/failure.ts'
import { day } from '../../../../src-shared/values/day.ts'
import type { AccountId, InstanceId, Instant, RawReportId } from '../../../../src-shared/values/ids.ts'
import { onTestFinished } from 'vitest'
import { account, firstId, localStore } from '../../store/helpers.ts'

export const noon = Date.parse('2026-11-20T12:00:00Z')

export const draft: RawDraft = {
  type: 'response',
  instance: '101' as InstanceId,
  start: day('2026-11-14'),
  end: day('2026-11-20'),
  name: 'Weekly',
  standard: ['source', 'result'],
  additional: [],
  filters: [],
  email: false,
}

/** What a draft is sent as. */
export function sentAs(changes: Partial<RawDraft> = {}): ArgumentsFor<'raw/request'> {
  const checked = checkDraft({ ...draft, ...changes }, { today: draft.end, additional: 10 })
  if (!checked.ok) throw new Error(JSON.stringify(checked.troubles))
  return argumentsOf(checked.order)
}

/** A clock on which every look takes a millisecond, as between a list and what is done with it. */
export class TickingClock {
  time: number
  #alarms: { readonly at: number; readonly ring: () => void }[] = []

  constructor(start: number = noon) {
    this.time = start
  }

  readonly now = () => (this.time += 1)

  readonly wait = (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const alarm = { at: this.time + milliseconds, ring: resolve }
      this.#alarms.push(alarm)
      signal.addEventListener('abort', () => {
        this.#alarms = this.#alarms.filter((each) => each !== alarm)
        reject(new DOMException('stopped', 'AbortError'))
      })
    })

  /** When the next of those who wait is rung. */
  nextAlarm(): number {
    return Math.min(...this.#alarms.map(({ at }) => at))
  }

  /** Moves time, and rings whoever waited for it. */
  move(milliseconds: number): void {
    this.time += milliseconds
    const due = this.#alarms.filter(({ at }) => at <= this.time)
    this.#alarms = this.#alarms.filter(({ at }) => at > this.time)
    for (const { ring } of due) ring()
  }
}

type Asked = ArgumentsFor<'raw/request'>

/** What becomes of the next request at the service. */
type Reply =
  | { readonly made: boolean; readonly answer: Partial<RawRequestedAnswer> }
  | { readonly made: boolean; readonly failure: Error }

export const failing = (kind: FailureKind, said?: string) =>
  new ServiceFailure({ kind, message: `It is ${kind}.`, ...(said !== undefined && { said }) })

/** A service that makes every report at once and answers, unless a test says otherwise. */
export class FakeService {
  readonly reports: RawReport[] = []
  readonly requests: Asked[] = []
  readonly replies: Reply[] = []
  readonly paths: EndpointPath[] = []
  /** What lists fail with. */
  listFailure: Error | null = null
  recordFailure: Error | null = null
  /** Reports that were made, and are in no list yet. */
  unlisted = new Set<string>()
  limits: ProcessingLimits = {
    minutes_total: 360,
    api_concurrent: null,
    dashboard_concurrent: 2,
    minutes_available: 360,
  }
  /** While set, requests wait for it. */
  gate: Promise<void> | null = null
  readonly #clock: TickingClock
  readonly #seen = new Map<RawReportId, Instant>()
  #known: KnownList | null = null
  /** Whether lists tell of every report. */
  complete = true
  readonly watched: AcceptedReport[] = []

  constructor(clock: TickingClock) {
    this.#clock = clock
  }

  /** Makes a report of an order, running. */
  make(asked: Asked, changes: Partial<RawReport> = {}): RawReport {
    const id = `r${this.reports.length + 1}` as RawReportId
    const report: RawReport = {
      id,
      name: asked.name ?? `Made up ${this.reports.length}`,
      type: asked.type.charAt(0).toUpperCase() + asked.type.slice(1),
      requested: new Date(this.#clock.time).toISOString(),
      ...{ created: null, failed: null, timed_out: null, cancelled: null, alerted: null, expires: null },
      status: 'In Progress',
      unknown: {},
      start: asked.start,
      end: asked.end,
      instance_id: asked.instance as InstanceId,
      instance_name: 'Acme',
      columns: { standard: asked.standard, additional: asked.additional ?? null },
      filters: asked.filters ?? null,
      send_email: asked.send_email ?? true,
      ...{ file_name: null, file_size: null, rows: null, processing_minutes: null },
      ...changes,
    }
    this.reports.push(report)
    return report
  }

  /** All that runs becomes ready. */
  finish(): void {
    const created = new Date(this.#clock.time).toISOString()
    this.reports.forEach((report, place) => (this.reports[place] = { ...report, created, status: 'Ready' }))
  }

  readonly known = async (): Promise<KnownList | null> => this.#known

  readonly accepted = async (report: AcceptedReport): Promise<void> => {
    this.watched.push(report)
  }

  readonly refresh = async (): Promise<KnownList> => {
    const askedAt = this.#clock.now() as Instant
    if (this.listFailure) throw this.listFailure
    const listed = this.reports.filter(({ id }) => !this.unlisted.has(id))
    const seenAt = this.#clock.now() as Instant
    for (const { id } of listed) if (!this.#seen.has(id)) this.#seen.set(id, seenAt)
    this.#known = {
      limits: this.limits,
      askedAt,
      complete: this.complete,
      reports: listed.map((report) => ({
        row: rowOf(report),
        firstSeen: this.#seen.get(report.id) ?? seenAt,
      })),
    }
    return this.#known
  }

  readonly client: ServiceClient = {
    call: async <P extends EndpointPath>(
      path: P,
      given: ArgumentsFor<P>,
      { signal }: CallOptions = {},
    ): Promise<Received<P>> => {
      this.paths.push(path)
      const answer = await this.#answer(path, given, signal)
      return { answer: answer as AnswerFor<P>, text: '', receivedAt: this.#clock.now() as Instant }
    },
    close: () => Promise.resolve(),
  }

  async #answer(path: EndpointPath, given: object, signal: AbortSignal | undefined): Promise<unknown> {
    if (path === 'raw/report' && 'raw' in given) {
      if (this.recordFailure) throw this.recordFailure
      const found = this.reports.find(({ id }) => id === given.raw)
      if (!found) throw failing('not-found')
      return found
    }
    if (path !== 'raw/request') throw new Error(`Nobody asks for ${path} here`)
    const asked = given as Asked
    this.requests.push(asked)
    const reply = this.replies.shift() ?? { made: true, answer: {} }
    const id = reply.made ? this.make(asked).id : null
    const aborted = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
    await (this.gate && Promise.race([this.gate, aborted]))
    if (signal?.aborted) throw failing('cancelled')
    if ('failure' in reply) throw reply.failure
    return { success: true, message: '', feedback: { pass: {}, fail: {} }, id, ...reply.answer }
  }
}

function rowOf({ instance_name, ...report }: RawReport): RawListRow {
  const { id, name, type, requested, created, failed, timed_out, cancelled, status, expires } = report
  const ends = { requested, created, failed, timed_out, cancelled, expires }
  return { id, name, type, status, ...ends, instance: instance_name, unknown: {} }
}

/** A service as asking sees it, and who keeps its lists. */
export type Served = RawLists & { readonly client: ServiceClient }

type Given = {
  readonly store?: Store
  readonly clock?: TickingClock
  readonly zone?: string
  readonly additionalColumns?: number
  /** How many operations of the store there are before the app is killed. */
  readonly operations?: number
  /** Whether it still hears of the last of them, and is killed when it asks for the next. */
  readonly hearsLast?: boolean
}

/** Asking over a real store with one account and any service. */
export async function worldOver(service: Served, given: Given = {}) {
  const clock = given.clock ?? new TickingClock()
  const kept = given.store ?? localStore()
  const accounts: Account[] = [account({ dayZone: given.zone ?? 'UTC' })]
  for (const each of accounts) await kept.run('accounts/put', each)
  const listeners = new Set<(change: AccountChange) => void>()
  const events: AccountId[] = []
  const stuck: StuckRequest[] = []
  let left = given.operations ?? Infinity
  let die = () => {}
  const died = new Promise<void>((resolve) => (die = resolve))
  const never = new Promise<never>(() => undefined)
  /** A process that was killed neither writes nor asks nor hears anything any more. */
  const store: Store = {
    ...kept,
    run: (name, argument) => {
      left -= 1
      if (left < 0) {
        die()
        return never
      }
      const result = kept.run(name, argument)
      if (left > 0 || given.hearsLast) return result
      die()
      return never
    },
  }
  const abandon = () => {
    left = 0
    die()
  }
  const connecting: { failure: Error | null } = { failure: null }
  const asking: RawAsking = createRawAsking({
    store,
    clock,
    lists: service,
    book: {
      list: () => accounts,
      account: (id) => {
        const found = accounts.find((each) => each.id === id)
        if (!found) throw new DeskFailure({ kind: 'invalid', message: 'This account has been removed.' })
        return found
      },
      clientFor: async () => {
        if (connecting.failure) throw connecting.failure
        return service.client
      },
      onChange: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    settings: async () => ({ additionalColumns: given.additionalColumns ?? 10 }),
    stuck: (request) => stuck.push(request),
    emit: (_name, event) => events.push(event.account),
  })
  onTestFinished(() => (left > 0 ? asking.close() : undefined))
  asking.begin()
  if (left === Infinity) await asking.atRest()
  const ask = (changes: Partial<RawDraft> = {}) =>
    asking.request({ account: firstId, draft: { ...draft, ...changes }, template: null })
  /** Each request of the queue, as its name and where it stands. */
  const queue = async () => {
    const { requests } = await asking.queue({ account: firstId })
    return requests.map((each) => `${each.draft.name}: ${wordsOf(each.state)}`)
  }
  const idOf = async (name: string) => {
    const { requests } = await asking.queue({ account: firstId })
    const found = requests.find((each) => each.draft.name === name)
    if (!found) throw new Error(`Nothing of the name ${name} is in the queue`)
    return found.id
  }
  /** Lets time pass, and all that follows happen. */
  const pass = async (milliseconds: number) => {
    await asking.atRest()
    clock.move(milliseconds)
    await settled()
    await asking.atRest()
  }
  const tell = (change: AccountChange) => listeners.forEach((listener) => listener(change))
  return {
    ...{ asking, store: kept, clock, accounts, events, stuck, connecting, abandon, died },
    ...{ ask, queue, idOf, pass, tell },
  }
}

export type World = Awaited<ReturnType<typeof worldWith>>

/** The same over a service that does as it is told. */
export async function worldWith(given: Given & { readonly service?: FakeService } = {}) {
  const clock = given.clock ?? new TickingClock()
  const service = given.service ?? new FakeService(clock)
  const world = await worldOver(service, { ...given, clock })
  /** A new list is there, as whoever watches tells. */
  const relist = async () => {
    await service.refresh()
    world.asking.listChanged(firstId)
    await world.asking.atRest()
  }
  return { ...world, service, relist }
}

export const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

const wordsOf = (state: RawRequestState) => (state.as === 'waiting' ? state.for : state.as)
