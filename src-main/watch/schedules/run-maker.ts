import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { deskFailure, failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import { accountDayOf, isSettledOn, settledAfterDays } from '#shared/reports/answer.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { addDays } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { safeStem } from '#shared/values/text.ts'
import { isAsked, scheduledStem } from '#shared/watch/schedules.ts'
import type { ScheduleFormat, ScheduleRunState, ScheduleWait } from '#shared/watch/schedules.ts'
import type { BegunFile, StoredReportSchedule, StoredRun } from '#main/database/state/schedules-repository.ts'
import { asDiskFailure } from '#main/files/disk-failure.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import { Lane, Lanes } from '#main/lib/lanes.ts'
import { timeOf } from '#main/lib/occurrence.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { isFolder } from '#main/settings/settings.ts'
import { hasName } from './begun-files.ts'
import type { SchedulesContext } from './schedules-context.ts'
import { filesOf } from './subject.ts'
import type { ScheduledFile } from './subject.ts'

const anHour = 3_600_000
/** Time (ms) after the due time, or after its days are settled, from which a file counts as late. */
const lateAfter = anHour / 4

/** Why a run is skipped if no failure says more. */
const usualReasons: Readonly<Record<ScheduleWait, Failure>> = {
  figures: { kind: 'not-found', message: 'Some days were not saved in time.' },
  settled: { kind: 'not-found', message: 'Some days were not final in time.' },
  folder: { kind: 'disk', message: 'The folder was not available in time.' },
  lock: { kind: 'not-found', message: 'The app was not unlocked in time.' },
}

/** Maximum number of an account's runs that fetch at once. A service that hangs holds up no other account's runs. */
const maxFetching = 4
/** Maximum number of runs that write at once. Printing takes a hidden window, and the user's own exports need threads, too. */
const maxWriting = 2

/** Kinds of failure that waiting does not end: faults of the schedule itself, and a user who cancels. */
const permanentFailures: ReadonlySet<Failure['kind']> = new Set(['invalid', 'costly', 'cancelled'] as const)

/** Whether a format is printed, which waits while the app is locked. The pack of a case has a PDF. */
export const isPrinted = (format: ScheduleFormat): boolean => format === 'pdf' || format === 'zip'

/** What a run waits for, and the last failure. */
type Wait = { readonly for: ScheduleWait; readonly failure: Failure | null }

/** Makes the files of a run. Each file has its name once, also if the app ends at any moment. */
export class RunMaker {
  readonly #context: SchedulesContext
  readonly #fetching = new Lanes<AccountId>(maxFetching)
  readonly #writing = new Lane(maxWriting)
  /** One run at a time writes in a folder, or finds its files there. Waiting for a folder takes no place of `#writing`. */
  readonly #folders = new Lanes<string>()

  constructor(context: SchedulesContext) {
    this.#context = context
  }

  /**
   * Makes the files of a run, or says what it waits for. A run that waits longer than its schedule's patience is skipped.
   * @throws DeskFailure `cancelled` when the signal is aborted; the run is then tried again later
   */
  async attempt(
    schedule: StoredReportSchedule,
    run: StoredRun,
    signal: AbortSignal,
  ): Promise<ScheduleRunState> {
    try {
      const files = await filesOf(this.#context, schedule, run.dueAt)
      const asked = isAsked(run.state)
      const settled = schedule.settled && !asked
      const runFiles = new RunFiles(this.#context, run)
      const inFolder = <T>(folder: string, work: () => Promise<T>) =>
        this.#folders.run(folder, work, { signal })
      if (!(await runFiles.isWhole(files, inFolder))) {
        const fetch = () => this.#waitOf({ ...schedule, settled }, files, asked, signal)
        const wait = await this.#fetching.run(schedule.account, fetch, { signal })
        throwIfCancelled(signal)
        if (wait) return this.#waiting(schedule, run, wait)
        const folder = schedule.folder ?? (await this.#context.settings.downloadFolder())
        const write = async () => {
          await this.#begin(run)
          for (const file of files) await runFiles.make(file, { ...schedule, folder }, signal)
        }
        await inFolder(folder, () => this.#writing.run(write, { signal }))
      }
      return this.#made(
        this.#expectedOf(run, settled ? files : []),
        files.flatMap((file) => runFiles.of(file) ?? []),
      )
    } catch (error) {
      throwIfCancelled(signal)
      const failure = failureOf(asDiskFailure(error))
      if (permanentFailures.has(failure.kind)) return skipped(failure)
      return this.#waiting(schedule, run, { for: failure.kind === 'disk' ? 'folder' : 'figures', failure })
    }
  }

  async #begin(run: StoredRun): Promise<void> {
    const { account, schedule, day } = run
    const { clock, events, store } = this.#context
    const changedAt = instantOf(clock.now())
    const state: ScheduleRunState = { kind: 'making', ...askedOf(run) }
    await store.run('schedule-runs/change', { schedule, day, state, changedAt })
    events.emit({ kind: 'schedules/changed', account })
  }

  /**
   * Fetches what is missing or old, and returns what is not there yet; null if all is. Tables are not waited for if the user
   * asks, or if the service refuses them: the file names them as absent.
   */
  async #waitOf(
    { account, settled, folder, format }: StoredReportSchedule,
    files: readonly ScheduledFile[],
    asked: boolean,
    signal: AbortSignal,
  ): Promise<Wait | null> {
    const { accounts, clock, lock, reports } = this.#context
    if (folder !== null && !(await isFolder(folder))) return { for: 'folder', failure: null }
    const today = accountDayOf(clock.now(), accounts.account(account))
    const all = files.flatMap(allOf)
    if (settled && !all.every(({ range }) => isSettledOn(range, today)))
      return { for: 'settled', failure: null }
    const { failure, refused } = await this.#fetch(account, all, signal)
    const needed = files.flatMap(({ queries, tables }) => [
      ...queries,
      ...(asked ? [] : tables.filter((table) => !refused.has(table))),
    ])
    for (const query of needed) {
      const { days, total } = await reports.storedOf(account, query)
      if (days < total) return { for: 'figures', failure }
    }
    if (settled)
      for (const query of needed)
        if ((await reports.due(account, query, Infinity)) > 0) return { for: 'settled', failure }
    return isPrinted(format) && lock.locked ? { for: 'lock', failure: null } : null
  }

  /** Ends early if the service is away. @returns the first failure, if any, and the queries that the service refuses for good */
  async #fetch(
    account: AccountId,
    queries: readonly ReportQuery[],
    signal: AbortSignal,
  ): Promise<{ readonly failure: Failure | null; readonly refused: ReadonlySet<ReportQuery> }> {
    let failure: Failure | null = null
    const refused = new Set<ReportQuery>()
    for (const query of queries)
      try {
        await this.#context.reports.storeWhole({ account, query, signal, progress: () => undefined })
      } catch (error) {
        throwIfCancelled(signal)
        const own = failureOf(error)
        failure ??= own
        const meaning = failureMeanings[own.kind]
        if (meaning.away) break
        if (meaning.remedy === 'none') refused.add(query)
      }
    return { failure, refused }
  }

  #waiting({ patience }: StoredReportSchedule, run: StoredRun, wait: Wait): ScheduleRunState {
    const now = this.#context.clock.now()
    // What was missed has an hour at least: the network may be slower than the computer that wakes.
    const until = Math.max(run.dueAt + patience * anHour, Math.min(run.takenAt, now) + anHour)
    return now < until
      ? { kind: 'waiting', for: wait.for, ...askedOf(run) }
      : skipped(wait.failure ?? usualReasons[wait.for])
  }

  /** When a run can be made at the earliest: once the days of these files are settled. */
  #expectedOf({ account, dueAt }: StoredRun, files: readonly ScheduledFile[]): number {
    const { dayZone: zone } = this.#context.accounts.account(account)
    const settle = files
      .flatMap(({ queries }) => queries)
      .map(({ range }) => timeOf(addDays(range.end, settledAfterDays), { hour: 0, zone }))
    return Math.max(dueAt, ...settle)
  }

  #made(expected: number, files: readonly BegunFile[]): ScheduleRunState {
    const at = instantOf(this.#context.clock.now())
    const ages = files.flatMap(({ oldest }) => oldest ?? [])
    return {
      ...{ kind: 'made', at, files: files.map(({ name }) => name), late: at > expected + lateAfter },
      oldest: ages.length === 0 ? null : instantOf(Math.min(...ages)),
    }
  }
}

/** Whether the user asked for it, as part of the next state. */
export const askedOf = ({ state }: StoredRun) => isAsked(state) && ({ asked: true } as const)

/** What a file shows: figures and tables. */
const allOf = ({ queries, tables }: ScheduledFile): readonly ReportQuery[] => [...queries, ...tables]

const skipped = (reason: Failure): ScheduleRunState => ({ kind: 'skipped', reason })

type InFolder = (folder: string, work: () => Promise<void>) => Promise<void>

/** The files of one run. Their names are stored before they get them, and after. */
class RunFiles {
  readonly #context: SchedulesContext
  readonly #run: StoredRun
  readonly #files: Map<string, BegunFile>

  constructor(context: SchedulesContext, run: StoredRun) {
    this.#context = context
    this.#run = run
    this.#files = new Map(run.files.map((file) => [file.item, file]))
  }

  /** Returns a file that has its name. */
  of({ item }: ScheduledFile): BegunFile | undefined {
    const file = this.#files.get(item)
    return file?.isNamed ? file : undefined
  }

  /**
   * Finds the files that had just got their names when the app ended.
   * @param inFolder runs work while no other run writes in a folder: another run's empty file may hold the name
   * @returns whether all files have their names
   */
  async isWhole(files: readonly ScheduledFile[], inFolder: InFolder): Promise<boolean> {
    const find = async (file: BegunFile) => {
      if (!(await isFolder(file.folder))) throw deskFailure('disk', usualReasons.folder.message)
      if (await hasName(file)) await this.#write({ ...file, isNamed: true })
    }
    for (const file of this.#files.values()) if (!file.isNamed) await inFolder(file.folder, () => find(file))
    return files.every((file) => this.of(file) !== undefined)
  }

  /** Makes a file unless it has its name. @throws failures of the export and the disk; DeskFailure `cancelled` */
  async make(
    file: ScheduledFile,
    schedule: StoredReportSchedule & { readonly folder: string },
    signal: AbortSignal,
  ): Promise<void> {
    if (this.of(file)) return
    throwIfCancelled(signal)
    const { accounts, exports } = this.#context
    const { account, folder } = schedule
    const oldest = await this.#oldestOf(account, file)
    const parts = {
      ...{ account: plain(accounts.account(account).name), schedule: plain(schedule.name) },
      ...{ name: plain(file.name), day: this.#run.day },
    }
    const stem = scheduledStem(schedule.fileNames, parts)
    const begun = { item: file.item, folder, oldest }
    const intend = async (draft: string, name: string) => {
      const { size } = await slowFolderGuard.run(folder, () => stat(join(folder, draft)))
      await this.#write({ ...begun, draft, name, size, isNamed: false })
    }
    await exports.make(account, file.what, { folder, stem, intend }, signal)
    const written = this.#files.get(file.item)
    if (written) await this.#write({ ...written, isNamed: true })
  }

  async #oldestOf(account: AccountId, file: ScheduledFile): Promise<Instant | null> {
    const stored = await Promise.all(
      allOf(file).map((query) => this.#context.reports.storedOf(account, query)),
    )
    const ages = [file.oldest, ...stored.map((view) => view.oldest)].filter((age) => age !== null)
    return ages.length === 0 ? null : instantOf(Math.min(...ages))
  }

  async #write(file: BegunFile): Promise<void> {
    this.#files.set(file.item, file)
    const { schedule, day } = this.#run
    const files = [...this.#files.values()]
    await this.#context.store.run('schedule-runs/write-files', { schedule, day, files })
  }
}

const plain = (text: string) => safeStem(text, '')
