import type { CallsOf, Run } from '../sqlite/database.ts'
import { answerOperations } from './answers-repository.ts'
import type { CacheState } from './cache-file.ts'
import { publishableOperations, catalogueSizeOperations, rowsFileOperations } from './catalogue-files.ts'
import { catalogueOperations } from './catalogue-repository.ts'
import { lookOperations } from './looks-repository.ts'

/** Everything that can be asked of cache.sqlite, each repository's own. */
export const cacheOperations = {
  ...answerOperations,
  ...catalogueOperations,
  ...catalogueSizeOperations,
  ...publishableOperations,
  ...rowsFileOperations,
  ...lookOperations,
} as const

/** What is asked of the file itself. */
type CacheFileCalls = { readonly 'cache/state': (argument: undefined) => CacheState }

export type CacheCalls = CallsOf<typeof cacheOperations> & CacheFileCalls

/** cache.sqlite as the main process sees it: every operation answers later, and never holds the process up. */
export type Store = {
  /** How the opening of what lasts went; it never rejects. */
  readonly opened: Promise<{ readonly kind: string }>
  /**
   * Asks for one operation.
   * @throws DeskFailure of kind `disk` where disk or folder refuse
   */
  readonly run: Run<CacheCalls>
}
