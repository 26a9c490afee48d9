import { join } from 'node:path'
import type { Schema } from '../sqlite/migrate.ts'

/**
 * Schema of cache.sqlite. Every row belongs to a data scope (DataScopeId; column `data_scope`, `owner` until version 6)
 * and refers to no account.
 *
 * Answers are stored as received, or computed from the stored tables in `made_of`. Days are null for answers without days. The
 * text is the last column, so that SQLite reads the others without scanning it.
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
 * Catalogue of the history folder: its files and their tables. A table has a subject (everything of a query but its days) and a
 * range of days. With `whole` 0, only its totals are stored; the whole table may exist too.
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
 * Catalogue of the rows folder: the description of each archive's rows (src-main/analytics/rows-layout.ts), and the file that
 * contains the same description.
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
 * Provisional data since the last scope check: tables, stored beside those they would replace, and keys of answers. The next
 * check confirms or deletes them (catalogue-repository.ts). `session` is the run of the app that fetched them; `checks` the
 * number of checks started in that run before.
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
 * Recently opened views whose days are still to be saved, by address; and the requests this took on the last such day, per data
 * scope.
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

/** Arrival times, because a much later check confirms nothing. For older rows, the fetch time. */
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

/** The confirmed answer that a provisional one replaced. If the provisional answer is deleted, the confirmed one is restored. */
const replaced = `
    ALTER TABLE provisional_answers ADD COLUMN before_text TEXT;
    ALTER TABLE provisional_answers ADD COLUMN before_fetched_at INTEGER;
    ALTER TABLE provisional_answers ADD COLUMN before_made_of TEXT;
`

/** Renames owners to data scopes, the term of the documents. */
const dataScopes = `
    ALTER TABLE answers RENAME COLUMN owner TO data_scope;
    ALTER TABLE history_files RENAME COLUMN owner TO data_scope;
    ALTER TABLE kept_tables RENAME COLUMN owner TO data_scope;
    ALTER TABLE rows_files RENAME COLUMN owner TO data_scope;
    ALTER TABLE provisional_tables RENAME COLUMN owner TO data_scope;
    ALTER TABLE provisional_answers RENAME COLUMN owner TO data_scope;
    ALTER TABLE looks RENAME COLUMN owner TO data_scope;
    ALTER TABLE look_requests RENAME COLUMN owner TO data_scope;
`

export const cacheSchema: Schema = {
  base: { version: 3, sql: answers + catalogue + rows + provisional },
  migrations: [
    { version: 4, sql: looks },
    { version: 5, sql: arrivals },
    { version: 6, sql: replaced },
    { version: 7, sql: dataScopes },
  ],
  checksum: 905_370_923,
  // Must precede the first table; otherwise freed pages cannot be returned to the disk.
  first: 'PRAGMA auto_vacuum = INCREMENTAL',
}

/** Tables with a `data_scope` column; referencing tables first. Used to delete a data scope. */
export const dataScopeTables = [
  'provisional_answers',
  'provisional_tables',
  'answers',
  'kept_tables',
  'history_files',
  'rows_files',
  'looks',
  'look_requests',
] as const

/** Path of the cache file, which contains only data that can be fetched again. */
export const cacheFile = (folder: string): string => join(folder, 'cache.sqlite')
