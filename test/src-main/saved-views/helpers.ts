import type { Accounts } from '#main/accounts/accounts.ts'
import type { AppEvent } from '#main/lib/app-events.ts'
import type { StoreParams, PinnedQuery } from '#main/reports/resolver/stored-figures.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import { Views } from '#main/saved-views/views.ts'
import type { ViewsContext } from '#main/saved-views/views-context.ts'
import type { Settings } from '#main/settings/settings.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { systemClock } from '#main/lib/async.ts'
import { Jobs } from '#main/lib/jobs.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Connection, LiveAccount } from '#shared/accounts/account.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { FailureKind } from '#shared/api/failure.ts'
import type { Job, JobProgress } from '#shared/app/jobs.ts'
import { queryKey } from '#shared/reports/query.ts'
import { daysOf } from '#shared/values/day.ts'
import type { AccountId, DataScopeId, Instant } from '#shared/values/ids.ts'
import { usualSettings } from '#shared/app/settings.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { fake } from '#test/helpers/fake.ts'
import { HandClock, settled } from '../reports/clock.ts'
import {
  account,
  firstId,
  firstDataScope,
  localStore,
  secondId,
  temporaryFolder,
} from '../database/helpers.ts'

export const noon = '2026-11-20T12:00:00Z'

/** Reports of which every query is kept at once, unless a test says otherwise. */
export class FakeReports {
  readonly asked: StoreParams[] = []
  /** How often keeping views up to date ended. */
  ended = 0
  readonly within: { readonly bytes: number; readonly pinned: readonly PinnedQuery[] }[] = []
  /** What keeping fails with, by account. */
  readonly failing = new Map<AccountId, FailureKind>()
  /** What keeping a family fails with. */
  readonly failingFamily = new Map<string, FailureKind>()
  /** While set, keeping waits for it, and does not heed being given up. */
  gate: Promise<void> | null = null
  progress = 0

  readonly storeWhole = async (asked: StoreParams): Promise<void> => {
    this.asked.push(asked)
    for (let done = 1; done <= this.progress; done += 1) asked.progress(done, this.progress)
    await this.gate
    const kind = this.failing.get(asked.account) ?? this.failingFamily.get(asked.query.family)
    if (kind) throw new ServiceFailure({ kind, message: `It is ${kind}.` })
  }

  /** One day of each query is kept, of all that it has. */
  readonly storedOf: Reports['storedOf'] = async (_account, { range }) => ({
    days: 1,
    total: daysOf(range).length,
    oldest: 1_000 as Instant,
    bytes: 10,
  })

  /** Whether somebody waits for figures. */
  awaited = false
  connected: Exclude<Connection['kind'], 'resting'> = 'online'
  readonly isAwaited: Reports['isAwaited'] = () => this.awaited
  readonly connection: Reports['connection'] = () => ({ kind: this.connected })
  readonly storedSize: Reports['storedSize'] = async () => ({ bytes: this.bytes, days: 1 })
  /** What stored figures take. */
  bytes = 0

  /** All days of what was not kept since the last look. */
  readonly due: Reports['due'] = async (_account, query) =>
    this.asked.some((asked) => queryKey(asked.query) === queryKey(query)) ? 0 : daysOf(query.range).length

  readonly limitStorage: Reports['limitStorage'] = async (bytes, pinned) => {
    this.within.push({ bytes, pinned: pinned() })
  }

  readonly beyondLimit: Reports['beyondLimit'] = async (bytes, pinned) => ({
    bytes,
    days: pinned.length,
  })

  /** As many requests as there are days. */
  readonly estimate: Reports['estimate'] = async (_account, queries) => {
    const days = queries.reduce((sum, { range }) => sum + daysOf(range).length, 0)
    return { total: days, days, requests: days, milliseconds: 0, bytes: 0, assumed: [] }
  }

  /** What was asked since the last look, as account and days. */
  heard(): string[] {
    return this.asked.splice(0).map(({ account: whose, query }) => {
      const { start, end } = query.range
      const table = query.kind === 'table' ? query.dimension : 'overview'
      return `${whose === firstId ? 'Acme' : 'Other'} ${query.family}/${table} ${start} ${end}`
    })
  }
}

/** What saved views of one account need, made up where it is not given. */
export function viewsContext(
  store: ViewsContext['store'],
  given: Partial<Omit<ViewsContext, 'settings'>> & { readonly settings?: Partial<Settings> } = {},
): ViewsContext {
  const { events = new AppEvents(), clock = systemClock, settings, ...others } = given
  return {
    accounts: fake<Accounts>('accounts', {
      ...{ account: () => account(), list: () => [account()] },
      ...{ active: () => firstId, dataScopeOf: () => firstDataScope },
    }),
    reports: fake<Reports>('reports', new FakeReports()),
    settings: fake<Settings>('settings', { read: async () => usualSettings, ...settings }),
    shell: fake<SystemShell>('shell', { chooseViewsFile: async () => null }),
    jobs: new Jobs(events, clock),
    ...{ store, events, clock, ...others },
  }
}

/** The views room over a real store with two accounts, and everything else at hand. */
export async function roomWith(
  changes: { readonly store?: ViewsContext['store']; readonly file?: string | null } = {},
) {
  const store = changes.store ?? localStore()
  const clock = new HandClock(noon)
  const reports = new FakeReports()
  const accounts: LiveAccount[] = [account(), account({ id: secondId, name: 'Other' })]
  for (const each of accounts) await store.run('accounts/put', each)
  const events: AccountId[] = []
  const progress: (JobProgress & Pick<Job, 'account' | 'subject' | 'title'>)[] = []
  const bus = eventsTo((event) => {
    if (event.kind === 'views/changed') events.push(event.account)
    if (event.kind === 'jobs/changed' && event.job.state.kind === 'running') {
      const { account: whose, subject, title, state } = event.job
      progress.push({ account: whose, subject, title, ...state })
    }
    if (event.kind === 'sync/ended') reports.ended += 1
  })
  /** Another limit of what may be stored is set. */
  const limitChanged = () =>
    bus.emit({ kind: 'settings/changed', settings: usualSettings, changed: ['storageLimit'] })
  const downloads = temporaryFolder()
  const limit = { bytes: 1_000_000 }
  const chosen = { file: changes.file ?? null }
  const jobs = new Jobs(bus, clock)
  const accountsOf = fake<Accounts>('accounts', {
    list: () => accounts,
    active: () => accounts[0]?.id ?? null,
    dataScopeOf: (id) => id as string as DataScopeId,
    account: (id) => {
      const found = accounts.find((each) => each.id === id)
      if (!found) throw new DeskFailure({ kind: 'invalid', message: 'This account has been removed.' })
      return found
    },
  })
  const settings = {
    savesLooks: usualSettings.savesLooks,
    read: async () => {
      const { savesLooks } = settings
      return { ...usualSettings, savesLooks, storageLimit: limit.bytes / 1_000_000 }
    },
    downloadFolder: async () => downloads,
    /** Switches saving what is looked at on or off. */
    saveLooks: async (savesLooks: boolean) => {
      settings.savesLooks = savesLooks
      bus.emit({ kind: 'settings/changed', settings: await settings.read(), changed: ['savesLooks'] })
    },
  }
  const views = new Views(
    viewsContext(store, {
      ...{ accounts: accountsOf, reports: fake<Reports>('reports', reports), settings, jobs, clock },
      ...{ events: bus, shell: fake<SystemShell>('shell', { chooseViewsFile: async () => chosen.file }) },
    }),
  )
  const tell = (event: AppEvent) => bus.emit(event)
  return {
    views,
    store,
    clock,
    reports,
    accounts,
    events,
    downloads,
    limit,
    chosen,
    settings,
    tell,
    progress,
    jobs,
    limitChanged,
  }
}

export const browsers = '#/reports/script/browsers?period=yesterday'
export const overview = '#/overview?period=yesterday'

/** Everything that only waits for promises, the store's included, has happened. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await settled()
}

/** A promise and what fulfils it. */
export function gate(): { readonly shut: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const shut = new Promise<void>((resolve) => (open = resolve))
  return { shut, open: () => open() }
}

/** What a call is refused with. */
export async function refusalOf(call: Promise<unknown>): Promise<DeskFailure['failure'] | null> {
  return await call.then(
    () => null,
    (error: unknown) => (error instanceof DeskFailure ? error.failure : Promise.reject(error)),
  )
}
