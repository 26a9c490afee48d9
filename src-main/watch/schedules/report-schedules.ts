import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { join } from 'node:path'
import { isLive, liveIdOf } from '#shared/accounts/account.ts'
import { invalid } from '#shared/api/failure.ts'
import { mailOfRun } from '#shared/texts/schedule-news.ts'
import { unknownZoneWords } from '#shared/texts/schedules.ts'
import { isZone } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { unknownPartsOf } from '#shared/values/text.ts'
import { readTyped } from '#shared/values/typed-text.ts'
import { isAsked, longestScheduleName, maxRuns, scheduleNameParts } from '#shared/watch/schedules.ts'
import type {
  ScheduleEntry,
  ScheduleId,
  ScheduleRunState,
  ScheduleState,
  ScheduleSubject,
} from '#shared/watch/schedules.ts'
import type { StoredReportSchedule, StoredRun } from '#main/database/state/schedules-repository.ts'
import { existing } from '#main/exports/exports.ts'
import { Timer } from '#main/lib/async.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'
import { nextOccurrence, occurrencesBetween } from '#main/lib/occurrence.ts'
import { pauseAfter } from '#main/lib/retry.ts'
import { checkFolder, isFolder } from '#main/settings/settings.ts'
import { RunMaker, askedOf, isPrinted } from './run-maker.ts'
import { ScheduleAnnouncer } from './schedule-announcer.ts'
import type { SchedulesContext } from './schedules-context.ts'
import { viewOf } from './subject.ts'

/** Pause of a waiting run. It ends at `at` (ms since 1970), or once the schedule changes. */
type Retry = { readonly schedule: StoredReportSchedule; readonly at: number }

/** An attempt to make the files of a run. */
type Attempt = {
  /** The schedule when the attempt began. */
  readonly schedule: StoredReportSchedule
  readonly ending: AbortController
  ended: Promise<void>
}

/**
 * Makes files by the clock: at the start, when a schedule is due, after sleep, and while a run waits. Each run is stored before
 * its files are made. Runs are tried side by side, so that none waits for the figures of another. The calls are documented in
 * src-shared/bridge/calls/watch.ts.
 */
export class ReportSchedules implements Module {
  readonly name = 'schedules'
  readonly #context: SchedulesContext
  readonly #maker: RunMaker
  readonly #announcer: ScheduleAnnouncer
  readonly #timer: Timer
  readonly #followed: readonly (() => void)[]
  /** Folders that a dialog returned. */
  readonly #chosenFolders = new Set<string>()
  /** Pauses of waiting runs, by `keyOf` the run. */
  readonly #retries = new Map<string, Retry>()
  /** Running attempts, by `keyOf` the run. */
  readonly #attempts = new Map<string, Attempt>()
  /** When the schedules are next due, in ms since 1970. */
  #nextDue: readonly number[] = []
  /** Time of the last round; null before the first one. */
  #roundAt: Instant | null = null
  #working: Promise<void> | null = null
  #isWanted = false
  #hasStarted = false
  #paused = false
  #hasEnded = false

  constructor(context: SchedulesContext) {
    const { clock, events } = context
    this.#context = context
    this.#maker = new RunMaker(context)
    this.#announcer = new ScheduleAnnouncer(context)
    this.#timer = new Timer(clock, () => this.#requestRound())
    this.#followed = [
      events.on('notifications/back', () => this.announceAgain()),
      events.on('lock/changed', () => this.#lockChanged()),
      events.on('account/removed', ({ account }) => {
        this.#interrupt(({ schedule }) => schedule.account === account)
      }),
    ]
  }

  readonly list: Handler<'schedules/list'> = async ({ account }) => {
    if (!isLive(this.#context.accounts.account(account))) return []
    const stored = await this.#context.store.run('schedules/list', account)
    return await Promise.all(stored.map((schedule) => this.#stateOf(schedule)))
  }

  readonly save: Handler<'schedules/save'> = async ({ account, id, entry, isNew = id === null }) => {
    const owner = this.#ownerOf(account)
    const stored = await this.#context.store.run('schedules/list', owner)
    const before = stored.find((schedule) => schedule.id === id)
    // What was deleted since may stay: the schedule can be paused or restored, and its runs say so.
    const isKnown = before ? isDeepStrictEqual(before.subject, entry.subject) : id !== null && isNew
    if (!isKnown) await this.#checkSubject(owner, entry.subject)
    const keepsZone = before ? before.rule.zone === entry.rule.zone : id !== null && isNew
    if (!keepsZone && !isZone(entry.rule.zone)) throw invalid(unknownZoneWords, 'zone')
    const checked = this.#checked(entry, stored)
    const keepsSince = before && !before.paused && isDeepStrictEqual(before.rule, checked.rule)
    const schedule: StoredReportSchedule = {
      ...checked,
      ...{ account: owner, id: id ?? (randomUUID() as ScheduleId) },
      since: keepsSince ? before.since : this.#now(),
    }
    await this.#context.store.run('schedules/put', { schedule, isNew })
    this.#changed(owner)
    this.#requestRound()
    return await this.#stateOf(schedule)
  }

  readonly remove: Handler<'schedules/remove'> = async ({ account, id }) => {
    const owner = this.#ownerOf(account)
    const removed = await this.#context.store.run('schedules/remove', { account: owner, id })
    // So that it can be restored.
    if (removed.folder !== null) this.#chosenFolders.add(removed.folder)
    this.#changed(owner)
    this.#requestRound()
    return await this.#stateOf(removed)
  }

  readonly chooseFolder: Handler<'schedules/choose-folder'> = async () => {
    const folder = await this.#context.shell.chooseFolder('Folder for files')
    if (folder === null) return null
    await checkFolder(folder)
    this.#chosenFolders.add(folder)
    return folder
  }

  readonly make: Handler<'schedules/make'> = async ({ account, id, day }) => {
    const run = await this.#runOf(account, id, day)
    const reopened = { schedule: id, day, changedAt: this.#now(), files: await this.#countingOf(run) }
    if (!(await this.#context.store.run('schedule-runs/reopen', reopened)))
      throw invalid('These files already exist or are being created.', 'day')
    this.#changed(run.account)
    this.#retries.delete(keyOf(run))
    this.#requestRound()
    return null
  }

  readonly show: Handler<'schedules/show'> = async ({ account, id, day }) => {
    const [file] = (await this.#runOf(account, id, day)).files.filter(({ isNamed }) => isNamed)
    this.#context.shell.showFile(await existing(file ? join(file.folder, file.name) : null))
    return null
  }

  readonly mail: Handler<'schedules/mail'> = async ({ account, id, day }) => {
    const { state } = await this.#runOf(account, id, day)
    if (state.kind !== 'made') throw invalid('These files do not exist yet.', 'day')
    const stored = await this.#context.store.run('schedules/list', this.#ownerOf(account))
    const schedule = stored.find((listed) => listed.id === id)
    await this.#context.shell.mail(mailOfRun(schedule?.name ?? 'Report', day, state.files))
    return null
  }

  readonly handlers = {
    'schedules/list': this.list,
    'schedules/save': this.save,
    'schedules/remove': this.remove,
    'schedules/choose-folder': this.chooseFolder,
    'schedules/make': this.make,
    'schedules/show': this.show,
    'schedules/mail': this.mail,
  } satisfies Partial<Handlers>

  start(): void {
    this.#hasStarted = true
    this.wake()
    this.announceAgain()
  }

  /** Tries what waits at once, of one account or of all. */
  wake(account?: AccountId): void {
    if (account === undefined) this.#retries.clear()
    else
      for (const [key, { schedule }] of this.#retries)
        if (schedule.account === account) this.#retries.delete(key)
    this.#requestRound()
  }

  pause(paused: boolean): void {
    this.#paused = paused
    if (paused) this.#interrupt()
    else this.wake()
  }

  /** Announces what the desktop has not shown. */
  announceAgain(): void {
    if (this.#hasStarted) void this.#announcer.flush()
  }

  /** Resolves once nothing is being made. */
  async atRest(): Promise<void> {
    while (this.#working !== null || this.#attempts.size > 0)
      await Promise.all([this.#working, ...[...this.#attempts.values()].map(({ ended }) => ended)])
  }

  async stop(): Promise<void> {
    this.#hasEnded = true
    for (const stop of this.#followed) stop()
    this.#timer.stop()
    this.#interrupt()
    await this.atRest()
    await this.#announcer.stop()
  }

  #requestRound(): void {
    this.#isWanted = true
    if (!this.#hasStarted || this.#paused || this.#hasEnded) return
    this.#working ??= this.#rounds().finally(() => {
      this.#working = null
      // Wanted while the last round ended.
      if (this.#isWanted) this.#requestRound()
    })
  }

  async #rounds(): Promise<void> {
    while (this.#isWanted && this.#mayWork()) {
      this.#isWanted = false
      // The store reports its own errors.
      await this.#round().catch(() => {
        this.#retries.clear()
        this.#nextDue = [this.#retryAt()]
      })
      this.#setTimer()
    }
  }

  #setTimer(): void {
    const retries = [...this.#retries.values()].map(({ at }) => at)
    if (this.#mayWork()) this.#timer.set([...this.#nextDue, ...retries])
  }

  #mayWork(): boolean {
    return !this.#paused && !this.#hasEnded
  }

  /** Stores the runs that are due, and tries those that wait. */
  async #round(): Promise<void> {
    const { accounts, store } = this.#context
    const live = accounts.list().filter(isLive)
    const now = this.#now()
    const corrected = await store.run('schedule-runs/correct', { now, before: this.#roundAt ?? now })
    this.#roundAt = now
    if (corrected > 0) for (const { id } of live) this.#changed(id)
    const nextDue: number[] = []
    const open = new Set<string>()
    for (const { id: account } of live) {
      const schedules = await store.run('schedules/list', account)
      this.#interrupt((attempt) => isOutdated(attempt, account, schedules))
      for (const schedule of schedules.filter(followsClock)) {
        await this.#storeDue(schedule)
        const next = nextOccurrence(schedule.rule, this.#now())
        if (next) nextDue.push(next.time)
      }
      for (const run of schedules.length > 0
        ? await store.run('schedule-runs/open', { account, now: this.#now() })
        : []) {
        const schedule = schedules.find(({ id }) => id === run.schedule)
        if (!schedule || !(followsClock(schedule) || isAsked(run.state)) || !this.#mayWork()) continue
        open.add(keyOf(run))
        this.#try(schedule, run)
      }
    }
    this.#nextDue = nextDue
    for (const key of this.#retries.keys()) if (!open.has(key)) this.#retries.delete(key)
  }

  /** Stores what is due and not known yet: the latest occurrence waits, earlier ones were missed. */
  async #storeDue({ account, id, rule, since }: StoredReportSchedule): Promise<void> {
    const now = this.#now()
    // Known days may lie between unknown ones, if the clock ran ahead.
    const known = new Set(await this.#context.store.run('schedule-runs/days', { account, id, now }))
    const latest = occurrencesBetween(rule, { since, now }, maxRuns)
    const added = latest.flatMap(({ day, time }, nth): readonly StoredRun[] => {
      if (known.has(day)) return []
      const state = nth === 0 ? ({ kind: 'waiting', for: 'figures' } as const) : ({ kind: 'missed' } as const)
      const times = { dueAt: instantOf(time), takenAt: now, changedAt: now, toldAt: null }
      return [{ account, schedule: id, day, state, files: [], ...times }]
    })
    if (added.length === 0) return
    await this.#context.store.run('schedule-runs/add', added.toReversed())
    this.#changed(account)
  }

  /** Starts an attempt, unless one is running or the run rests. */
  #try(schedule: StoredReportSchedule, run: StoredRun): void {
    const key = keyOf(run)
    const retry = this.#retries.get(key)
    const retryAt = retry && isSame(retry.schedule, schedule) ? retry.at : 0
    // A clock that was set back must not rest for long.
    if (this.#attempts.has(key) || (this.#now() < retryAt && retryAt <= this.#retryAt())) return
    this.#retries.delete(key)
    const attempt: Attempt = { schedule, ending: new AbortController(), ended: Promise.resolve() }
    this.#attempts.set(key, attempt)
    attempt.ended = this.#make(schedule, run, attempt.ending.signal).finally(() => {
      this.#attempts.delete(key)
      // Rounds skipped the run until its aborted attempt ended.
      if (attempt.ending.signal.aborted) this.#requestRound()
      else this.#setTimer()
    })
  }

  /** Makes a run, or stores what it waits for. Never rejects. */
  async #make(schedule: StoredReportSchedule, run: StoredRun, signal: AbortSignal): Promise<void> {
    const rest = () => void this.#retries.set(keyOf(run), { schedule, at: this.#retryAt() })
    try {
      const state = await this.#maker.attempt(schedule, run, signal)
      await this.#write(run, state)
      if (state.kind === 'waiting' && !signal.aborted) rest()
    } catch {
      // Ended, interrupted, or the store failed: the run is still open.
      if (!signal.aborted) rest()
      else if (!this.#hasEnded) await this.#waitAgain(run).catch(rest)
    }
  }

  /** A print that was begun fails once the app is locked. Then its run waits. */
  #lockChanged(): void {
    if (!this.#context.lock.locked) this.wake()
    else this.#interrupt(({ schedule }) => isPrinted(schedule.format))
  }

  /** Aborts the attempts that match; by default all. */
  #interrupt(matches: (attempt: Attempt) => boolean = () => true): void {
    for (const attempt of this.#attempts.values()) if (matches(attempt)) attempt.ending.abort()
  }

  /** A run that was being made waits again. */
  async #waitAgain(run: StoredRun): Promise<void> {
    const { account, schedule, day } = run
    const { store } = this.#context
    const stopped = await store.run('schedule-runs/of', { schedule, day })
    if (stopped?.state.kind !== 'making') return
    const state: ScheduleRunState = { kind: 'waiting', for: 'figures', ...askedOf(stopped) }
    await store.run('schedule-runs/change', { schedule, day, state, changedAt: this.#now() })
    this.#changed(account)
  }

  async #write(run: StoredRun, state: ScheduleRunState): Promise<void> {
    const { account, schedule, day } = run
    // It may have been `making` meanwhile.
    const before = await this.#context.store.run('schedule-runs/of', { schedule, day })
    if (isDeepStrictEqual(state, before?.state)) return
    await this.#context.store.run('schedule-runs/change', { schedule, day, state, changedAt: this.#now() })
    this.#changed(account)
    if (state.kind === 'made' || state.kind === 'skipped') void this.#announcer.flush()
  }

  async #runOf(account: AccountId, schedule: ScheduleId, day: StoredRun['day']): Promise<StoredRun> {
    const run = await this.#context.store.run('schedule-runs/of', { schedule, day })
    if (run === null || run.account !== this.#ownerOf(account))
      throw invalid('This schedule was deleted.', 'schedule')
    return run
  }

  /**
   * Files of a run that count once it is made anew. Whether a file that was begun got its name is never known once its folder is
   * gone and the schedule has another one.
   */
  async #countingOf({ account, schedule, files }: StoredRun): Promise<StoredRun['files']> {
    const stored = await this.#context.store.run('schedules/list', account)
    const target =
      stored.find(({ id }) => id === schedule)?.folder ?? (await this.#context.settings.downloadFolder())
    const counts = await Promise.all(
      files.map(async ({ isNamed, folder }) => isNamed || folder === target || (await isFolder(folder))),
    )
    return files.filter((_, nth) => counts[nth])
  }

  /** @throws DeskFailure `invalid` about `name`, `fileNames` or `folder` */
  #checked(entry: ScheduleEntry, stored: readonly StoredReportSchedule[]): ScheduleEntry {
    const name = readTyped(entry.name, 'name')
    if (name === '') throw invalid('Enter a name for the schedule.', 'name')
    if (name.length > longestScheduleName)
      throw invalid(`A name has at most ${longestScheduleName} characters.`, 'name')
    const fileNames = readTyped(entry.fileNames, 'name')
    if (fileNames === '') throw invalid('Enter a pattern for the file names.', 'fileNames')
    const [unknown] = unknownPartsOf(fileNames, scheduleNameParts)
    if (unknown !== undefined) throw invalid(`There is no part {${unknown}}.`, 'fileNames')
    const { folder } = entry
    const isKnown = folder === null || this.#chosenFolders.has(folder)
    if (!isKnown && !stored.some((schedule) => schedule.folder === folder))
      throw invalid('Choose the folder again.', 'folder')
    return { ...entry, name, fileNames }
  }

  /** @throws DeskFailure `invalid` about `subject` */
  async #checkSubject(account: AccountId, subject: ScheduleSubject): Promise<void> {
    const { store } = this.#context
    if (subject.kind === 'case') await store.run('cases/of', { account, id: subject.id })
    if (subject.kind !== 'views') return
    const views = await store.run('views/list', account)
    for (const id of subject.views) viewOf(views, id)
    if (new Set(subject.views).size < subject.views.length) throw invalid('Choose each view once.', 'subject')
  }

  async #stateOf({ account, since: _, ...schedule }: StoredReportSchedule): Promise<ScheduleState> {
    const { id, rule } = schedule
    const runs = await this.#context.store.run('schedule-runs/list', { account, id, now: this.#now() })
    const known = new Set(runs.map((run) => run.day))
    let next = followsClock(schedule) ? nextOccurrence(rule, this.#now()) : null
    // A new time, on a day that has its run already.
    while (next && known.has(next.day)) next = nextOccurrence(rule, next.time)
    return {
      ...schedule,
      nextAt: next && instantOf(next.time),
      runs: runs.map(({ day, dueAt, state }) => ({ day, dueAt, state })),
    }
  }

  #ownerOf(account: AccountId): AccountId {
    return liveIdOf(this.#context.accounts.account(account))
  }

  #changed(account: AccountId): void {
    this.#context.events.emit({ kind: 'schedules/changed', account })
  }

  /** When a run that waits now is tried again, in ms since 1970. */
  #retryAt(): number {
    return this.#now() + pauseAfter('schedule', 1)
  }

  #now(): Instant {
    return instantOf(this.#context.clock.now())
  }
}

const keyOf = ({ schedule, day }: StoredRun) => `${schedule} ${day}`

/** Whether a schedule is due by itself. One in an unknown zone rests as if paused. */
const followsClock = ({ paused, rule }: ScheduleEntry): boolean => !paused && isZone(rule.zone)

/** Whether two versions of a schedule make the same files. `since` only decides which days are due. */
const isSame = (one: StoredReportSchedule, other: StoredReportSchedule): boolean =>
  isDeepStrictEqual(one, { ...other, since: one.since })

/** Whether the schedule of an attempt was changed or removed. @param stored the account's schedules */
const isOutdated = (
  { schedule }: Attempt,
  account: AccountId,
  stored: readonly StoredReportSchedule[],
): boolean => schedule.account === account && !stored.some((current) => isSame(current, schedule))
