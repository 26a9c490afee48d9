import type { Migration } from './migration.ts'

/**
 * Whole tables, each fetched as one generation: of a subject (everything that a query is about but its days), over a
 * run of days. Their rows lie apart in packed pages, so that a list of what is kept never walks through them. A table
 * with `whole` 0 has its totals alone, and may stand beside a whole one.
 */
export const keptTables: Migration = {
  version: 4,
  sql: `
    CREATE TABLE kept_tables (
      id INTEGER PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      subject TEXT NOT NULL,
      first_day TEXT NOT NULL,
      last_day TEXT NOT NULL,
      whole INTEGER NOT NULL,
      fetched_at INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      head TEXT NOT NULL,
      UNIQUE (account, subject, first_day, last_day, whole)
    ) STRICT;

    CREATE TABLE kept_pages (
      kept_table INTEGER NOT NULL REFERENCES kept_tables (id) ON DELETE CASCADE,
      page INTEGER NOT NULL,
      rows BLOB NOT NULL,
      PRIMARY KEY (kept_table, page)
    ) STRICT;
  `,
}
