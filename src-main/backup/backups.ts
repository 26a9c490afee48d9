import { chmod } from 'node:fs/promises'
import { backupEnding } from '#shared/app/storage.ts'
import type { BackupFacts, BackupMade, BackupProgress } from '#shared/app/storage.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { OpenStore } from '#main/database/open-store.ts'
import { asDiskFailure } from '#main/files/disk-failure.ts'
import { createDraft } from '#main/files/draft.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import { cancelled, throwIfCancelled, withSignal, withTimeout } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { DeskShell } from '#main/lib/desk-shell.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { Settings } from '#main/settings/settings.ts'
import { rpcClient, threadLine } from '#main/workers/rpc-client.ts'
import type { RpcClient } from '#main/workers/rpc-client.ts'
import type { BackupCalls } from './backup-worker.ts'

/** For so long the end of a thread is waited for, in milliseconds. */
const longestEnd = 3000

type Call = RpcClient<BackupCalls>['call']

/**
 * Backups for a person to keep: one ZIP with all of the state, and the saved figures where the person wants that, written while
 * the app runs. It holds no token, because the state holds none. A file that is to be restored is copied, checked, and opened by
 * the next start. One at a time is made or chosen.
 */
export class Backups implements Module {
  readonly name = 'backups'
  readonly #profile: string
  readonly #worker: string | URL
  readonly #store: Pick<OpenStore, 'run' | 'mayRest'>
  readonly #settings: Pick<Settings, 'downloadFolder'>
  readonly #shell: Pick<DeskShell, 'chooseBackup' | 'restart'>
  readonly #events: Emitter
  readonly #about: { readonly version: string; readonly now: () => number }
  /** What is under way, and what waits for it. */
  readonly #endings = new Set<AbortController>()
  readonly #turns = new Lane()

  /** @param worker the file that its threads run */
  constructor(
    profile: string,
    worker: string | URL,
    store: Pick<OpenStore, 'run' | 'mayRest'>,
    settings: Pick<Settings, 'downloadFolder'>,
    shell: Pick<DeskShell, 'chooseBackup' | 'restart'>,
    events: Emitter,
    about: { readonly version: string; readonly now: () => number },
  ) {
    this.#profile = profile
    this.#worker = worker
    this.#store = store
    this.#settings = settings
    this.#shell = shell
    this.#events = events
    this.#about = about
  }

  readonly handlers = {
    'desk/back-up': ({ figures }) => this.save(figures),
    'desk/cancel-backup': () => {
      this.cancel()
      return null
    },
    'desk/choose-backup': async () => {
      const source = await this.#shell.chooseBackup()
      return source === null ? null : await this.choose(source)
    },
    'desk/restore-backup': async () => {
      await this.restore()
      return null
    },
    'desk/drop-backup': () => this.#drop(),
  } satisfies Partial<Handlers>

  /** Forgets what an app has left that was killed meanwhile: what was chosen, or a copy of its state. */
  async start(): Promise<void> {
    await this.#turns.run(async () => {
      await this.#drop()
      await this.#store.run('backup/clear', undefined)
    })
  }

  /**
   * Saves a backup into the folder of downloads. @param figures whether saved figures go along
   * @throws DeskFailure in words where a disk refuses; `cancelled`. Then there is none
   */
  async save(figures: boolean): Promise<BackupMade> {
    return await this.#inTurn(async (signal) => {
      const folder = await this.#settings.downloadFolder()
      const draft = await createDraft(folder)
      try {
        // It is for this person alone, until they give it to somebody.
        await slowFolderGuard.run(folder, () => chmod(draft.path, 0o600))
        const leftOut = await this.#pack(draft.path, figures, signal)
        throwIfCancelled(signal)
        const day = new Date(this.#about.now()).toISOString().slice(0, 10)
        return { file: await draft.publish(`Traffic Desk backup ${day}`, backupEnding, signal), leftOut }
      } catch (error) {
        throw asDiskFailure(error)
      } finally {
        await draft.discard()
      }
    })
  }

  async #pack(to: string, figures: boolean, signal: AbortSignal): Promise<number> {
    const packing = { profile: this.#profile, to, figures, app: this.#about.version }
    try {
      // The store copies its state within the profile folder: it waits for no other disk.
      await this.#store.run('backup/write', undefined)
      return await this.#inThread(signal, (call) => call('backup/pack', packing))
    } finally {
      // What stays goes at the next start.
      await this.#store.run('backup/clear', undefined).catch(() => null)
    }
  }

  /**
   * Copies and checks a file that somebody says is a backup. Nothing that is saved is touched.
   * @throws DeskFailure in words; `cancelled`. Then nothing of it is left
   */
  async choose(source: string): Promise<BackupFacts> {
    return await this.#inTurn(async (signal) => {
      await this.#drop()
      const unpacking = { source, profile: this.#profile, now: this.#about.now() }
      try {
        return await this.#inThread(signal, (call) => call('backup/unpack', unpacking))
      } catch (error) {
        await this.#drop()
        throw error
      }
    })
  }

  /** Starts the app again, with what was chosen. @throws DeskFailure where it was let go since */
  async restore(): Promise<void> {
    // Opened again now, it would be opened as the backup, under those who work with what was there before.
    this.#store.mayRest(false)
    await this.#store.run('backup/agree', undefined)
    this.#shell.restart()
  }

  /** Forgets what was chosen. */
  #drop(): Promise<null> {
    return this.#store.run('backup/drop', undefined)
  }

  /** Gives up what is under way, and what waits for it. */
  cancel(): void {
    for (const ending of this.#endings) ending.abort()
  }

  async stop(): Promise<void> {
    this.cancel()
    await this.#turns.idle()
  }

  async #inTurn<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ending = new AbortController()
    this.#endings.add(ending)
    const turn = this.#turns.run(() => {
      throwIfCancelled(ending.signal)
      return work(ending.signal)
    })
    return await turn.finally(() => this.#endings.delete(ending))
  }

  async #inThread<T>(signal: AbortSignal, work: (call: Call) => Promise<T>): Promise<T> {
    throwIfCancelled(signal)
    let line: ReturnType<typeof threadLine> | undefined
    let ended: Promise<void> = Promise.resolve()
    const thread = rpcClient<BackupCalls>({
      open: () => {
        const begun = threadLine(this.#worker, { name: 'backup' })
        ended = new Promise((resolve) => begun.onEnd(() => resolve()))
        return (line = begun)
      },
      gone: (cause) => (signal.aborted ? cancelled() : stopped(cause)),
      closed: cancelled,
      onEvent: inSteps(this.#events),
    })
    const kill = () => line?.kill()
    signal.addEventListener('abort', kill)
    try {
      // A thread that waits for a disk which does not answer cannot be ended: nobody waits with it.
      const result = await withSignal(signal, () => work(thread.call))
      throwIfCancelled(signal)
      return result
    } finally {
      signal.removeEventListener('abort', kill)
      if (signal.aborted) kill()
      void thread.close()
      // What it writes, it writes no more; one that hangs ends as soon as its disk answers.
      await withTimeout({ milliseconds: longestEnd }, () => ended).catch(() => undefined)
    }
  }
}

/** Tells windows how far it is, a hundred times at most for a list of files. */
function inSteps(events: Emitter): (event: unknown) => void {
  let told = -1
  return (event) => {
    // The thread tells nothing else.
    const progress = event as BackupProgress
    const percent = Math.floor((100 * progress.done) / progress.of)
    if (percent === told) return
    told = percent
    events.emit({ kind: 'backup/progress', ...progress })
  }
}

const stopped = (cause: unknown) =>
  new DeskFailure(
    { kind: 'internal', message: 'The backup could not be finished. Please try again.' },
    { cause },
  )
