import { open } from 'node:fs/promises'
import { createDraft } from '../files/draft.ts'
import { asDiskFailure } from '../files/disk-failure.ts'
import { exportStem } from '../exports/export-stem.ts'
import { writeViews } from './views-file.ts'
import type { FiledView } from './views-file.ts'

/**
 * Writes views into a file of a folder: under a temporary name, synced, and only then under its own, or the next number
 * where that is taken.
 * @param whose the account's name; whatever no file name can have is left out of it
 * @returns the file's name
 * @throws DeskFailure `disk` in words where the folder refuses; then there is no file
 */
export async function saveViewsFile(
  folder: string,
  whose: string,
  views: readonly FiledView[],
): Promise<string> {
  const draft = await createDraft(folder)
  try {
    const file = await open(draft.path, 'w')
    try {
      await file.writeFile(writeViews(views))
      await file.sync()
    } finally {
      await file.close()
    }
    return await draft.publish(exportStem(whose, 'Saved views', null), 'json')
  } catch (error) {
    throw asDiskFailure(error)
  } finally {
    await draft.discard()
  }
}
