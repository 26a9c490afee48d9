import { DeskFailure, invalid, deskFailure } from '#shared/api/failure.ts'
import type { Publication } from '#shared/app/storage.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { Job, JobId, JobState } from '#shared/app/jobs.ts'
import type { AccountId, DataScopeId, Instant } from '#shared/values/ids.ts'
import { nodeThreads } from '#main/lib/node-threads.ts'
import { isResting, pauseAfter } from '#main/lib/retry.ts'
import { withSignal, withTimeout } from '#main/lib/async.ts'
import type { PublishingSetting } from '#main/database/state/settings-repository.ts'
import type { JobContext, JobRecord } from '#main/lib/jobs.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import { accountOfScope } from '#main/reports/one-scope.ts'
import { directoryName, publishHistory } from './publishing.ts'
import type { PublishingContext } from './publishing-context.ts'
import { defaultTimeouts } from './team-folder.ts'

/** Delay (ms) after figures were stored, because more figures usually follow. */
const calm = 60_000

/** Publishes accounts that have a folder, on request and automatically after figures were stored. */
export class Publisher implements Module {
  readonly name = 'publishing'
  readonly #context: PublishingContext
  /** Active jobs that started automatically. */
  readonly #automatic = new Set<JobId>()
  /** Steps that were abandoned but have not ended, by chosen folder. The next run in the folder waits for them. */
  readonly #hung = new Map<string, ReadonlySet<Promise<unknown>>>()
  readonly #due = new Set<AccountId>()
  /** Accounts that are retried without a pause, because the computer woke up since they failed. */
  readonly #woken = new Set<AccountId>()
  readonly #ending = new AbortController()
  readonly #stopFollowing: readonly (() => void)[]
  #alarm = new AbortController()
  #hasStarted = false
  #paused = false

  constructor(context: PublishingContext) {
    this.#context = context
    const { events } = context
    this.#stopFollowing = [
      events.on('tables/stored', ({ dataScope }) => this.#figuresStored(dataScope)),
      events.on('account/removed', ({ account }) => this.#forget(account)),
    ]
  }

  readonly handlers = {
    'publishing/read': ({ account }) => this.read(account),
    'publishing/choose-folder': ({ account }) => this.chooseFolder(account),
    'publishing/start': ({ account }) => this.publish(account),
    'publishing/stop': ({ account }) => this.forgetFolder(account),
    'settings/remove-figures': async ({ account, published = false }) => {
      await this.#context.reports.removeFigures(account)
      try {
        if (published) await this.removeThere(account)
      } finally {
        this.#context.events.emit({ kind: 'figures/removed', account })
      }
      return null
    },
  } satisfies Partial<Handlers>

  /** Returns the publishing state of an account. @throws DeskFailure if the store or the account cannot be read */
  async read(account: AccountId): Promise<Publication> {
    this.#context.accounts.account(account)
    return this.#publicationOf(account, await this.#setting(account))
  }

  /** Lets the user choose a folder and starts publishing there. Returns null if the user cancels. */
  async chooseFolder(account: AccountId): Promise<Publication | null> {
    const { name } = this.#context.accounts.account(account)
    const folder = await this.#context.shell.chooseFolder(
      `Folder in which the history of ${name} is published`,
    )
    if (folder === null) return null
    const before = await this.#setting(account)
    const directory = before?.folder === folder ? before.directory : `account=${directoryName(name)}`
    this.cancel(account)
    await this.#write(account, { folder, directory, last: null })
    return await this.publish(account)
  }

  /** Starts publishing. Published files are read again to verify them. */
  async publish(account: AccountId): Promise<Publication> {
    if (!(await this.#setting(account))) throw invalid('Choose a folder first with “Publish to a folder…”.')
    if (this.#isAutomatic(this.#record(account)?.active)) this.cancel(account)
    void this.#begin(account, false)
    return await this.read(account)
  }

  /**
   * Removes files from an account's published folder that are no longer stored, at the user's request. Otherwise published
   * files are never removed.
   * @throws DeskFailure if the folder or the store fails; then the files stay there
   */
  async removeThere(account: AccountId): Promise<void> {
    if (!(await this.#setting(account))) return
    this.cancel(account)
    await this.#begin(account, false, true)
    const failure = this.#record(account)?.failure
    if (failure)
      throw new DeskFailure({
        ...failure,
        message: `The figures were deleted here, but not from the published folder. ${failure.message}`,
      })
  }

  cancel(account: AccountId): void {
    this.#context.jobs.withdraw('publish', account)
  }

  /** Forgets the folder. Published files stay there. */
  async forgetFolder(account: AccountId): Promise<Publication> {
    this.#forget(account)
    await this.#write(account, null)
    return await this.read(account)
  }

  /** Starts automatic publishing. */
  start(): void {
    this.#hasStarted = true
    this.wake()
  }

  /** Called when the computer wakes up or finds a network: a share may be reachable again. */
  wake(account?: AccountId): void {
    // A change of one account's service does not concern the folder.
    if (account !== undefined) return
    const accounts = this.#context.accounts.list().map(({ id }) => id)
    for (const id of accounts) if (this.#record(id)?.failure) this.#woken.add(id)
    void this.#await(accounts)
  }

  /** Suspends or resumes automatic publishing. Publishing on request still works. */
  pause(paused: boolean): void {
    this.#paused = paused
    if (!paused) return this.#arm()
    this.#alarm.abort()
    for (const { id } of this.#context.accounts.list()) {
      if (!this.#isAutomatic(this.#record(id)?.active)) continue
      this.cancel(id)
      this.#due.add(id)
    }
  }

  /** Cancels all runs. Resolves when they have ended, except for steps that hang. */
  async stop(): Promise<void> {
    for (const stop of this.#stopFollowing) stop()
    this.#ending.abort()
    this.#alarm.abort()
    await this.#context.jobs.cancelAll('publish')
  }

  #record(account: AccountId): JobRecord | null {
    return this.#context.jobs.recordOf('publish', account)
  }

  #isAutomatic(job: Job | null | undefined): boolean {
    return job ? this.#automatic.has(job.id) : false
  }

  #setting(account: AccountId): Promise<PublishingSetting | null> {
    return this.#context.store.run('publishing/read', account)
  }

  async #write(account: AccountId, setting: PublishingSetting | null): Promise<void> {
    await this.#context.store.run('publishing/write', { account, setting })
    await this.#emit(account)
  }

  #publicationOf(account: AccountId, setting: PublishingSetting | null): Publication {
    const { active = null, failure = null } = this.#record(account) ?? {}
    return {
      account,
      folder: setting?.folder ?? null,
      last: setting?.last ?? null,
      running: active !== null,
      failure: setting ? failure : null,
    }
  }

  async #emit(account: AccountId): Promise<void> {
    const setting = await this.#setting(account).catch(() => undefined)
    if (setting === undefined) return
    this.#context.events.emit({ kind: 'publishing/changed', ...this.#publicationOf(account, setting) })
  }

  #begin(account: AccountId, quiet: boolean, removing = false): Promise<void> {
    const { accounts, jobs } = this.#context
    const { active = null, failure = null } = this.#record(account) ?? {}
    if (this.#ending.signal.aborted || active) return Promise.resolve()
    this.#woken.delete(account)
    this.#due.delete(account)
    const { name } = accounts.account(account)
    const { id } = jobs.run({
      ...{ kind: 'publish', account, subject: null, title: `History of ${name}`, unit: 'files' },
      key: account,
      run: async (context) => {
        await this.#publishOnce(account, context, quiet, removing)
        return null
      },
    })
    if (quiet) this.#automatic.add(id)
    void this.#emit(account)
    return jobs.ended(id).then(async (state) => {
      this.#automatic.delete(id)
      // A withdrawn job has no consequences.
      if (this.#record(account)?.last?.id === id) this.#over(account, quiet, state, failure)
      await this.#emit(account)
    })
  }

  /** @param before failure of the account before the job */
  #over(account: AccountId, quiet: boolean, state: JobState, before: Failure | null): void {
    if (state.kind === 'failed') {
      this.#due.add(account)
      this.#arm()
      if (quiet && before?.message !== state.failure.message) this.#announce(account, state.failure)
    } else if (state.kind === 'cancelled') {
      if (quiet) this.#due.add(account)
    } else if (before) this.#withdraw(account)
  }

  async #publishOnce(
    account: AccountId,
    { signal, progress }: JobContext,
    quiet: boolean,
    removing: boolean,
  ): Promise<void> {
    const { accounts, reports } = this.#context
    const setting = await this.#setting(account)
    if (!setting) return
    await this.#untilNothingHangs(setting.folder, signal)
    const { name, address } = accounts.account(account)
    // oxlint-disable-next-line desk/scope-writes -- What is published is read from here on.
    const dataScope = accounts.dataScopeOf(account)
    // On failure these files are left out and reported as such.
    await withSignal(signal, () => reports.rewriteReplaced(dataScope).catch(() => undefined))
    const { folder, directory, last } = setting
    const published = await publishHistory(
      this.#context,
      {
        ...{ folder, directory, account: { name, address, dataScope }, signal },
        thorough: !quiet,
        expected: quiet && last !== null,
        removing,
        progress: (done, total) => progress({ done, total, unit: 'files' }),
      },
      (steps) => this.#hung.set(folder, steps),
    )
    if (!signal.aborted) await this.#write(account, { ...setting, last: published })
  }

  /**
   * Waits for abandoned steps: for all in this folder, and for any one if no thread would be left otherwise.
   * @throws DeskFailure on timeout
   */
  async #untilNothingHangs(folder: string, signal: AbortSignal): Promise<void> {
    const here = [...(this.#hung.get(folder) ?? [])]
    const all = [...this.#hung.values()].flatMap((steps) => [...steps])
    const one = all.length < nodeThreads.publishing ? [] : [Promise.race(all)]
    const { step: milliseconds } = this.#context.timeouts ?? defaultTimeouts
    const late = here.length > 0 ? stillHangs : othersHang
    await withTimeout({ milliseconds, signal, late }, () => Promise.all([...here, ...one]))
  }

  #announce(account: AccountId, failure: Failure): void {
    const { name } = this.#context.accounts.account(account)
    const title = `The history of ${name} could not be published`
    const notice = { id: noticeOf(account), tone: 'warning', title, text: failure.message } as const
    this.#context.events.emit({ kind: 'notice/shown', notice })
  }

  #withdraw(account: AccountId): void {
    this.#context.events.emit({ kind: 'notice/over', id: noticeOf(account) })
  }

  #figuresStored(dataScope: DataScopeId): void {
    const account = accountOfScope(this.#context.accounts, dataScope)
    if (account && !this.#due.has(account.id)) void this.#await([account.id])
  }

  /** Schedules accounts that have a folder. Others are not scheduled, so that the store stays idle. */
  async #await(accounts: readonly AccountId[]): Promise<void> {
    for (const account of accounts) if (await this.#setting(account).catch(() => null)) this.#due.add(account)
    this.#arm()
  }

  #forget(account: AccountId): void {
    this.#context.jobs.forget('publish', account)
    this.#due.delete(account)
    this.#woken.delete(account)
    this.#withdraw(account)
  }

  /** Waits until the next account is due. */
  #arm(): void {
    this.#alarm.abort()
    if (!this.#hasStarted || this.#paused || this.#ending.signal.aborted || this.#due.size === 0) return
    this.#alarm = new AbortController()
    const now = this.#context.clock.now()
    const pause = pauseAfter('publishing', 1)
    const waits = [...this.#due].map((account) => (this.#triedAt(account) ?? -Infinity) + pause - now)
    // If the clock was set back, the wait is still at most the usual pause.
    const wait = Math.min(pause, Math.max(calm, Math.min(...waits)))
    const { signal } = this.#alarm
    this.#context.clock.wait(wait, signal).then(
      () => this.#workOff(signal),
      () => undefined,
    )
  }

  /** Start of the last job, in ms since 1970, unless the account is retried without a pause. */
  #triedAt(account: AccountId): Instant | undefined {
    return this.#woken.has(account) ? undefined : this.#record(account)?.startedAt
  }

  async #workOff(signal: AbortSignal): Promise<void> {
    const now = this.#context.clock.now()
    for (const account of [...this.#due]) {
      if (signal.aborted || this.#context.reports.isAwaited()) break
      if (isResting('publishing', this.#triedAt(account), now)) continue
      const setting = await this.#setting(account).catch(() => null)
      if (setting === null) this.#due.delete(account)
      else if (!signal.aborted) await this.#begin(account, true)
    }
    if (!signal.aborted) this.#arm()
  }
}

const noticeOf = (account: AccountId) => `publishing ${account}`

const stillHangs = () =>
  deskFailure('disk', "The folder still doesn't respond. Publishing tries again later.")

const othersHang = () =>
  deskFailure('disk', "The folders of several other accounts don't respond. Publishing tries again later.")
