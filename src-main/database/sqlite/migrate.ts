import type { Handle } from './database.ts'
import { DamagedFile, codeOf, openHandle } from './database.ts'

/** One change of a file's form. Once released it is never edited: the next change is the next number. */
type Migration = {
  /** The `user_version` that the file has afterwards; the one before is one less. */
  readonly version: number
  readonly sql: string
}

/** The form of a file: what a new one begins with, and every change since, in order. */
export type Schema = {
  /** The oldest version that is read. */
  readonly base: Migration
  readonly migrations: readonly Migration[]
  /** Statements for a file before its first table is made. */
  readonly first?: string
}

/** Thrown where a statement of ours is refused: this version cannot bring the file to its form. The file is as it was. */
export class MigrationMistake extends Error {
  override readonly name = 'MigrationMistake'
}

/** The version that this app writes. */
export const currentVersion = ({ base, migrations }: Schema): number => base.version + migrations.length

/** Whether a file of this version can be brought to the newest one. */
export const isReadable = (schema: Schema, version: number): boolean =>
  version >= schema.base.version && version <= currentVersion(schema)

export function versionOf(handle: Handle): number {
  return Number(handle.pragma('user_version', { simple: true }))
}

/**
 * Brings a file to the newest version, a step at a time, each step whole or not at all.
 * @param before runs once before the first step of a file that has been used already
 * @throws DamagedFile where the file is older than the base, or has not the columns that its version has; MigrationMistake; whatever `before`
 *   throws
 */
export function migrate(handle: Handle, schema: Schema, before: () => void = () => undefined): void {
  // Another process may bring the same file to its form meanwhile: both are of one moment.
  const { version, tables } = handle.transaction(() => ({
    version: versionOf(handle),
    tables: tablesOf(handle),
  }))()
  const { base } = schema
  const isNew = version === 0
  if (isNew && tables.length > 0) throw new DamagedFile('Tables that no version made')
  if (!isNew && version < base.version) throw new DamagedFile('Of a version that is not read any more')
  const steps = isNew ? [base, ...schema.migrations] : schema.migrations.slice(version - base.version)
  if (!isNew && steps.length > 0) before()
  for (const migration of steps) handle.transaction(() => step(handle, migration)).immediate()
  if (!isNew) checkColumns(handle, [base, ...schema.migrations])
}

/**
 * A turned bit in the text by which SQLite knows a table goes unseen by its own checks.
 * @throws DamagedFile
 */
function checkColumns(handle: Handle, steps: readonly Migration[]): void {
  const sound = openHandle(':memory:')
  try {
    for (const { sql } of steps) sound.exec(sql)
    const found = new Set(columnsOf(handle))
    const missing = columnsOf(sound).filter((column) => !found.has(column))
    if (missing.length > 0) throw new DamagedFile(`No ${missing.join(', ')}`)
  } finally {
    sound.close()
  }
}

function step(handle: Handle, { version, sql }: Migration): void {
  // Another process has done it.
  if (versionOf(handle) >= version) return
  try {
    handle.exec(sql)
  } catch (error) {
    if (codeOf(error) === 'SQLITE_ERROR' || codeOf(error).startsWith('SQLITE_CONSTRAINT'))
      throw new MigrationMistake(`Version ${version} could not be made`, { cause: error })
    throw error
  }
  handle.pragma(`user_version = ${version}`)
}

/** "table.column 1", with its place in the primary key. Case means nothing to SQLite. */
const columnsOf = (handle: Handle): readonly unknown[] =>
  handle
    .prepare(
      `SELECT lower(t.name || '.' || c.name || ' ' || c.pk)
       FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c WHERE t.type = 'table'`,
    )
    .pluck()
    .all()

const tablesOf = (handle: Handle): unknown[] =>
  handle.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all()
