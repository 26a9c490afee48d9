import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AccountEvent, AppEventOf } from '#main/lib/app-events.ts'
import type { CallOptions, ServiceClient, Received } from '#main/api/client.ts'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import type { Channel } from '#main/workers/rpc.ts'
import type { Store } from '#main/database/open-store.ts'
import type { JobProgress } from '#shared/app/jobs.ts'
import type { Notice } from '#shared/app/state.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import type { ArgumentsFor, EndpointPath } from '#shared/api/endpoints.ts'
import type { FailureKind } from '#shared/api/failure.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { account, firstId, localStore, temporaryFolder } from '../database/helpers.ts'
import { accountsOf } from './accounts-of.ts'
import { HandClock } from './clock.ts'
import { engineChannel } from './engine/engine-thread.ts'
import { newReports } from './new-reports.ts'

export const now = '2026-11-20T12:00:00Z'

/** A query about days that still move. */
export const recent: OverviewQuery = {
  kind: 'overview',
  family: 'direct',
  range: { start: day('2026-11-14'), end: day('2026-11-20') },
  instance: null,
  source: null,
  campaign: null,
  chart: false,
}

/** A query about days that do not change any more. */
export const settledDays: OverviewQuery = {
  ...recent,
  range: { start: day('2026-11-01'), end: day('2026-11-07') },
}

/** Where kept tables lie, and how the engine begins, for a profile folder. */
export const historyIn = (folder: string) => {
  const history = join(folder, 'history')
  return { historyFolder: history, openEngine: () => engineChannel(history) }
}

type Asked = { readonly path: EndpointPath; readonly given: object; readonly options: CallOptions }

/** A service whose next answers are laid out by the test. */
export class FakeService implements ServiceClient {
  readonly asked: Asked[] = []
  /** What every call fails with; null while the service answers. */
  failure: FailureKind | null = null
  /** The one path that `failure` is about; null for all. */
  failing: EndpointPath | null = null
  /** The figure in every answer. */
  suspect = 1
  /** While set, calls wait for it, and do not care whether anyone cancelled. */
  gate: Promise<void> | null = null
  /** What it answers, where a test says so itself. */
  answering: ((path: EndpointPath, given: object) => object | Promise<object>) | null = null
  instances: readonly { readonly id: number; readonly name: string }[] = [{ id: 1, name: 'First' }]
  readonly #clock: HandClock

  constructor(clock: HandClock) {
    this.#clock = clock
  }

  readonly call = async <P extends EndpointPath>(
    path: P,
    given: ArgumentsFor<P>,
    options: CallOptions = {},
  ): Promise<Received<P>> => {
    this.asked.push({ path, given, options })
    const failure = this.failing === null || this.failing === path ? this.failure : null
    const text = this.answering ? JSON.stringify(await this.answering(path, given)) : this.#text(path)
    await this.gate
    if (failure !== null) throw new ServiceFailure({ kind: failure, message: `It is ${failure}.` })
    return { answer: decodeAnswer(path, text), text, receivedAt: this.#clock.now() as Instant }
  }

  readonly close = async () => {}

  /** How often a path was asked. */
  count(path: EndpointPath): number {
    return this.asked.filter((each) => each.path === path).length
  }

  #text(path: EndpointPath): string {
    const page = { page: 1, limit: 1000, results: this.instances.length, pages: 1 }
    return path === 'interface/instances'
      ? JSON.stringify({ instances: this.instances.map((each) => ({ ...each, status: 1 })), query: page })
      : JSON.stringify({ total: { suspect: this.suspect, nonsuspect: 5, mobile: null }, query: {} })
  }
}

type Event = { readonly name: string; readonly key?: string; readonly state?: string } & Partial<JobProgress>

/** The figures over a real store, with one account and everything else at hand. */
export async function desk(
  options: {
    store?: Store
    folder?: string
    watching?: boolean
    /** Stands between the reports and the engine. */
    between?: (channel: Channel) => Channel
  } = {},
) {
  const { folder = temporaryFolder(), watching = false, between = (channel: Channel) => channel } = options
  const places = historyIn(folder)
  const store = options.store ?? localStore(folder)
  const clock = new HandClock(now)
  const service = new FakeService(clock)
  await store.run('accounts/put', account())
  const { accounts, stored } = accountsOf(account(), service)
  const events: Event[] = []
  const bus = eventsTo((event) => {
    if (event.kind === 'connection/changed') events.push({ name: event.kind, state: event.connection.kind })
    else if (event.kind === 'notice/shown') notices.push(event.notice)
    else if (event.kind === 'reports/changed' || event.kind === 'reports/progress') {
      const { kind: name, ...more } = event
      events.push({ name, ...more })
    }
  })
  const notices: Notice[] = []
  const reports = newReports({
    ...{ store, accounts, events: bus, clock, historyFolder: places.historyFolder, random: () => 1 },
    openEngine: () => between(places.openEngine()),
  })
  onTestFinished(() => reports.stop())
  reports.setWatching(watching)
  const tell = (event: AccountEvent | AppEventOf<'service/rests'>) => bus.emit(event)
  const ask = (query: OverviewQuery, force = false) => reports.ask({ account: firstId, query, force })
  /** What was emitted since the last look, in short. */
  const received = () =>
    events.splice(0).map(({ name, state, key, done, total, unit }) => {
      if (state !== undefined) return state
      return name === 'reports/progress' ? `${done} of ${total} ${unit}` : `changed ${key}`
    })
  return { reports, accounts, ask, received, tell, clock, service, store, notices, stored }
}
