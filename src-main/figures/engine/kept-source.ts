import { cacheFile } from '../cache/cache-schema.ts'
import { openHandle, writerOver } from '../../lib/sqlite/database.ts'
import { troubleOf } from '../../lib/sqlite/trouble.ts'
import type { BlockSource } from './engine.ts'
import { Lacking, readBlocks } from './read-blocks.ts'

/**
 * Reads blocks from the cache of a profile folder. It is opened for each reading anew and closed after it, because the store
 * may begin another at any time. A file that cannot be read has none of the blocks.
 */
export function keptSource(folder: string): BlockSource {
  const file = cacheFile(folder)
  return (ids, rows, use) => {
    try {
      const handle = openHandle(file, { readonly: true })
      try {
        return use(readBlocks(writerOver(handle), ids, rows))
      } finally {
        handle.close()
      }
    } catch (error) {
      if (error instanceof Lacking || troubleOf(error) === 'mistake') throw error
      throw new Lacking(ids)
    }
  }
}
