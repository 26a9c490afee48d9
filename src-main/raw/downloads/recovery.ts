import { stat, unlink } from 'node:fs/promises'
import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { StoredDownload, StoredState } from '#main/database/state/downloads-repository.ts'

const found = (path: string): Promise<Stats | null> => stat(path).catch(() => null)

/** What is to be changed of a kept download after the app ended in the middle of something; null for nothing. */
export async function recovered(
  stored: StoredDownload,
  published: StoredState,
): Promise<Partial<StoredDownload> | null> {
  if (stored.state.kind !== 'publishing') return null
  const target = join(stored.folder, stored.file)
  const path = stored.part === null ? null : join(stored.folder, stored.part)
  const [file, part] = await Promise.all([found(target), path === null ? null : found(path)])
  if (part === null || path === null) {
    // The part is gone: either it has become the file, or somebody took both away.
    return file?.isFile() && file.size === stored.size
      ? { part: null, state: published }
      : { part: null, etag: null, state: { kind: 'waiting' } }
  }
  if (file !== null && file.ino === part.ino && file.dev === part.dev) {
    // That its second name cannot be taken away makes the file no less saved.
    await unlink(path).catch(() => undefined)
    return { part: null, state: published }
  }
  // Where files have one name only, the name was taken by an empty one first: it was free a moment before.
  if (file?.isFile() && file.size === 0) await unlink(target).catch(() => undefined)
  return { state: { kind: 'waiting' } }
}
