import { join } from 'node:path'
import { saveText } from '#main/files/save-text.ts'
import { createDraft } from '#main/files/draft.ts'
import { putTogether } from '#main/database/figures-along.ts'
import { openStore } from '#main/database/open-store.ts'
import { storeWorker } from './histories.ts'
import { sayStored, workUntilKilled } from './working.ts'

/** What such a process works on: numbers go up from `from`. */
export type SavingOrders = { readonly folder: string; readonly from: number }

/** A text of which each line says whose it is. */
const textOf = (number: number): string => `${number}\n`.repeat(20_000)

/** Writes down what a person set, saves a text, and makes a backup, again and again: each has a number. */
await workUntilKilled<SavingOrders>(({ folder, from }) => {
  const profile = join(folder, 'profile')
  const { signal } = new AbortController()
  const store = openStore({ folder: profile, worker: storeWorker })
  const saved = join(folder, 'saved')
  return {
    work: async (round) => {
      const number = from + round
      await store.run('settings/write', { lastView: String(number) })
      sayStored({ is: 'set', number })
      await saveText(saved, `Text ${number}`, 'txt', textOf(number))
      sayStored({ is: 'saved', number })
      const draft = await createDraft(saved)
      await putTogether({ folder: profile, store, worker: storeWorker, signal }, draft.path, null)
      await draft.publish(`Backup ${number}`, 'sqlite')
      sayStored({ is: 'backup', number })
      return true
    },
    close: () => store.close(),
  }
})
