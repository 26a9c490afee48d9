import { Backups } from '#main/backup/backups.ts'
import { openStore } from '#main/database/open-store.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { systemClock } from '#main/lib/async.ts'
import { Jobs } from '#main/lib/jobs.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import { openAsThread } from '#test/helpers/app-threads.ts'
import { fake } from '#test/helpers/fake.ts'
import { storeWorker } from './histories.ts'

/** A profile that a process backs up or restores, which is killed meanwhile. */
export type MovingOrders = {
  readonly what: 'back up' | 'restore'
  /** The profile folder. */
  readonly folder: string
  /** Where backups are saved. */
  readonly downloads: string
  /** The backups that are restored, one after the other, and the one to begin with. */
  readonly files: readonly string[]
  readonly from: number
}

/** The app's own backups of a profile, with a store and threads as the app has them. */
export function openBackups(folder: string, downloads = '') {
  const store = openStore({ folder, worker: storeWorker })
  const jobs = new Jobs(new AppEvents(), systemClock)
  const backups = new Backups({
    ...{ folder, openBackup: openAsThread('backup'), version: '1.2.3', store, jobs, clock: systemClock },
    settings: fake<Settings>('settings', { downloadFolder: () => Promise.resolve(downloads) }),
    shell: fake<SystemShell>('shell', { restart: () => undefined }),
  })
  return {
    store,
    backups,
    close: async () => {
      await jobs.stop()
      await backups.stop()
      await store.close()
    },
  }
}
