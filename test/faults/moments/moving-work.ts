import { openBackups } from './moving.ts'
import type { MovingOrders } from './moving.ts'
import { sayStored, workUntilKilled } from './working.ts'

/** Saves one backup of a profile with its figures after the other, or restores some in turn and starts with each. */
await workUntilKilled<MovingOrders>(({ what, folder, downloads, files, from }) => {
  const restore = async (nth: number): Promise<void> => {
    const { backups, close } = openBackups(folder)
    await backups.choose(files[nth % files.length] ?? '')
    await backups.restore()
    sayStored(nth)
    await close()
    const next = openBackups(folder)
    await next.store.opened
    await next.close()
  }
  if (what === 'restore')
    return {
      work: async (round) => {
        await restore(from + round)
        return true
      },
      close: () => Promise.resolve(),
    }
  const { backups, close } = openBackups(folder, downloads)
  return {
    work: async () => {
      const { file, leftOut } = await backups.save(true)
      sayStored({ file, leftOut })
      return true
    },
    close,
  }
})
