import { join } from 'node:path'
import type { Schema } from '../sqlite/migrate.ts'

/**
 * The form of cache.sqlite. Every row belongs to a data scope (DataScopeId; column `owner`) and refers to no account.
 *
 * Answers are as they came; where `made_of` names stored tables, they were computed from those. Days are null for what has none.
 * Their text stands last, so that SQLite reaches the other columns without walking through it.
 */
const answers = `
    CREATE TABLE answers (
      owner TEXT NOT NULL,
      key TEXT NOT NULL,
      path TEXT NOT NULL,
      first_day TEXT,
      last_day TEXT,
      fetched_at INTEGER NOT NULL,
      made_of TEXT NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (owner, key)
    ) STRICT;

    CREATE INDEX answers_by_path ON answers (owner, path);
`

/**
 * The catalogue of the history folder: its files, and which tables lie in which of them. A table is of a subject (everything
 * that a query is about but its days), over a run of days, fetched as one. With `whole` 0 it has its totals alone, and
 * may stand beside a whole one.
 */
const catalogue = `
    CREATE TABLE history_files (
      path TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      size INTEGER NOT NULL,
      checksum TEXT NOT NULL,
      tables INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE kept_tables (
      id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      subject TEXT NOT NULL,
      first_day TEXT NOT NULL,
      last_day TEXT NOT NULL,
      whole INTEGER NOT NULL,
      fetched_at INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      doubt TEXT,
      file TEXT NOT NULL REFERENCES history_files (path),
      head TEXT NOT NULL,
      UNIQUE (owner, subject, first_day, last_day, whole)
    ) STRICT;

    CREATE INDEX kept_tables_by_file ON kept_tables (file);
`

/**
 * The catalogue of the rows folder: what is known of the rows of each archive (src-main/analytics/rows-layout.ts), and the file that says the
 * same.
 */
const rows = `
    CREATE TABLE rows_files (
      owner TEXT NOT NULL,
      id TEXT NOT NULL,
      path TEXT NOT NULL,
      entry TEXT NOT NULL,
      PRIMARY KEY (owner, id)
    ) STRICT;
`

/**
 * What came since the last scope check, which is provisional: tables as in `kept_tables`, beside those that they
 * would replace, and which of the answers. Another check confirms them or lets them go (catalogue-repository.ts). `session` is the run of
 * the app that fetched them, `checks` how many checks had begun in it by then.
 */
const provisional = `
    CREATE TABLE provisional_tables (
      id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      subject TEXT NOT NULL,
      first_day TEXT NOT NULL,
      last_day TEXT NOT NULL,
      whole INTEGER NOT NULL,
      fetched_at INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      doubt TEXT,
      file TEXT NOT NULL REFERENCES history_files (path),
      head TEXT NOT NULL,
      session TEXT NOT NULL,
      checks INTEGER NOT NULL,
      UNIQUE (owner, subject, first_day, last_day, whole)
    ) STRICT;

    CREATE INDEX provisional_tables_by_file ON provisional_tables (file);

    CREATE TABLE provisional_answers (
      owner TEXT NOT NULL,
      key TEXT NOT NULL,
      session TEXT NOT NULL,
      checks INTEGER NOT NULL,
      PRIMARY KEY (owner, key)
    ) STRICT;
`

/**
 * Views that were looked at and whose days are still to be saved one by one, by their addresses; and how many requests
 * that took on a day, of each data scope the last.
 */
const looks = `
    CREATE TABLE looks (
      owner TEXT NOT NULL,
      address TEXT NOT NULL,
      seen_at INTEGER NOT NULL,
      PRIMARY KEY (owner, address)
    ) STRICT;

    CREATE TABLE look_requests (
      owner TEXT PRIMARY KEY,
      day TEXT NOT NULL,
      requests INTEGER NOT NULL
    ) STRICT;
`

/** When each came: a check that begins much later confirms nothing. Of what an earlier version left, when it was fetched. */
const arrivals = `
    ALTER TABLE provisional_tables ADD COLUMN arrived_at INTEGER NOT NULL DEFAULT 0;
    UPDATE provisional_tables SET arrived_at = fetched_at;

    ALTER TABLE provisional_answers ADD COLUMN arrived_at INTEGER NOT NULL DEFAULT 0;
    UPDATE provisional_answers SET arrived_at = coalesce(
      (SELECT fetched_at FROM answers
       WHERE answers.owner = provisional_answers.owner AND answers.key = provisional_answers.key),
      0
    );
`

/** The confirmed answer that a provisional one stands in place of, where there was one: it comes back where that is let go. */
const replaced = `
    ALTER TABLE provisional_answers ADD COLUMN before_text TEXT;
    ALTER TABLE provisional_answers ADD COLUMN before_fetched_at INTEGER;
    ALTER TABLE provisional_answers ADD COLUMN before_made_of TEXT;
`

export const cacheSchema: Schema = {
  base: { version: 3, sql: answers + catalogue + rows + provisional },
  migrations: [
    { version: 4, sql: looks },
    { version: 5, sql: arrivals },
    { version: 6, sql: replaced },
  ],
  // Pages that were freed can be given back to the disk only where this was said before the first table was made.
  first: 'PRAGMA auto_vacuum = INCREMENTAL',
}

/** The tables that name a data scope, what refers to others first: where rows of one that was removed are looked for. */
export const ownedTables = [
  'provisional_answers',
  'provisional_tables',
  'answers',
  'kept_tables',
  'history_files',
  'rows_files',
  'looks',
  'look_requests',
] as const

/** The file of a profile folder that can be thrown away: what the service answered. */
export const cacheFile = (folder: string): string => join(folder, 'cache.sqlite')
