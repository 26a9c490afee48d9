import { chmod, copyFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backupEnding } from '../../src-shared/desk/backup.ts'
import type { BackupFacts } from '../../src-shared/desk/backup.ts'
import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import type { Handlers } from '../bridge/handlers.ts'
import { asDiskFailure, hasCode } from '../files/disk-failure.ts'
import { createDraft } from '../files/draft.ts'
import { folderLooks } from '../lib/folder-looks.ts'
import { storeFailure } from '../lib/sqlite/trouble.ts'
import type { DeskShell } from '../shell/desk-shell.ts'
import { chosenFile } from '../state/moving.ts'
import type { OpenStore } from '../store/open-store.ts'

/** No desk's state comes near that. In bytes. */
const MOST = 1_000_000_000

type BackupParts = {
  /** The profile folder. */
  readonly folder: string
  readonly store: Pick<OpenStore, 'run' | 'mayRest'>
  /** Where files are saved at this moment. */
  readonly downloads: () => Promise<string>
  readonly shell: Pick<DeskShell, 'chooseBackup' | 'restart'>
  readonly now: () => number
}

/**
 * Backups for a person to keep: one file with all of the state, written while the app runs. It holds no token, because the state
 * holds none, and no figures, because they can be asked for again. A file that is to be restored is copied, checked, and
 * opened by the next start.
 */
export function backupHandlers({ folder, store, downloads, shell, now }: BackupParts): BackupHandlers {
  return {
    'desk/back-up': async () => {
      const saved = await downloads()
      const draft = await createDraft(saved)
      try {
        // It is for this person alone, until they give it to somebody.
        await folderLooks.at(saved, () => chmod(draft.path, 0o600))
        await store.run('backup/write', draft.path)
        const day = new Date(now()).toISOString().slice(0, 10)
        return { file: await draft.publish(`Traffic Desk backup ${day}`, backupEnding) }
      } catch (error) {
        throw asDiskFailure(error)
      } finally {
        await draft.discard()
      }
    },
    'desk/choose-backup': async (): Promise<BackupFacts | null> => {
      const source = await shell.chooseBackup()
      if (source === null) return null
      await store.run('backup/drop', undefined)
      await copyChosen(source, chosenFile(folder))
      return store.run('backup/check', undefined)
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
}

type BackupHandlers = Pick<
  Handlers,
  'desk/back-up' | 'desk/choose-backup' | 'desk/restore-backup' | 'desk/drop-backup'
>

/** Here, not in the store's thread: the file may lie on a share that does not answer. */
async function copyChosen(source: string, to: string): Promise<void> {
  const copy = async () => {
    const found = await stat(source)
    if (!found.isFile() || found.size > MOST) throw invalid('This file is no backup of Traffic Desk.')
    await copyFile(source, to)
  }
  try {
    await folderLooks.at(dirname(source), copy)
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'EACCES'))
      throw invalid('This file cannot be read. Check that it is there and that you may read it.', error)
    throw storeFailure(error)
  }
}

const invalid = (message: string, cause?: unknown) => new DeskFailure({ kind: 'invalid', message }, { cause })
