import { join } from 'node:path'
import type { Schema } from '../../lib/sqlite/migrate.ts'

/**
 * The form of cache.sqlite. Every row belongs to an owner of figures (OwnerId) and refers to no account.
 *
 * Answers are as they came; days are null for what has none. Their text stands last, so that SQLite reaches the other
 * columns without walking through it.
 */
const answers = `
    CREATE TABLE answers (
      owner TEXT NOT NULL,
      key TEXT NOT NULL,
      path TEXT NOT NULL,
      first_day TEXT,
      last_day TEXT,
      fetched_at INTEGER NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (owner, key)
    ) STRICT;

    CREATE INDEX answers_by_path ON answers (owner, path);
`

/**
 * Whole tables, each fetched as one generation: of a subject (everything that a query is about but its days), over a
 * run of days. Their rows lie apart in packed pages, so that a list of what is kept never walks through them. A table
 * with `whole` 0 has its totals alone, and may stand beside a whole one.
 */
const keptTables = `
    CREATE TABLE kept_tables (
      id INTEGER PRIMARY KEY,
      owner TEXT NOT NULL,
      subject TEXT NOT NULL,
      first_day TEXT NOT NULL,
      last_day TEXT NOT NULL,
      whole INTEGER NOT NULL,
      fetched_at INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      head TEXT NOT NULL,
      UNIQUE (owner, subject, first_day, last_day, whole)
    ) STRICT;

    CREATE TABLE kept_pages (
      kept_table INTEGER NOT NULL REFERENCES kept_tables (id) ON DELETE CASCADE,
      page INTEGER NOT NULL,
      rows BLOB NOT NULL,
      PRIMARY KEY (kept_table, page)
    ) STRICT;
`

export const cacheSchema: Schema = {
  migrations: [{ version: 1, sql: answers + keptTables }],
  tables: ['answers', 'kept_tables', 'kept_pages'],
  // Pages that were freed can be given back to the disk only where this was said before the first table was made.
  first: 'PRAGMA auto_vacuum = INCREMENTAL',
}

/** The tables that name an owner: where rows of one that was removed are looked for. */
export const ownedTables = ['answers', 'kept_tables'] as const

/** The file of a profile folder that can be thrown away: what the service answered. */
export const cacheFile = (folder: string): string => join(folder, 'cache.sqlite')
