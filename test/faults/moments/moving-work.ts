import { openBackups } from './moving.ts'
import type { MovingOrders } from './moving.ts'
import { sayStored, workUntilKilled } from './working.ts'

/** Saves one backup of a profile with its figures after the other, or restores some in turn and starts with each. */
await workUntilKilled<MovingOrders>(({ what, folder, downloads, files, from }) => {
  const restore = async (nth: number): Promise<void> => {
    const { handlers, close } = openBackups(folder, downloads, files[nth % files.length])
    await handlers['desk/choose-backup'](undefined)
    await handlers['desk/restore-backup'](undefined)
    sayStored(nth)
    await close()
    const next = openBackups(folder, downloads)
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
  const { handlers, close } = openBackups(folder, downloads)
  return {
    work: async () => {
      const { file, leftOut } = await handlers['desk/back-up']({ figures: true })
      sayStored({ file, leftOut })
      return true
    },
    close,
  }
})
