import { createBackups } from '#main/app/backup.ts'
import { openStore } from '#main/database/open-store.ts'
import { AppEvents } from '#main/lib/app-events.ts'
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

/** The app's own backups of a profile, with a store and threads as the app has them. @param chosen what a person chooses */
export function openBackups(folder: string, downloads: string, chosen: string | null = null) {
  const store = openStore({ folder, worker: storeWorker })
  const { handlers, close } = createBackups({
    ...{ folder, store, storeWorker, downloads: () => Promise.resolve(downloads) },
    shell: { chooseBackup: () => Promise.resolve(chosen), restart: () => undefined },
    ...{ events: new AppEvents(), now: Date.now },
  })
  return {
    store,
    handlers,
    close: async () => {
      await close()
      await store.close()
    },
  }
}
