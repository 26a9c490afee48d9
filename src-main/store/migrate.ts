import type { Handle } from './database.ts'
import { accountsAndSettings } from './migrations/0001-accounts-and-settings.ts'
import { answers } from './migrations/0002-answers.ts'
import { accountTraits } from './migrations/0003-account-traits.ts'
import { keptTables } from './migrations/0004-kept-tables.ts'
import { savedViews } from './migrations/0005-saved-views.ts'
import { rawReports } from './migrations/0006-raw-reports.ts'
import { rawRequests } from './migrations/0007-raw-requests.ts'
import { downloads } from './migrations/0008-downloads.ts'
import { history } from './migrations/0009-history.ts'
import { viewDepth } from './migrations/0010-view-depth.ts'
import type { Migration } from './migrations/migration.ts'
import { DamagedFile, codeOf } from './trouble.ts'

/** Every change of the file's form, in order. */
export const migrations: readonly Migration[] = [
  accountsAndSettings,
  answers,
  accountTraits,
  keptTables,
  savedViews,
  rawReports,
  rawRequests,
  downloads,
  history,
  viewDepth,
]

/** The version that this app writes. */
export const currentVersion = migrations.length

/** The tables that a file of the current version has. */
const tables = [
  'accounts',
  'settings',
  'answers',
  'kept_tables',
  'history_files',
  'saved_views',
  'raw_lists',
  'raw_reports',
  'raw_announcements',
  'raw_templates',
  'raw_schedules',
  'raw_requests',
  'downloads',
]

export function versionOf(handle: Handle): number {
  return Number(handle.pragma('user_version', { simple: true }))
}

/**
 * Brings a file to `target`, a step at a time, each step whole or not at all.
 * @throws DamagedFile where the file has not the tables that its version has
 */
export function migrate(handle: Handle, target: number = currentVersion): void {
  for (const migration of migrations.slice(versionOf(handle), target)) {
    handle.transaction(() => step(handle, migration)).immediate()
  }
  if (target === currentVersion) checkTables(handle)
}

function step(handle: Handle, { version, sql }: Migration): void {
  try {
    handle.exec(sql)
  } catch (error) {
    // A tested statement that is refused met tables that are not ours.
    if (codeOf(error) === 'SQLITE_ERROR')
      throw new DamagedFile('Not the tables of its version', { cause: error })
    throw error
  }
  handle.pragma(`user_version = ${version}`)
}

function checkTables(handle: Handle): void {
  const names = handle.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all()
  const missing = tables.filter((each) => !names.includes(each))
  if (missing.length > 0) throw new DamagedFile(`No table ${missing.join(', ')}`)
}
