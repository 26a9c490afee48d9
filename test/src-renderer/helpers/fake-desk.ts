import type { Account, Connection } from '#shared/accounts/account.ts'
import { noWindows } from '#shared/accounts/account.ts'
import type {
  CallArgument,
  CallName,
  CallOutcome,
  CallResult,
  DeskBridge,
  DeskEventName,
  DeskEvents,
} from '#shared/bridge/calls.ts'
import type { Publication } from '#shared/app/storage.ts'
import { nothingSyncs } from '#shared/views/saved-views.ts'
import { noBrand } from '#shared/exports/order.ts'
import { applyChanges, usualSettings } from '#shared/app/settings.ts'
import type { DeskState } from '#shared/app/state.ts'
import type { Failure, FailureKind } from '#shared/api/failure.ts'
import type { AccountId, InstanceId, Instant } from '#shared/values/ids.ts'
import type { CaseId } from '#shared/cases/case.ts'
import type { JobId } from '#shared/app/jobs.ts'
import type { AlertPreview, FindingList } from '#shared/watch/alerts.ts'
import { answerFor, instanceNames } from './figures.ts'
import { explainAnswer } from './explanations.ts'
import { moversAnswer, ruleMixAnswer, trendAnswer } from './trends.ts'
import { rawAnswers } from './fake-raw.ts'
import { noRows } from './fake-rows.ts'

type Answers = { [N in CallName]: (argument: CallArgument<N>) => CallOutcome<N> | Promise<CallOutcome<N>> }

export type Called = { readonly name: CallName; readonly argument: unknown }

export const account: Account = {
  id: '5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9a01' as AccountId,
  name: 'Kestrel Media',
  kind: 'service',
  address: 'https://reports.kestrel.example',
  bodyEncoding: 'json',
  dayZone: 'UTC',
  windows: noWindows,
  firstColumn: null,
  tokenPlace: 'keychain',
}

export const otherAccount: Account = {
  ...account,
  id: '5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9a02' as AccountId,
  name: 'Sample data',
  kind: 'sample',
  address: '',
}

export const calmState: DeskState = {
  version: '0.3.0',
  accounts: [account],
  active: account.id,
  connections: { [account.id]: { kind: 'online' }, [otherAccount.id]: { kind: 'online' } },
  notices: [],
  proxies: [],
  lastView: null,
  answers: [],
  weeksBeginOn: 1,
}

/** An account for which no folder is set. */
export const notPublished = (id: AccountId): Publication => ({
  account: id,
  folder: null,
  last: null,
  running: false,
  failure: null,
})

const nothingFound = { results: 0, pages: 0, echo: {} }

export const good = <T>(value: T) => ({ ok: true as const, value })
export const bad = (failure: Failure) => ({ ok: false as const, failure })
export const failed = (kind: FailureKind, more: Partial<Failure> = {}) =>
  bad({ kind, message: `Words about ${kind}.`, ...more })

const noPreview: AlertPreview = {
  ...{
    mornings: 0,
    storedDays: 0,
    told: 0,
    tellings: [],
    band: [],
    bandLabel: null,
    bandRule: null,
    noticeable: null,
  },
}

const noFindings: FindingList = { findings: [], more: 0, fresh: 0, falseAlarms: { wrong: 0, judged: 0 } }

/** A call that is answered when the test says so. */
export function pending<T>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}

/** The main process as a window sees it, made up: it answers at once unless told otherwise, and writes down calls. */
export class FakeDesk {
  state: DeskState
  readonly called: Called[] = []
  readonly #listeners = new Map<DeskEventName, Set<(event: never) => void>>()
  readonly #answers: Answers = {
    ...rawAnswers,
    'lock/state': () => good({ locked: false, after: null, waitsUntil: null }),
    'lock/now': () => failed('invalid'),
    'lock/unlock': () => good(null),
    'lock/sign-in': () => good(null),
    'lock/switch-on': () => good(null),
    'lock/change': () => good(null),
    'lock/switch-off': () => good(null),
    'desk/state': () => good(this.state),
    'desk/remember-view': () => good(null),
    'desk/dismiss-notice': () => good(null),
    'desk/copy': () => good(null),
    'desk/about': () =>
      good({
        version: '0.3.0',
        commit: null,
        runtime: 'Electron 45',
        system: 'Linux',
        problemReport: 'Traffic Desk 0.3.0',
      }),
    'desk/notices': () => good({ text: 'svelte 5 (MIT)' }),
    'desk/save-parts-list': () => good({ file: 'Traffic Desk parts.cdx.json' }),
    'desk/save-problem-report': () => good({ file: 'Traffic Desk problem report.txt' }),
    'desk/back-up': () => good({ file: 'Traffic Desk backup 2026-11-22.zip', leftOut: 0 }),
    'desk/choose-backup': () => good(null),
    'desk/restore-backup': () => good(null),
    'desk/drop-backup': () => good(null),
    'updates/read': () => good({ kind: 'without-feed' }),
    'updates/check': () => good({ kind: 'without-feed' }),
    'updates/daily': () => good({ kind: 'without-feed' }),
    'settings/read': () => good(usualSettings),
    'settings/write': (changes) => good(applyChanges(usualSettings, changes)),
    'settings/choose-folder': () => good(null),
    'settings/brand': () => good(noBrand),
    'settings/write-brand': (changes) => good({ ...noBrand, ...changes }),
    'settings/choose-logo': () => good(null),
    'settings/kept-size': () => good({ bytes: 0, days: 0 }),
    'settings/disk': () => good({ accounts: [], others: { bytes: 0, days: 0 } }),
    'settings/beyond-limit': () => good({ bytes: 0, days: 0 }),
    'settings/remove-figures': () => good(null),
    'sync/state': () => good(nothingSyncs),
    'views/estimate': () => good([]),
    'layouts/read': () => good({}),
    'publishing/read': ({ account: id }) => good(notPublished(id)),
    'publishing/choose-folder': () => good(null),
    'publishing/start': ({ account: id }) => good(notPublished(id)),
    'publishing/stop': ({ account: id }) => good(notPublished(id)),
    'layouts/write': () => good(null),
    'accounts/edit': (changed) => good({ ...account, ...changed, id: changed.account }),
    'accounts/check': () => good({ instances: instanceNames.length }),
    'accounts/cancel-check': () => good(null),
    'reports/trend': ({ query }) => good(trendAnswer(query)),
    'reports/rule-mix': ({ query }) => good(ruleMixAnswer(query)),
    'reports/before': () => failed('offline'),
    'reports/paired': () =>
      good({ compared: { days: 0, total: 7 }, sides: null, fetchedAt: null, doubt: null }),
    'reports/movers': ({ query, before, max }) => good(moversAnswer(query, before, max)),
    'reports/explain': (asked) => good(explainAnswer(asked)),
    'reports/restatements': () => good({ items: [], total: 0 }),
    'lookups/names': () => good({ instances: [], names: {} }),
    'lookups/sources': () =>
      good({
        answer: { sources: [], query: nothingFound },
        fetchedAt: 0 as Instant,
        failure: null,
        narrowed: null,
      }),
    'lookups/campaigns': () =>
      good({
        answer: { campaigns: [], query: nothingFound },
        fetchedAt: 0 as Instant,
        failure: null,
        narrowed: null,
      }),
    'views/list': () => good([]),
    'views/save': () => failed('internal'),
    'views/change': () => failed('internal'),
    'views/duplicate': () => failed('internal'),
    'views/remove': () => failed('internal'),
    'views/restore': () => good(null),
    'views/order': () => good(null),
    'views/refresh': () => good(null),
    'views/stop': () => good(null),
    'views/export': () => good({ file: 'views.json' }),
    'views/import': () => good(null),
    'exports/start': () => failed('internal'),
    'exports/chart': () => failed('internal'),
    'jobs/list': () => good([]),
    'jobs/cancel': () => good(null),
    'jobs/pause': () => good(null),
    'jobs/resume': () => good(null),
    'jobs/seen': () => good(null),
    'jobs/dismiss': () => good(null),
    'exports/show': () => good(null),
    'exports/open': () => good(null),
    'proxies/list': () => good(this.state.proxies),
    'proxies/sign-in': ({ storage }) => good({ stored: storage }),
    'proxies/try-again': () => good(null),
    'proxies/forget': () => good(null),
    'accounts/connect': ({ name, address, bodyEncoding }) =>
      good(this.#becomes({ ...account, name, address, bodyEncoding })),
    'accounts/explore-sample': () => good(this.#becomes(otherAccount)),
    'accounts/activate': ({ account: id }) => {
      const found = this.state.accounts.find((each) => each.id === id)
      return found ? good(this.#becomes(found)) : failed('internal')
    },
    'accounts/renew-token': () => {
      this.#connect(account.id)
      return good(account)
    },
    'accounts/remove': ({ account: id }) => {
      const accounts = this.state.accounts.filter((each) => each.id !== id)
      this.state = { ...this.state, accounts, active: accounts[0]?.id ?? null }
      return good(null)
    },
    'reports/ask': ({ query }) => good(answerFor(query)),
    'reports/cancel': () => good(null),
    'rows/list': () => good(noRows['rows/list']),
    'rows/import': () => good(noRows['rows/import']),
    'rows/preview': () => good(noRows['rows/preview']),
    'rows/cancel-import': () => good(noRows['rows/cancel-import']),
    'rows/take': () => good(noRows['rows/take']),
    'rows/choose': () => good(noRows['rows/choose']),
    'rows/let-go': () => good(noRows['rows/let-go']),
    'rows/page': () => good(noRows['rows/page']),
    'rows/facets': () => good(noRows['rows/facets']),
    'rows/histogram': () => good(noRows['rows/histogram']),
    'rows/groups': () => good(noRows['rows/groups']),
    'rows/clusters': () => good(noRows['rows/clusters']),
    'rows/block-list': () => good(noRows['rows/block-list']),
    'rows/search': () => good(noRows['rows/search']),
    'rows/recount': () => good(noRows['rows/recount']),
    'rows/recounted': () => good(noRows['rows/recounted']),
    'rows/lists': () => good(noRows['rows/lists']),
    'rows/undo-list': () => good(noRows['rows/undo-list']),
    'cases/list': () => good([]),
    'cases/of': () => failed('invalid'),
    'cases/begin': () => good({ id: '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9b01' as CaseId }),
    'cases/change': () => good(null),
    'cases/make': () => failed('invalid'),
    'cases/plan-rows': () => good({ reports: [], omissions: [] }),
    'cases/add-rows': () => good(null),
    'cases/sent': () => good(null),
    'cases/remove': () => good(null),
    'cases/save': () => good({ id: '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9b02' as JobId }),
    'notes/list': () => good([]),
    'notes/add': () => failed('internal'),
    'notes/change': () => failed('internal'),
    'notes/remove': () => failed('internal'),
    'alerts/list': () => good([]),
    'alerts/add': () => failed('internal'),
    'alerts/change': () => failed('internal'),
    'alerts/remove': () => failed('internal'),
    'alerts/preview': () => good(noPreview),
    'findings/list': () => good(noFindings),
    'findings/since': () => good([]),
    'findings/fresh': () => good({ count: 0, newest: null }),
    'findings/see': () => good(null),
    'findings/dismiss': () => good(null),
    'mutes/list': () => good([]),
    'mutes/add': () => failed('internal'),
    'mutes/remove': () => good(null),
    'schedules/list': () => good([]),
    'schedules/save': () => failed('internal'),
    'schedules/remove': () => failed('internal'),
    'schedules/choose-folder': () => good(null),
    'schedules/make': () => good(null),
    'schedules/show': () => good(null),
    'schedules/mail': () => good(null),
    'today/read': () => good({ accounts: [] }),
    'today/look': () => good(null),
    'rows/unreadable': () => good(noRows['rows/unreadable']),
    'rows/long-cells': () => good(noRows['rows/long-cells']),
    'rows/export': () => good(noRows['rows/export']),
    'rows/export-table': () => good(noRows['rows/export-table']),
    'rows/export-unreadable': () => good(noRows['rows/export-unreadable']),
    'rows/save-list': () => good(noRows['rows/save-list']),
    'rows/cancel': () => good(noRows['rows/cancel']),
    'lookups/instances': () =>
      good({
        answer: {
          instances: instanceNames.map((name, index) => ({
            id: String(101 + index) as InstanceId,
            name,
            status: 1,
            all: false,
            unknown: {},
          })),
          query: { results: instanceNames.length, pages: 1, echo: {} },
        },
        fetchedAt: 0 as Instant,
        failure: null,
        narrowed: null,
      }),
  }

  /** @param connection of the account in use */
  constructor({ connection, ...state }: Partial<DeskState> & { readonly connection?: Connection } = {}) {
    const all = { ...calmState, ...state }
    const connections = { ...all.connections, ...(connection && all.active && { [all.active]: connection }) }
    this.state = { ...all, connections }
  }

  readonly bridge: DeskBridge = {
    call: async <N extends CallName>(name: N, ...given: unknown[]): Promise<CallOutcome<N>> => {
      const argument = given[0] as CallArgument<N>
      this.called.push({ name, argument: structuredClone(argument) })
      return structuredClone(await this.#answers[name](argument))
    },
    dropped: () => Promise.resolve([]),
    on: (name, listener) => {
      const listeners = this.#listeners.get(name) ?? new Set()
      this.#listeners.set(name, listeners.add(listener as (event: never) => void))
      return () => listeners.delete(listener as (event: never) => void)
    },
  }

  /** Answers a call otherwise from now on. */
  answer<N extends CallName>(name: N, handler: Answers[N]): this {
    this.#answers[name] = handler
    return this
  }

  emit<N extends DeskEventName>(name: N, event: DeskEvents[N]): void {
    for (const listener of this.#listeners.get(name) ?? [])
      (listener as (event: DeskEvents[N]) => void)(event)
  }

  /** The arguments of every call of that name so far. */
  argumentsOf<N extends CallName>(name: N): CallArgument<N>[] {
    return this.called.filter((each) => each.name === name).map(({ argument }) => argument as CallArgument<N>)
  }

  #connect(id: AccountId): void {
    this.state = { ...this.state, connections: { ...this.state.connections, [id]: { kind: 'online' } } }
  }

  #becomes(active: Account): CallResult<'accounts/connect'> {
    const accounts = [...this.state.accounts.filter(({ id }) => id !== active.id), active]
    this.state = { ...this.state, accounts, active: active.id }
    this.#connect(active.id)
    this.emit('accounts/changed', { active: active.id, accounts })
    return active
  }
}
