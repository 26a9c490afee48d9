import { chmod } from 'node:fs/promises'
import { backupEnding } from '#shared/app/storage.ts'
import type { JobProgress } from '#shared/app/jobs.ts'
import type { BackupFacts, BackupMade } from '#shared/app/storage.ts'
import { deskFailure } from '#shared/api/failure.ts'
import type { OpenStore } from '#main/database/open-store.ts'
import { withDraft } from '#main/files/draft.ts'
import { cancelled, throwIfCancelled, withSignal, within } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { JobContext, Jobs } from '#main/lib/jobs.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { Settings } from '#main/settings/settings.ts'
import { rpcClient, threadChannel } from '#main/workers/rpc-client.ts'
import type { RpcClient } from '#main/workers/rpc-client.ts'
import type { BackupCalls } from './backup-worker.ts'

/** Maximum wait for the end of a thread, in milliseconds. */
const longestEnd = 3000

/** Titles of the jobs. */
const titles = { state: 'Backup', figures: 'Backup with saved figures', restore: 'Reading a backup' }

type Call = RpcClient<BackupCalls>['call']

/** Services and paths that backups need. */
export type BackupContext = {
  /** The profile folder. */
  readonly folder: string
  /** Script of the threads. */
  readonly worker: string | URL
  /** Version of the app. */
  readonly version: string
  readonly store: OpenStore
  readonly settings: Settings
  readonly shell: SystemShell
  readonly jobs: Jobs
  readonly clock: Clock
}

/**
 * Makes and restores backups: one ZIP of the state, optionally with the stored figures, written while the app runs. A backup contains no
 * token, because the state has none. A chosen file is copied and checked, and the next start opens the copy. Only one backup is made or
 * chosen at a time.
 */
export class Backups implements Module {
  readonly name = 'backups'
  readonly #context: BackupContext
  /** Resolves when leftovers of a killed app are deleted: a chosen backup, or a copy of the state. */
  #swept: Promise<unknown> | undefined

  constructor(context: BackupContext) {
    this.#context = context
  }

  readonly handlers = {
    'desk/back-up': ({ figures }) => this.save(figures),
    'desk/choose-backup': async () => {
      const source = await this.#context.shell.chooseBackup()
      return source === null ? null : await this.choose(source)
    },
    'desk/restore-backup': async () => {
      await this.restore()
      return null
    },
    'desk/drop-backup': () => this.#drop(),
  } satisfies Partial<Handlers>

  async start(): Promise<void> {
    await this.#sweep()
  }

  /**
   * Saves a backup in the download folder.
   * @param figures whether stored figures are included
   * @throws DeskFailure for disk errors; `cancelled`. Then no file remains
   */
  async save(figures: boolean): Promise<BackupMade> {
    return await this.#asJob(figures ? 'figures' : 'state', async (context) => {
      const { signal } = context
      const folder = await this.#context.settings.downloadFolder()
      return await withDraft(folder, signal, async (draft) => {
        // Readable only by the user.
        await slowFolderGuard.run(folder, () => chmod(draft.path, 0o600))
        const leftOut = await this.#pack(draft.path, figures, context)
        throwIfCancelled(signal)
        const day = new Date(this.#context.clock.now()).toISOString().slice(0, 10)
        return { file: await draft.publish(`Traffic Desk backup ${day}`, backupEnding, signal), leftOut }
      })
    })
  }

  async #pack(to: string, figures: boolean, context: JobContext): Promise<number> {
    const { folder, version, store } = this.#context
    const packing = { profile: folder, to, figures, app: version }
    try {
      // The store copies its state within the profile folder, and so waits for no other disk.
      await store.run('backup/write', undefined)
      return await this.#inThread(context, (call) => call('backup/pack', packing))
    } finally {
      // The next start deletes anything left.
      await store.run('backup/clear', undefined).catch(() => null)
    }
  }

  /**
   * Copies and checks a file that may be a backup. Stored data is not changed.
   * @throws DeskFailure with the reason; `cancelled`. Then no copy remains
   */
  async choose(source: string): Promise<BackupFacts> {
    return await this.#asJob('restore', async (context) => {
      await this.#drop()
      const { folder, clock } = this.#context
      const unpacking = { source, profile: folder, now: clock.now() }
      try {
        return await this.#inThread(context, (call) => call('backup/unpack', unpacking))
      } catch (error) {
        await this.#drop()
        throw error
      }
    })
  }

  /** Restarts the app with the chosen backup. @throws DeskFailure if the choice was dropped since */
  async restore(): Promise<void> {
    // If the store reopened now, it would open the backup while others still work with the old data.
    const { store, shell } = this.#context
    store.mayRest(false)
    await store.run('backup/agree', undefined)
    shell.restart()
  }

  /** Drops the chosen backup. */
  #drop(): Promise<null> {
    return this.#context.store.run('backup/drop', undefined)
  }

  async stop(): Promise<void> {
    await this.#swept
  }

  #sweep(): Promise<unknown> {
    const clear = () => this.#context.store.run('backup/clear', undefined)
    return (this.#swept ??= this.#drop()
      .then(clear)
      .catch(() => null))
  }

  async #asJob<T>(subject: keyof typeof titles, work: (context: JobContext) => Promise<T>): Promise<T> {
    const run = async (context: JobContext) => {
      await this.#sweep()
      return await work(context)
    }
    return await this.#context.jobs.finish({
      ...{ kind: 'backup', account: null, subject, title: titles[subject], unit: 'files', run },
    })
  }

  async #inThread<T>({ signal, progress }: JobContext, work: (call: Call) => Promise<T>): Promise<T> {
    throwIfCancelled(signal)
    const thread = rpcClient<BackupCalls>({
      open: () => threadChannel(this.#context.worker, { name: 'backup' }),
      gone: (cause) => (signal.aborted ? cancelled() : stopped(cause)),
      closed: cancelled,
      // The thread emits only progress.
      onEvent: (event) => progress(event as JobProgress),
    })
    try {
      // A thread whose disk hangs cannot be ended. The job does not wait for it.
      const result = await withSignal(signal, () => work(thread.call))
      throwIfCancelled(signal)
      return result
    } finally {
      // Nothing is written after this. A thread that hangs ends when its disk responds.
      await within(longestEnd, signal.aborted ? thread.kill() : thread.close())
    }
  }
}

const stopped = (cause: unknown) =>
  deskFailure('internal', 'The backup could not be finished. Please try again.', { cause })
