import { setImmediate } from 'node:timers/promises'
import { isLive, liveIdOf } from '#shared/accounts/account.ts'
import { invalid } from '#shared/api/failure.ts'
import { accountDayOf } from '#shared/reports/answer.ts'
import { addDays } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import { fewestDays } from '#shared/watch/alerts.ts'
import type { Alert, AlertPreview, AlertState } from '#shared/watch/alerts.ts'
import type { StoredView } from '#shared/views/saved-views.ts'
import type { JudgedAlert } from '#main/database/state/alerts-repository.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'
import { OfTwoScopes, ofOneScope } from '#main/reports/one-scope.ts'
import { untilNextDay } from '#main/saved-views/due.ts'
import { queryOfAlert } from './alert-query.ts'
import { evaluateAlerts } from './evaluation.ts'
import type { Evaluated } from './evaluation.ts'
import { leftOutDays } from './left-out-days.ts'
import { todayOf } from './today.ts'
import type { WatchContext } from './watch-context.ts'

/** Figures are judged once none were stored for this time (ms), because days arrive newest first. */
const quietFor = 5_000
/** Number of such times after which they are judged all the same. */
const longestQuiet = 60
/** Maximum number of alerts that are judged from one read, and listed at a time. */
const maxTogether = 20
/** Time (ms) after which a failed evaluation is repeated. */
const retryAfter = 60_000
const nothingStored: AlertPreview = {
  ...{ mornings: 0, storedDays: 0, tellings: [], told: 0, band: [], bandLabel: null, bandRule: null },
  noticeable: null,
}

/**
 * Evaluates alerts when figures were stored or removed, at the start, after sleep, at midnight of an account, and when alerts
 * change. Accounts are evaluated one after the other. `findings/changed` follows each evaluation that stored something.
 */
export class AlertWatcher implements Module {
  readonly name = 'watcher'
  readonly #context: WatchContext
  readonly #ending = new AbortController()
  readonly #followed: readonly (() => void)[]
  /** Accounts to evaluate, in order. */
  readonly #wanted = new Set<AccountId>()
  #working: Promise<void> | undefined
  /** Number of requests for an evaluation, which show whether it has been quiet. */
  #requests = 0
  #alarm = new AbortController()
  #hasStarted = false
  #paused = false

  constructor(context: WatchContext) {
    const { events } = context
    this.#context = context
    const want = ({ account }: { readonly account: AccountId }) => this.#want(account)
    this.#followed = [
      events.on('tables/stored', ({ dataScope }) => this.#wantScope(dataScope)),
      events.on('alerts/changed', want),
      // Other notes change nothing that is usual. Earlier mornings are not judged again.
      events.on('notes/changed', (note) => {
        if (note.leavesOut) want(note)
      }),
      events.on('figures/removed', want),
      events.on('account/other-data-scope', want),
      // In another zone it may be another day.
      events.on('account/edited', ({ account }) => this.wake(account)),
      events.on('account/removed', ({ account }) => void this.#wanted.delete(account)),
    ]
  }

  /** Starts evaluating. */
  start(): void {
    this.#hasStarted = true
    this.wake()
  }

  /** Evaluates an account, or all: mornings may have been missed. */
  wake(account?: AccountId): void {
    for (const { id } of this.#context.accounts.list().filter(isLive))
      if (account === undefined || account === id) this.#want(id)
    this.#setAlarm()
  }

  pause(paused: boolean): void {
    this.#paused = paused
    if (!paused) this.wake()
  }

  readonly list: Handler<'alerts/list'> = ({ account }) => ofOneScope(() => this.#list(account))

  readonly preview: Handler<'alerts/preview'> = async ({ account, entry, key, rule: code }) => {
    const { accounts, clock, reports, store } = this.#context
    const owner = accounts.account(account)
    const today = accountDayOf(clock.now(), owner)
    const query = queryOfAlert(entry, today)
    if (!query) throw invalid('This view has no figures to watch. Choose Overview or a report.', 'view')
    const leftOut = await leftOutDays(store, liveIdOf(owner), entry.view, today)
    const { judged, storedDays } = await reports.judge({ account, query, key }, [
      { kind: 'preview', rule: entry, today, row: entry.row, leftOut, code },
    ])
    const [found] = judged ?? []
    return { ...nothingStored, ...(found?.kind === 'preview' && found.preview), storedDays }
  }

  readonly look: Handler<'today/look'> = async () => {
    const { clock, store } = this.#context
    const { todaySeenAt } = await store.run('settings/read', undefined)
    await store.run('settings/write', { todaySeenAt: instantOf(clock.now()) })
    return todaySeenAt
  }

  readonly today: Handler<'today/read'> = async ({ since }) => {
    const { accounts } = this.#context
    const read = accounts
      .list()
      .filter(isLive)
      .map((account) => todayOf(this.#context, account, since))
    return { accounts: await Promise.all(read) }
  }

  readonly handlers = {
    'alerts/list': this.list,
    'alerts/preview': this.preview,
    'today/read': this.today,
    'today/look': this.look,
  } satisfies Partial<Handlers>

  async stop(): Promise<void> {
    this.#ending.abort()
    this.#alarm.abort()
    for (const stop of this.#followed) stop()
    this.#wanted.clear()
    await this.#working
  }

  /** @throws OfTwoScopes, which `ofOneScope` handles */
  async #list(id: AccountId): Promise<AlertState[]> {
    const { accounts, clock, reports, store } = this.#context
    const account = accounts.account(id)
    const owner = liveIdOf(account)
    const today = accountDayOf(clock.now(), account)
    const dataScope = accounts.dataScopeOf(owner)
    const alerts = await store.run('watch/judged', owner)
    const tables = new Map<string, StoredView | null>()
    const states: AlertState[] = []
    for (const judged of alerts) {
      // Lets other tasks run: an address can be long.
      if (states.length % maxTogether === 0) await setImmediate()
      const key = tableOf(judged.alert)
      const query = tables.has(key) ? null : queryOfAlert(judged.alert, today)
      const stored = tables.get(key) ?? (query && (await reports.storedOf(owner, query)))
      tables.set(key, stored)
      states.push(stateOf(judged, dataScope, stored))
    }
    if (accounts.dataScopeOf(owner) !== dataScope) throw new OfTwoScopes()
    return states
  }

  #wantScope(dataScope: DataScopeId): void {
    const { accounts } = this.#context
    for (const { id } of accounts.list().filter(isLive))
      if (accounts.dataScopeOf(id) === dataScope) this.#want(id)
  }

  #want(account: AccountId): void {
    if (this.#ending.signal.aborted) return
    this.#wanted.add(account)
    this.#requests += 1
    if (!this.#hasStarted || this.#paused) return
    this.#working ??= this.#work()
      // Ends with the app.
      .catch(() => undefined)
      .finally(() => {
        this.#working = undefined
        // Wanted while the last evaluation ended.
        for (const left of this.#wanted) this.#want(left)
      })
  }

  async #work(): Promise<void> {
    const { clock, events } = this.#context
    const { signal } = this.#ending
    while (this.#wanted.size > 0 && !this.#paused) {
      for (let nth = 0, before = -1; nth < longestQuiet && before !== this.#requests; nth += 1) {
        before = this.#requests
        await clock.wait(quietFor, signal)
      }
      for (const account of [...this.#wanted]) {
        if (signal.aborted || this.#paused) return
        if (!this.#wanted.delete(account)) continue
        if (await this.#evaluate(account)) events.emit({ kind: 'findings/changed', account })
      }
    }
  }

  /** @returns whether anything was stored */
  async #evaluate(account: AccountId): Promise<boolean> {
    const { accounts, store } = this.#context
    const alerts = await store.run('alerts/list', account).catch(() => null)
    let [isChanged, hasFailed] = [false, alerts === null]
    for (const group of ofOneTable(alerts ?? [])) {
      if (this.#ending.signal.aborted || !accounts.list().some(({ id }) => id === account)) break
      const outcomes = await this.#evaluateGroup(account, group)
      if (outcomes.includes('recorded')) isChanged = true
      if (outcomes.includes('void')) this.#want(account)
      if (outcomes.includes('failed')) hasFailed = true
    }
    if (hasFailed)
      void this.#context.clock.wait(retryAfter, this.#ending.signal).then(
        () => this.#want(account),
        () => undefined,
      )
    return isChanged
  }

  /**
   * Evaluates alerts together. The engine or the disk may refuse: nothing of them is stored then, and each is tried alone
   * once, because one that cannot be judged must not hold up the others.
   */
  async #evaluateGroup(account: AccountId, alerts: readonly Alert[]): Promise<readonly Evaluated[]> {
    try {
      return await evaluateAlerts(this.#context, account, alerts)
    } catch {
      if (alerts.length < 2 || this.#ending.signal.aborted) return ['failed']
      const outcomes: Evaluated[] = []
      for (const alert of alerts) outcomes.push(...(await this.#evaluateGroup(account, [alert])))
      return outcomes
    }
  }

  /** Evaluates again at the next midnight of an account. */
  #setAlarm(): void {
    const { accounts, clock } = this.#context
    this.#alarm.abort()
    this.#alarm = new AbortController()
    const now = clock.now()
    const zones = new Set(accounts.list().map(({ dayZone }) => dayZone))
    const until = Math.min(...[...zones].map((zone) => untilNextDay(now, zone)))
    if (this.#ending.signal.aborted || !Number.isFinite(until)) return
    void clock.wait(until, this.#alarm.signal).then(
      () => this.wake(),
      () => undefined,
    )
  }
}

/** Key of the figures that an alert watches. */
const tableOf = ({ family, view, measure }: Alert): string => `${family} ${view} ${measure === 'rule-mix'}`

/** @param stored the days of its figures; null if this version or scope does not know its view */
function stateOf(
  { alert, judged }: JudgedAlert,
  dataScope: DataScopeId,
  stored: StoredView | null,
): AlertState {
  if (stored === null) return { ...alert, judgedUpTo: null, storedDays: 0, notJudged: 'view-gone' }
  const { days } = stored
  const morning = judged?.dataScope === dataScope ? judged.morning : null
  const { kind } = alert.condition
  const isFew = (kind === 'unusual' || kind === 'stopped') && days < fewestDays
  return {
    ...{ ...alert, storedDays: days, judgedUpTo: morning && addDays(morning, -1) },
    notJudged: days === 0 ? 'no-figures' : isFew ? 'too-few-days' : null,
  }
}

/** Groups alerts that watch the same figures, a few each, so that what is found is stored soon. */
function ofOneTable(alerts: readonly Alert[]): readonly (readonly Alert[])[] {
  const groups = new Map<string, Alert[][]>()
  for (const alert of alerts) {
    const key = tableOf(alert)
    const known = groups.get(key) ?? []
    groups.set(key, known)
    const last = known.at(-1)
    if (last && last.length < maxTogether) last.push(alert)
    else known.push([alert])
  }
  return [...groups.values()].flat()
}
