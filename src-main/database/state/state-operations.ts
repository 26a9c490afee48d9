import type { CallsOf } from '../sqlite/operations.ts'
import { accountOperations } from './accounts-repository.ts'
import { ownerOperations } from './data-scopes-repository.ts'
import { blockListOperations } from './block-lists-repository.ts'
import { caseOperations } from './cases-repository.ts'
import { downloadOperations } from './downloads-repository.ts'
import { rawAnnouncementOperations } from './raw-announcements-repository.ts'
import { rawReportOperations } from './raw-reports-repository.ts'
import { rawRequestOperations } from './raw-requests-repository.ts'
import { rawTemplateOperations } from './raw-templates-repository.ts'
import { recountOperations } from './recounts-repository.ts'
import { restatementOperations } from './restatements-repository.ts'
import { settingsOperations } from './settings-repository.ts'
import { updateOperations } from './updates-repository.ts'
import { viewOperations } from './views-repository.ts'

/** Everything that can be asked of state.sqlite, each repository's own. */
export const stateOperations = {
  ...accountOperations,
  ...ownerOperations,
  ...restatementOperations,
  ...settingsOperations,
  ...viewOperations,
  ...blockListOperations,
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
