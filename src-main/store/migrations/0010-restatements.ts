import type { Migration } from './migration.ts'

/**
 * What was otherwise when days that were over were fetched again. What was fetched at one time is restated once, so that
 * noting it again after a crash replaces the entry.
 */
export const restatements: Migration = {
  version: 10,
  sql: `
    CREATE TABLE restatements (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      owner TEXT NOT NULL,
      subject TEXT NOT NULL,
      first_day TEXT NOT NULL,
      last_day TEXT NOT NULL,
      before_fetched_at INTEGER NOT NULL,
      after_fetched_at INTEGER NOT NULL,
      totals TEXT NOT NULL,
      rows TEXT NOT NULL,
      differing INTEGER,
      UNIQUE (owner, subject, first_day, last_day, before_fetched_at)
    ) STRICT;
  `,
}
