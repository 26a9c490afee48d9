import { crc32 } from 'node:zlib'
import type { Handle } from './database.ts'
import { codeOf } from '#main/lib/error-code.ts'
import { DamagedFile, openHandle } from './database.ts'

/** One change of a schema. Released migrations are never edited. */
type Migration = {
  /** The file's `user_version` after the migration, greater than that of the previous one. */
  readonly version: number
  readonly sql: string
}

/** A schema: initial tables and all migrations, in order. */
export type Schema = {
  /** The oldest supported version. */
  readonly base: Migration
  readonly migrations: readonly Migration[]
  /** SQL that runs before the first table is created. */
  readonly first?: string
  /** `checksumOf` the newest version's columns. Without it, each start creates the tables in memory to compare them. */
  readonly checksum?: number
}

/** Thrown if SQLite rejects a migration: this version cannot migrate the file. Earlier steps stay applied. */
export class MigrationMistake extends Error {
  override readonly name = 'MigrationMistake'
}

/** Returns the newest version of a schema. */
export const currentVersion = ({ base, migrations }: Schema): number =>
  migrations.at(-1)?.version ?? base.version

/** Returns the migrations of a file of this version. */
export const migrationsUpTo = ({ migrations }: Schema, last: number): readonly Migration[] =>
  migrations.filter(({ version }) => version <= last)

/** Whether a file of this version can be migrated. */
export const isReadable = (schema: Schema, version: number): boolean =>
  version >= schema.base.version && version <= currentVersion(schema)

export function versionOf(handle: Handle): number {
  return Number(handle.pragma('user_version', { simple: true }))
}

/**
 * Migrates a file to the newest version, one transaction per step.
 * @param before runs once before the first step, unless the file is new
 * @throws DamagedFile if the file is older than the base version or lacks columns; MigrationMistake; errors of `before`
 */
export function migrate(handle: Handle, schema: Schema, before: () => void = () => undefined): void {
  // One transaction, because another process may be migrating the same file.
  const { version, tables, columns } = handle.transaction(() => ({
    version: versionOf(handle),
    tables: tablesOf(handle),
    columns: columnsOf(handle),
  }))()
  const { base } = schema
  const isNew = version === 0
  if (isNew && tables.length > 0) throw new DamagedFile('Tables that no version made')
  if (!isNew && version < base.version) throw new DamagedFile('Of a version that is not read any more')
  const steps = isNew
    ? [base, ...schema.migrations]
    : schema.migrations.filter((step) => step.version > version)
  if (!isNew && steps.length > 0) {
    // SQLite would reject a step that renames a missing column, and the file would stay as it is.
    checkColumns(columns, [base, ...migrationsUpTo(schema, version)])
    before()
  }
  for (const migration of steps) handle.transaction(() => step(handle, migration)).immediate()
  if (isNew) return
  const migrated = steps.length === 0 ? columns : columnsOf(handle)
  if (checksumOf(migrated) !== schema.checksum) checkColumns(migrated, [base, ...schema.migrations])
}

/** Checks that all columns exist. SQLite's own checks miss a flipped bit in the SQL of a table. @throws DamagedFile */
function checkColumns(columns: readonly unknown[], steps: readonly Migration[]): void {
  const sound = openHandle(':memory:')
  try {
    for (const { sql } of steps) sound.exec(sql)
    const found = new Set(columns)
    const missing = columnsOf(sound).filter((column) => !found.has(column))
    if (missing.length > 0) throw new DamagedFile(`No ${missing.join(', ')}`)
  } finally {
    sound.close()
  }
}

function step(handle: Handle, { version, sql }: Migration): void {
  // Another process has run this step.
  if (versionOf(handle) >= version) return
  try {
    handle.exec(sql)
  } catch (error) {
    if (/^SQLITE_(?:ERROR$|CONSTRAINT)/.test(codeOf(error) ?? ''))
      throw new MigrationMistake(`Version ${version} could not be made`, { cause: error })
    throw error
  }
  handle.pragma(`user_version = ${version}`)
}

/** CRC-32 of columns in the order of `columnsOf`. */
export const checksumOf = (columns: readonly unknown[]): number => crc32(columns.join('\n'))

/** Lists columns as "table.column 1", with the position in the primary key, sorted. SQLite ignores case. */
export const columnsOf = (handle: Handle): readonly unknown[] =>
  handle
    .prepare(
      `SELECT lower(t.name || '.' || c.name || ' ' || c.pk)
       FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c WHERE t.type = 'table' ORDER BY 1`,
    )
    .pluck()
    .all()

const tablesOf = (handle: Handle): unknown[] =>
  handle.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all()
