import { onTestFinished } from 'vitest'
import { openHandle } from '../../../../src-main/store/database.ts'
import type { Handle } from '../../../../src-main/store/database.ts'
import { migrate } from '../../../../src-main/store/migrate.ts'

/** A database in memory as a version of the app left it. */
export function databaseOfVersion(version: number): Handle {
  const handle = openHandle(':memory:')
  onTestFinished(() => void handle.close())
  handle.pragma('foreign_keys = ON')
  migrate(handle, version)
  return handle
}
