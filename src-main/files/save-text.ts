import { writeFile } from 'node:fs/promises'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { asDiskFailure } from './disk-failure.ts'
import { createDraft } from './draft.ts'

/**
 * Writes text into a new file of a folder: under a temporary name, synced, and only then under its own, or the next number where that is
 * taken.
 * @param stem the name without its ending; whatever no file name can have is left out of it
 * @returns the file's name
 * @throws DeskFailure `disk` in words where the folder refuses; then there is no file
 */
export async function saveText(folder: string, stem: string, ending: string, text: string): Promise<string> {
  const draft = await createDraft(folder)
  try {
    await slowFolderGuard.run(folder, () => writeFile(draft.path, text))
    return await draft.publish(stem, ending)
  } catch (error) {
    throw asDiskFailure(error)
  } finally {
    await draft.discard()
  }
}
