import { join } from 'node:path'
import { saveText } from '#main/files/draft.ts'
import { openBackups } from './moving.ts'
import { sayStored, workUntilKilled } from './working.ts'

/** What such a process works on: numbers go up from `from`. */
export type SavingOrders = { readonly folder: string; readonly from: number }

/** A text of which each line says whose it is. */
const textOf = (number: number): string => `${number}\n`.repeat(20_000)

/** Writes down what a person set, saves a text, and makes a backup, again and again: each has a number. */
await workUntilKilled<SavingOrders>(({ folder, from }) => {
  const profile = join(folder, 'profile')
  const saved = join(folder, 'saved')
  const { store, backups, close } = openBackups(profile, saved)
  return {
    work: async (round) => {
      const number = from + round
      await store.run('settings/write', { lastView: String(number) })
      sayStored({ is: 'set', number })
      await saveText(saved, `Text ${number}`, 'txt', textOf(number))
      sayStored({ is: 'saved', number })
      const { file } = await backups.save(false)
      sayStored({ is: 'backup', number, file })
      return true
    },
    close,
  }
})
