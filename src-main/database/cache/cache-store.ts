import type { Run } from '../sqlite/run.ts'
import type { CacheCalls } from './cache-operations.ts'

/** cache.sqlite as the main process sees it: every operation answers later, and never holds the process up. */
export type Store = {
  /** How the opening of what lasts went; it never rejects. */
  readonly opened: Promise<{ readonly kind: string }>
  /**
   * Asks for one operation (cache-operations.ts).
   * @throws DeskFailure of kind `disk` where disk or folder refuse
   */
  readonly run: Run<CacheCalls>
}
