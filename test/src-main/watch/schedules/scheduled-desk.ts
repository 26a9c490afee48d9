import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { deskFailure } from '#shared/api/failure.ts'
import type { LiveAccount } from '#shared/accounts/account.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { Day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { SavedView, SavedViewId } from '#shared/views/saved-views.ts'
import type { ScheduleEntry, ScheduleId, ScheduleState } from '#shared/watch/schedules.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { StoredRun } from '#main/database/state/schedules-repository.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { Exports } from '#main/exports/exports.ts'
import { namingHere, publish } from '#main/files/publish.ts'
import type { AppEvent } from '#main/lib/app-events.ts'
import { withSignal } from '#main/lib/async.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Settings } from '#main/settings/settings.ts'
import { ReportSchedules } from '#main/watch/schedules/report-schedules.ts'
import type { AnnouncedRun } from '#main/watch/schedules/schedules-context.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { fake } from '#test/helpers/fake.ts'
import { account as accountWith, firstId, memoryStore, temporaryFolder } from '../../database/helpers.ts'
import { entryWith, viewIds } from '../../database/state/watch.ts'
import { HandClock } from '../../reports/clock.ts'

const savedView = (id: SavedViewId, name: string, address: string): SavedView => ({
  ...{ id, name, address, pinned: false, depth: null, start: false },
})

/** When an app is killed: after a number of steps of store and disk, of which nothing is heard any more. */
type Death = { readonly steps: number; readonly doesLast: boolean }

/** The life of an app, in which its steps are counted. */
class Life {
  #left = Infinity
  #doesLast = false
  #die = () => {}
  readonly died = new Promise<void>((resolve) => (this.#die = resolve))

  endAfter({ steps, doesLast }: Death): void {
    this.#left = steps
    this.#doesLast = doesLast
  }

  end(): void {
    this.#left = -1
    this.#die()
  }

  async step<T>(work: () => T | Promise<T>): Promise<T> {
    this.#left -= 1
    if (this.#left > 0) return await work()
    if (this.#left === 0 && this.#doesLast) await work()
    this.#die()
    return await new Promise<never>(() => undefined)
  }
}

/** Schedules over a real store in memory and a real folder, with figures that are there or not. The app can be killed at each step. */
export class ScheduledDesk {
  readonly clock: HandClock
  readonly told: AppEvent[] = []
  readonly events = eventsTo((event) => void this.told.push(event))
  readonly shown: (readonly AnnouncedRun[])[] = []
  readonly mails: { readonly subject: string; readonly text: string }[] = []
  readonly files: string[] = []
  /** What is printed and written, by order. */
  readonly made: unknown[] = []
  readonly folder = join(temporaryFolder(), 'files')
  readonly #profile = temporaryFolder()
  /** What the desk has and does. */
  figures: 'stored' | 'unsettled' | 'missing' = 'stored'
  fetches: 'nothing' | 'all' | 'fails' | 'refuses one table' = 'nothing'
  /** Which queries lack a day. */
  lacks: (query: ReportQuery) => boolean = () => false
  readonly fetched: ReportQuery[] = []
  /** What each answer of the store waits for. */
  answering: ((name: string) => Promise<void>) | null = null
  /** What each fetch waits for. */
  fetching: ((query: ReportQuery) => Promise<void>) | null = null
  hasLinks = true
  desktop: 'shows' | 'refuses' = 'shows'
  failure: Error | null = null
  readonly lock = { locked: false }
  /** What each file waits for while it is made. */
  making: ((signal: AbortSignal) => Promise<void>) | null = null
  chosen: string | null = null
  account: LiveAccount | null = accountWith({ dayZone: 'UTC' })
  readonly store: StateStore
  #life = new Life()
  schedules: ReportSchedules

  private constructor(store: StateStore, now: string) {
    this.store = store
    this.clock = new HandClock(now)
    mkdirSync(this.folder)
    this.schedules = this.#newSchedules()
  }

  static async open(now = '2026-11-20T12:00:00Z'): Promise<ScheduledDesk> {
    const store = memoryStore()
    const desk = new ScheduledDesk(store, now)
    await store.run('accounts/put', accountWith({ dayZone: 'UTC' }))
    const addresses = ['#/reports/script/sources?period=yesterday', '#/overview?period=last-7-days']
    for (const [nth, id] of viewIds.entries())
      await store.run('views/add', {
        account: firstId,
        view: savedView(id, `View ${nth + 1}`, addresses[nth] ?? '#/overview'),
      })
    return desk
  }

  async add(changes: Partial<ScheduleEntry> = {}): Promise<ScheduleId> {
    const { id } = await this.schedules.save({ account: firstId, id: null, entry: entryWith(changes) })
    return id
  }

  async first(): Promise<ScheduleState> {
    const [schedule] = await this.schedules.list({ account: firstId })
    if (!schedule) throw new Error('There is no schedule')
    return schedule
  }

  /** States of the runs by day, the newest first. */
  async runs(): Promise<readonly (readonly [Day, string])[]> {
    const { runs } = await this.first()
    return runs.map(
      ({ day, state }) => [day, state.kind === 'waiting' ? `for ${state.for}` : state.kind] as const,
    )
  }

  /** All remembered runs of a schedule, also those that are not shown any more. */
  async allRuns(id: ScheduleId): Promise<readonly StoredRun[]> {
    const now = instantOf(this.clock.now())
    const days = await this.store.run('schedule-runs/days', { account: firstId, id, now })
    const runs = await Promise.all(
      days.map((day) => this.store.run('schedule-runs/of', { schedule: id, day })),
    )
    return runs.filter((run) => run !== null)
  }

  /** Names of the files in the folder, without drafts. */
  fileNames(): readonly string[] {
    return readdirSync(this.folder)
      .filter((name) => !name.startsWith('.'))
      .toSorted()
  }

  drafts(): readonly string[] {
    return readdirSync(this.folder).filter((name) => name.startsWith('.'))
  }

  /** Takes the folder away, or brings it back. */
  moveFolder(isThere: boolean): void {
    if (isThere) renameSync(`${this.folder}-away`, this.folder)
    else renameSync(this.folder, `${this.folder}-away`)
  }

  /** Moves time, and lets come what follows. */
  async pass(milliseconds: number): Promise<void> {
    await this.clock.move(milliseconds)
    await this.settle()
  }

  /** Moves time, while a file is being made that is not awaited. */
  async start(milliseconds: number): Promise<void> {
    await this.clock.move(milliseconds)
    for (let turn = 0; turn < 40; turn += 1) await setImmediate()
  }

  /** Locks or unlocks the app. */
  setLock(locked: boolean): void {
    this.lock.locked = locked
    this.events.emit({ kind: 'lock/changed', locked, after: null, waitsUntil: null })
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) await setImmediate()
    await Promise.race([this.schedules.atRest(), this.#life.died])
    for (let turn = 0; turn < 3; turn += 1) await setImmediate()
  }

  /** The app will be killed at one of its next steps. */
  killAfter(death: Death): void {
    this.#life.endAfter(death)
  }

  /** The app is killed, if it is not yet, and started again. */
  async restart(): Promise<void> {
    this.#life.end()
    void this.schedules.stop()
    for (let turn = 0; turn < 3; turn += 1) await setImmediate()
    this.#life = new Life()
    this.schedules = this.#newSchedules()
    this.schedules.start()
    await this.settle()
  }

  #newSchedules(): ReportSchedules {
    const life = this.#life
    const store: StateStore = {
      ...this.store,
      run: async (name, argument) => {
        const answer = await life.step(() => this.store.run(name, argument))
        if (this.answering) await this.answering(name)
        return answer
      },
    }
    return new ReportSchedules({
      ...{ store, events: this.events, clock: this.clock, lock: this.lock, folder: this.#profile },
      accounts: fake<Accounts>('accounts', {
        account: () => this.account ?? accountWith(),
        list: () => (this.account ? [this.account] : []),
      }),
      reports: this.#reports(),
      exports: fake<Exports>('exports', { make: this.#makeIn(life) }),
      settings: fake<Settings>('settings', { downloadFolder: () => Promise.resolve(this.folder) }),
      shell: fake<SystemShell>('shell', {
        chooseFolder: () => Promise.resolve(this.chosen),
        showFile: (path) => void this.files.push(path),
        mail: (mail) => Promise.resolve(void this.mails.push(mail)),
        print: (address) => Promise.resolve(Buffer.from(address)),
      }),
      packOf: (_account, id) =>
        Promise.resolve({
          ...{ name: 'Case', ending: 'zip' },
          write: () => Promise.reject(new Error(`The case ${id} is not written here`)),
        }),
      news: {
        announceRuns: (runs, handing) => {
          if (this.desktop === 'refuses') return Promise.reject(new Error('No desktop'))
          handing()
          this.shown.push(runs)
          return Promise.resolve()
        },
      },
    })
  }

  #reports(): Reports {
    return fake<Reports>('reports', {
      storeWhole: async ({ query, signal }) => {
        this.fetched.push(query)
        await withSignal(signal, async () => this.fetching?.(query))
        if (this.fetches === 'fails') throw deskFailure('offline', 'The service is away.')
        if (this.fetches === 'refuses one table' && query.kind === 'table' && query.dimension === 'geography')
          throw deskFailure('no-right', 'Not for this token.')
        if (this.fetches === 'all') this.figures = 'stored'
      },
      storedOf: (_, query) => {
        const days = this.figures === 'missing' || this.lacks(query) ? 6 : 7
        const oldest = instantOf(this.clock.now() - 3_600_000)
        return Promise.resolve({ days, total: 7, oldest, bytes: 0 })
      },
      due: () => Promise.resolve(this.figures === 'stored' ? 0 : 1),
    })
  }

  /** Writes files as exports do, step by step. */
  #makeIn(life: Life): Exports['make'] {
    const step = <T>(work: () => Promise<T>) => life.step(work)
    return async (_account, what, { folder, stem, intend }, signal) => {
      if (this.failure) throw this.failure
      await this.making?.(signal)
      this.made.push(what)
      const draft = `.traffic-desk-${randomUUID()}.part`
      await step(async () => writeFileSync(join(folder, draft), JSON.stringify(what)))
      const refused = Object.assign(new Error('No hard links'), { code: 'EPERM' })
      const calls = {
        lstat: (path: string) => step(() => namingHere.lstat(path)),
        link: (from: string, to: string) =>
          step(() => (this.hasLinks ? namingHere.link(from, to) : Promise.reject(refused))),
        rename: (from: string, to: string) => step(() => namingHere.rename(from, to)),
        unlink: (path: string) => step(() => namingHere.unlink(path)),
        create: (path: string) => step(() => namingHere.create(path)),
        syncFolder: () => step(() => Promise.resolve()),
      }
      const name = { folder, stem, ending: 'csv' }
      return await publish(join(folder, draft), name, calls, (given) => intend(draft, given))
    }
  }
}

/** A desk at noon whose schedule is due at eight. */
export async function deskWith(changes: Parameters<typeof entryWith>[0] = {}) {
  const desk = await ScheduledDesk.open('2026-11-20T12:00:00Z')
  const id = await desk.add(changes)
  desk.schedules.start()
  await desk.settle()
  return { desk, id }
}

/** A folder, chosen in the dialog. */
export async function chosen(desk: ScheduledDesk, folder: string) {
  desk.chosen = folder
  return await desk.schedules.chooseFolder({ account: firstId })
}
