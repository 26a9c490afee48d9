import { chmod } from 'node:fs/promises'
import { backupEnding } from '#shared/app/backup.ts'
import type { BackupProgress } from '#shared/app/backup.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Handlers } from '#main/lib/module.ts'
import { asDiskFailure } from '#main/files/disk-failure.ts'
import { createDraft } from '#main/files/draft.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { DeskShell } from '#main/lib/desk-shell.ts'
import { putTogether, takeApart } from '#main/database/figures-along.ts'
import type { OpenStore } from '#main/database/open-store.ts'

type BackupParts = {
  /** The profile folder. */
  readonly folder: string
  readonly store: Pick<OpenStore, 'run' | 'mayRest'>
  readonly storeWorker: string | URL
  /** Where files are saved at this moment. */
  readonly downloads: () => Promise<string>
  readonly shell: Pick<DeskShell, 'chooseBackup' | 'restart'>
  readonly events: Emitter
  readonly now: () => number
}

/**
 * Backups for a person to keep: one file with all of the state, and the saved figures where the person wants that, written while
 * the app runs. It holds no token, because the state holds none. A file that is to be restored is copied, checked, and opened by
 * the next start.
 */
export function createBackups(parts: BackupParts): Backups {
  const { folder, store, storeWorker: worker, downloads, shell, events, now } = parts
  /** What is under way, and what waits for it. */
  const endings = new Set<AbortController>()
  const turns = new Lane()

  const inTurn = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const ending = new AbortController()
    endings.add(ending)
    const turn = turns.run(() => {
      throwIfCancelled(ending.signal)
      return work(ending.signal)
    })
    return await turn.finally(() => endings.delete(ending))
  }
  const cancel = () => {
    for (const ending of endings) ending.abort()
  }

  const handlers: BackupHandlers = {
    'desk/back-up': ({ figures }) =>
      inTurn(async (signal) => {
        const saved = await downloads()
        const draft = await createDraft(saved)
        try {
          // It is for this person alone, until they give it to somebody.
          await slowFolderGuard.at(saved, () => chmod(draft.path, 0o600))
          const progress = figures ? inSteps(events) : null
          const leftOut = await putTogether({ folder, store, worker, signal }, draft.path, progress)
          throwIfCancelled(signal)
          const day = new Date(now()).toISOString().slice(0, 10)
          return { file: await draft.publish(`Traffic Desk backup ${day}`, backupEnding, signal), leftOut }
        } catch (error) {
          throw asDiskFailure(error)
        } finally {
          await draft.discard()
        }
      }),
    'desk/cancel-backup': () => {
      cancel()
      return null
    },
    'desk/choose-backup': async () => {
      const source = await shell.chooseBackup()
      if (source === null) return null
      return await inTurn((signal) => takeApart({ folder, store, worker, signal }, source))
    },
    'desk/restore-backup': async () => {
      // Opened again now, it would be opened as the backup, under those who work with what was there before.
      store.mayRest(false)
      await store.run('backup/agree', undefined)
      shell.restart()
      return null
    },
    'desk/drop-backup': () => store.run('backup/drop', undefined),
  }
  return {
    handlers,
    // An app that was killed meanwhile has left what was chosen, or a copy of its state.
    begin: () =>
      turns.run(async () => {
        await store.run('backup/drop', undefined)
        await store.run('backup/clear', undefined)
      }),
    close: async () => {
      cancel()
      await turns.run(() => Promise.resolve())
    },
  }
}

/** Tells a window how far it is, a hundred times at most for a list of files. */
function inSteps(events: Emitter): (progress: BackupProgress) => void {
  let told = -1
  return (progress) => {
    const percent = Math.floor((100 * progress.done) / progress.of)
    if (percent === told) return
    told = percent
    events.emit({ kind: 'backup/progress', ...progress })
  }
}

type Backups = {
  readonly handlers: BackupHandlers
  readonly begin: () => Promise<unknown>
  readonly close: () => Promise<void>
}

type BackupHandlers = Pick<
  Handlers,
  'desk/back-up' | 'desk/cancel-backup' | 'desk/choose-backup' | 'desk/restore-backup' | 'desk/drop-backup'
>
