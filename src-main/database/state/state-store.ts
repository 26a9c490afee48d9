import type { CallsOf, Run } from '../sqlite/database.ts'
import { accountOperations } from './accounts-repository.ts'
import { blockListOperations, importChoiceOperations, recountOperations } from './archives-repository.ts'
import { caseOperations } from './cases-repository.ts'
import { ownerOperations } from './data-scopes-repository.ts'
import { downloadOperations } from './downloads-repository.ts'
import { rawAnnouncementOperations } from './raw-announcements-repository.ts'
import { rawReportOperations } from './raw-reports-repository.ts'
import { rawRequestOperations } from './raw-requests-repository.ts'
import { rawTemplateOperations } from './raw-templates-repository.ts'
import { restatementOperations } from './restatements-repository.ts'
import { settingsOperations, updateOperations } from './settings-repository.ts'
import type { StateOpening } from './state-file.ts'
import { viewOperations } from './views-repository.ts'

/** Everything that can be asked of state.sqlite, each repository's own. */
export const stateOperations = {
  ...accountOperations,
  ...ownerOperations,
  ...restatementOperations,
  ...settingsOperations,
  ...viewOperations,
  ...blockListOperations,
  ...importChoiceOperations,
  ...caseOperations,
  ...recountOperations,
  ...downloadOperations,
  ...rawRequestOperations,
  ...rawTemplateOperations,
  ...rawReportOperations,
  ...rawAnnouncementOperations,
  ...updateOperations,
} as const

export type StateCalls = CallsOf<typeof stateOperations>

/** state.sqlite as the main process sees it: every operation answers later, and never holds the process up. */
export type Store = {
  /** How the opening went; it never rejects. Operations may be asked before, and wait their turn. */
  readonly opened: Promise<StateOpening>
  /**
   * Runs one operation of `stateOperations`.
   * @throws DeskFailure of kind `disk` where disk or folder refuse
   */
  readonly run: Run<StateCalls>
  /** Closes the files after everything asked so far is done. */
  readonly close: () => Promise<void>
}
