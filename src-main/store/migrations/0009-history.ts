import type { Migration } from './migration.ts'

/**
 * The catalogue of the history folder: its files, and which tables lie in which of them. A table is of a subject (everything
 * that a query is about but its days), over a run of days, fetched as one. With `whole` 0 it has its totals alone, and
 * may stand beside a whole one.
 */
export const history: Migration = {
  version: 9,
  sql: `
    DROP TABLE kept_pages;
    DROP TABLE kept_tables;

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

    ALTER TABLE answers ADD COLUMN made_of TEXT NOT NULL DEFAULT '';
    ALTER TABLE accounts ADD COLUMN rate_bases TEXT;

    CREATE INDEX kept_tables_by_file ON kept_tables (file);
  `,
}
