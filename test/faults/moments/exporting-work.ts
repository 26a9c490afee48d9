import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportedFile } from '#main/archives/engine/rows-engine.ts'
import { checkBackup, chosenFile, leavingFile } from '#main/database/state/moving.ts'
import { openSession } from '#main/database/store-session.ts'
import { openSaver } from './saver.ts'
import { sayStored, workUntilKilled } from './working.ts'

/** What such a process works on: numbers go up from `from`, and say what each piece of work is. */
export type ExportingOrders = {
  readonly folder: string
  /** The profile folder that rows were read into. */
  readonly work: string
  readonly read: ImportedFile
  readonly from: number
}

const open = (folder: string) => openSession(folder)

/** Goes on with a backup, as a person does who chooses one: what was set since is gone then. */
function restore(profile: string, number: number): void {
  const session = open(profile)
  session.run('settings/write', { lastView: String(number) })
  session.run('backup/drop', undefined)
  session.run('backup/write', undefined)
  renameSync(leavingFile(profile), chosenFile(profile))
  session.run('settings/write', { lastView: String(number + 0.5) })
  checkBackup(profile, Date.now())
  session.run('backup/agree', undefined)
  session.close()
  open(profile).close()
}

/** Saves one file of a kind after the other; a backup that is restored is among them. */
await workUntilKilled<ExportingOrders>(({ folder, work, read, from }) => {
  const { rows, table, groups, pack, unreadable, close } = openSaver(work, join(folder, 'Downloads'), read)
  const restored = async (number: number) => {
    restore(join(folder, 'profile'), number)
    return await Promise.resolve(null)
  }
  const kinds: readonly ((number: number) => Promise<string | null>)[] = [
    ...[restored, pack, rows('csv'), table('csv'), rows('xlsx')],
    ...[table('xlsx'), unreadable, groups('csv')],
  ]
  return {
    work: async (round) => {
      const number = from + round
      const file = await kinds[number % kinds.length]?.(number)
      sayStored({ number, file })
      return true
    },
    close,
  }
})
