import type { StateStore } from '#main/database/state/state-store.ts'
import type { CallsOf, Run } from '../sqlite/database.ts'
import { answerOperations } from './answers-repository.ts'
import type { CacheState } from './cache-file.ts'
import { publishableOperations, catalogueSizeOperations, rowsFileOperations } from './catalogue-files.ts'
import { catalogueOperations } from './catalogue-repository.ts'
import { lookOperations } from './looks-repository.ts'

/** All operations of cache.sqlite, from its repositories. */
export const cacheOperations = {
  ...answerOperations,
  ...catalogueOperations,
  ...catalogueSizeOperations,
  ...publishableOperations,
  ...rowsFileOperations,
  ...lookOperations,
} as const

/** Operations of the file itself. */
type CacheFileCalls = { readonly 'cache/state': (argument: undefined) => CacheState }

export type CacheCalls = CallsOf<typeof cacheOperations> & CacheFileCalls

/** cache.sqlite as the main process sees it. Operations are asynchronous and never block the process. */
export type CacheStore = {
  /** Result of opening the state; never rejects. */
  readonly opened: Promise<{ readonly kind: string }>
  /** Runs an operation. @throws DeskFailure of kind `disk` if the disk or folder fails */
  readonly run: Run<CacheCalls>
}

/** Both databases as the main process sees them: one store, in one thread. */
export type StateAndCache = CacheStore & StateStore
