import type { CallsOf, Run } from '../sqlite/database.ts'
import { accountOperations } from './accounts-repository.ts'
import { alertOperations } from './alerts-repository.ts'
import { blockListOperations, importChoiceOperations, recountOperations } from './archives-repository.ts'
import { caseOperations } from './cases-repository.ts'
import { dataScopeOperations } from './data-scopes-repository.ts'
import { downloadOperations } from './downloads-repository.ts'
import { findingOperations, muteOperations } from './findings-repository.ts'
import { noteOperations } from './notes-repository.ts'
import { rawAnnouncementOperations } from './raw-announcements-repository.ts'
import { rawReportOperations } from './raw-reports-repository.ts'
import { rawRequestOperations } from './raw-requests-repository.ts'
import { rawTemplateOperations } from './raw-templates-repository.ts'
import { restatementOperations } from './restatements-repository.ts'
import { scheduleOperations } from './schedules-repository.ts'
import { settingsOperations, updateOperations } from './settings-repository.ts'
import type { StateOpening } from './state-file.ts'
import { viewOperations } from './views-repository.ts'

/** All operations of state.sqlite, from its repositories. */
export const stateOperations = {
  ...accountOperations,
  ...dataScopeOperations,
  ...restatementOperations,
  ...settingsOperations,
  ...viewOperations,
  ...blockListOperations,
  ...importChoiceOperations,
  ...caseOperations,
  ...noteOperations,
  ...alertOperations,
  ...findingOperations,
  ...muteOperations,
  ...scheduleOperations,
  ...recountOperations,
  ...downloadOperations,
  ...rawRequestOperations,
  ...rawTemplateOperations,
  ...rawReportOperations,
  ...rawAnnouncementOperations,
  ...updateOperations,
} as const

export type StateCalls = CallsOf<typeof stateOperations>

/** state.sqlite as the main process sees it. Operations are asynchronous and never block the process. */
export type StateStore = {
  /** Result of the opening; never rejects. Earlier operations wait for it. */
  readonly opened: Promise<StateOpening>
  /** Runs an operation of `stateOperations`. @throws DeskFailure of kind `disk` if the disk or folder fails */
  readonly run: Run<StateCalls>
  /** Closes the files after all pending operations. */
  readonly close: () => Promise<void>
}
