import type { CallsOf } from '../sqlite/operations.ts'
import { answerOperations } from './answers-repository.ts'
import type { CacheState } from './cache-file.ts'
import { publishableOperations } from './catalogue-publishable.ts'
import { catalogueOperations } from './catalogue-repository.ts'
import { catalogueSizeOperations } from './catalogue-sizes.ts'
import { rowsFileOperations } from './rows-files-repository.ts'

/** Everything that can be asked of cache.sqlite, each repository's own. */
export const cacheOperations = {
  ...answerOperations,
  ...catalogueOperations,
  ...catalogueSizeOperations,
  ...publishableOperations,
  ...rowsFileOperations,
} as const

/** What is asked of the file itself. */
type CacheFileCalls = { readonly 'cache/state': (argument: undefined) => CacheState }

export type CacheCalls = CallsOf<typeof cacheOperations> & CacheFileCalls
