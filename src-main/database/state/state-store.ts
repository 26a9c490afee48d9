import type { Run } from '../sqlite/run.ts'
import type { StateOpening } from './opening.ts'
import type { StateCalls } from './state-operations.ts'

/** state.sqlite as the main process sees it: every operation answers later, and never holds the process up. */
export type Store = {
  /** How the opening went; it never rejects. Operations may be asked before, and wait their turn. */
  readonly opened: Promise<StateOpening>
  /**
   * Asks for one operation (state-operations.ts).
   * @throws DeskFailure of kind `disk` where disk or folder refuse
   */
  readonly run: Run<StateCalls>
  /** Closes the files after everything asked so far is done. */
  readonly close: () => Promise<void>
}
