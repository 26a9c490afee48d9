import { deskFile } from '../../store/damaged-file.ts'
import { openHandle, writerOver } from '../../store/database.ts'
import { troubleOf } from '../../store/trouble.ts'
import type { BlockSource } from './engine.ts'
import { Lacking, readBlocks } from './read-blocks.ts'

/**
 * Reads blocks from the file of a profile folder. It is opened for each reading anew and closed after it, because the store
 * may put it aside at any time and begin another. A file that cannot be read has none of the blocks.
 */
export function keptSource(folder: string): BlockSource {
  const file = deskFile(folder)
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
