import { mkdtemp, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderHangs, slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { DeskFailure } from '#shared/api/failure.ts'

/** Whether a folder is there at this moment; one that does not answer is not. */
export async function isFolder(path: string): Promise<boolean> {
  const look = () => stat(path)
  return await slowFolderGuard.at(path, look).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

const invalid = (message: string, cause?: unknown) =>
  new DeskFailure({ kind: 'invalid', message, field: 'downloadFolder' }, { cause })

/** @throws DeskFailure in words where files cannot be saved in a folder, or it does not answer */
export async function checkFolder(path: string): Promise<void> {
  if (!(await isFolder(path))) throw invalid('This folder is not there (any more). Choose another.')
  try {
    // What a system says of rights is not always what it does: only trying tells.
    await slowFolderGuard.at(path, async () => rmdir(await mkdtemp(join(path, '.traffic-desk-'))))
  } catch (error) {
    if (error instanceof FolderHangs) throw invalid(error.message, error)
    throw invalid('Nothing can be saved in this folder. Choose another, or check who may write to it.', error)
  }
}
