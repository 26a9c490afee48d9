import type { CacheNews } from './cache/cache-file.ts'
import type { StateNews, StateOpening } from './state/opening.ts'
import type { Damaged, StoreCalls } from './store-session.ts'

/** What the thread is started for: to keep both files open, to look through them once, or to carry figures into a backup or out of it. */
export type StoreTask = { readonly task: 'keep' | 'check' | 'back-up'; readonly folder: string }

export type KeepCalls = StoreCalls & {
  /** Answers once the files are open. */
  readonly 'store/begin': (argument: undefined) => null
  readonly 'store/replace': (damaged: Damaged) => void
}

export type CheckCalls = { readonly 'store/check': (argument: undefined) => Damaged }

/** What is told unasked: that operations can be asked, how the opening went, and what happened to the files since. */
export type StoreEvent =
  | { readonly kind: 'ready' }
  | { readonly kind: 'opened'; readonly opening: StateOpening }
  | { readonly kind: 'state'; readonly news: StateNews }
  | { readonly kind: 'cache'; readonly news: CacheNews }
