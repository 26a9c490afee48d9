import { dirname, join } from 'node:path'
import type { DataScopeId } from '#shared/values/ids.ts'
import { writerOver } from '../sqlite/database.ts'
import { copyInMemory } from '../sqlite/memory-copy.ts'
import { isReadable, versionOf } from '../sqlite/migrate.ts'
import { removeFile } from '../sqlite/open-file.ts'
import { placeFile } from '../sqlite/place-file.ts'
import { troubleOf } from '../sqlite/trouble.ts'
import { removalsLeft, removeAgain } from './account-removal.ts'
import type { Removed } from './account-removal.ts'
import { stateSchema } from './schema.ts'

/** Under this name a copy is written until it is whole. */
export const draftIn = (folder: string): string => join(folder, 'being-made.sqlite')

/**
 * Forgets what was removed in a file that is a copy of the state; it stays as it is where it holds nothing of that. What is removed is
 * removed in memory, so that no draft holds it.
 * @returns whose removal the copy knows of now; null where this version cannot look through it, and it is as it was
 * @throws errors of SQLite and of the file system, where the disk refuses; then it is as it was
 */
export function forgetInCopy(file: string, removed: Removed): readonly DataScopeId[] | null {
  const draft = draftIn(dirname(file))
  removeFile(draft)
  try {
    const handle = copyInMemory(file)
    if (handle === null) return []
    try {
      if (!isReadable(stateSchema, versionOf(handle))) return null
      if (handle.pragma('quick_check(1)', { simple: true }) !== 'ok') return null
      handle.pragma('foreign_keys = ON')
      const copy = writerOver(handle)
      removeAgain(copy, removed)
      if (copy.row('SELECT total_changes() AS changes')?.['changes'] !== 0) {
        handle.prepare('VACUUM INTO ?').run(draft)
        placeFile(draft, file)
      }
      return removalsLeft(copy)
    } finally {
      handle.close()
    }
  } catch (error) {
    if (troubleOf(error) === 'disk') throw error
    return null
  } finally {
    removeFile(draft)
  }
}
