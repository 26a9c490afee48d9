import { setImmediate } from 'node:timers/promises'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import { judging } from '#main/watch/judging/task.ts'
import type { Judged, JudgeTask } from '#main/watch/judging/task.ts'
import type { NamedFigures } from '#main/watch/judging/rule.ts'
import { AlertWatcher } from '#main/watch/alerts/alert-watcher.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { invalid } from '#shared/api/failure.ts'
import { accountDayOf } from '#shared/reports/answer.ts'
import { addDays, daysBetween } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import { daysRead, maxFindings } from '#shared/watch/alerts.ts'
import type { AlertEntry } from '#shared/watch/alerts.ts'
import { fake } from '#test/helpers/fake.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import type { AppEvent } from '#main/lib/app-events.ts'
import { account as accountWith, firstDataScope, firstId, localStore } from '../../database/helpers.ts'
import { alert } from '../../database/state/watch.ts'
import { HandClock } from '../../reports/clock.ts'
import { firstDay } from '../judging/made-alerts.ts'

/** Figures that a desk has stored: of days from `firstDay`. */
export type Stored = { figures: NamedFigures }

/** The last `daysRead` days before a day; days outside of the figures are unknown. */
function windowOf({ settled, settlesAfter, rows }: NamedFigures, today: Day): NamedFigures {
  const start = addDays(today, -daysRead)
  const offset = daysBetween(firstDay, start)
  const partOf = <T>(items: readonly T[], otherwise: T) =>
    Array.from({ length: daysRead }, (_, nth) => items[offset + nth] ?? otherwise)
  return {
    ...{ firstDay: start, settlesAfter, settled: partOf(settled, false) },
    rows: rows.map((row) => ({ ...row, requests: partOf(row.requests, null), bad: partOf(row.bad, null) })),
  }
}

function judgedAtOnce(figures: NamedFigures, task: JudgeTask): Judged {
  const steps = judging(figures, task)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** A watcher over a real store and figures in memory. Its account and data scope can change. */
export class WatchedDesk {
  readonly clock: HandClock
  readonly stored: Stored
  readonly told: AppEvent[] = []
  readonly events = eventsTo((event) => void this.told.push(event))
  store: StateStore
  account: LiveAccount | null = accountWith({ dayZone: 'UTC' })
  /** Another account of the same service, with the same figures. */
  other: LiveAccount | null = null
  dataScope: DataScopeId = firstDataScope
  /** Called before figures are judged. */
  onJudge: (tasks: readonly JudgeTask[]) => void = () => undefined
  watcher: AlertWatcher

  private constructor(store: StateStore, figures: NamedFigures, now: string) {
    this.store = store
    this.stored = { figures }
    this.clock = new HandClock(now)
    this.watcher = this.#newWatcher()
  }

  static async open(figures: NamedFigures, now: string): Promise<WatchedDesk> {
    const store = localStore()
    await store.run('accounts/put', accountWith({ dayZone: 'UTC' }))
    return new WatchedDesk(store, figures, now)
  }

  /** Adds an alert on every source. */
  async addAlert(changes: Partial<AlertEntry> = {}, number = 1, account = firstId): Promise<void> {
    const added = alert(number, { view: '#/reports/script/sources', ...changes })
    await this.store.run('alerts/add', { account, alert: added })
    this.events.emit({ kind: 'alerts/changed', account })
  }

  /** Figures were stored. */
  tablesStored(): void {
    this.events.emit({ kind: 'tables/stored', dataScope: this.dataScope })
  }

  /** Lets the quiet time pass, and the evaluations that follow. */
  async settle(): Promise<void> {
    await this.clock.move(5_000)
    for (let nth = 0; nth < 5; nth += 1) {
      for (let turn = 0; turn < 5; turn += 1) await setImmediate()
      if ((this.clock.waiting()[0] ?? Infinity) > 5_000) return
      await this.clock.move(5_000)
    }
  }

  /** The app is killed: its watcher ends with what it was doing, and another begins. */
  restart(): void {
    void this.watcher.stop()
    this.watcher = this.#newWatcher()
    this.watcher.start()
  }

  async findings() {
    return (await this.store.run('findings/list', { others: maxFindings, ids: [] })).findings
  }

  today(): Day {
    return accountDayOf(this.clock.now(), this.account ?? { dayZone: 'UTC' })
  }

  #newWatcher(): AlertWatcher {
    const list = () => [this.account, this.other].filter((each) => each !== null)
    const known = (id: AccountId) => {
      const found = list().find((each) => each.id === id)
      if (!found) throw invalid('This account has been removed.', 'account')
      return found
    }
    const reports = fake<Reports>('reports', {
      judge: async (_, tasks) => {
        const { dataScope } = this
        this.onJudge(tasks)
        const figures = windowOf(this.stored.figures, this.today())
        const storedDays = figures.settled.filter((__, nth) =>
          figures.rows.some(({ requests }) => requests[nth] !== null),
        ).length
        await Promise.resolve()
        if (storedDays === 0) return { dataScope, storedDays, judged: null }
        return { dataScope, storedDays, judged: tasks.map((task) => judgedAtOnce(figures, task)) }
      },
      watchedTotals: () => Promise.resolve(windowOf(this.stored.figures, this.today())),
      storedOf: () => {
        const { settled, rows } = windowOf(this.stored.figures, this.today())
        const days = settled.filter((_, nth) => rows.some(({ requests }) => requests[nth] !== null)).length
        return Promise.resolve({ days, total: daysRead, oldest: null, bytes: 0 })
      },
    })
    const store: StateStore = { ...this.store, run: (name, argument) => this.store.run(name, argument) }
    return new AlertWatcher({
      ...{ store, reports, events: this.events, clock: this.clock },
      accounts: fake<Accounts>('accounts', {
        account: known,
        list,
        dataScopeOf: () => this.dataScope,
      }),
    })
  }
}
