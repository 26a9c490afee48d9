import type { Migration } from './migration.ts'

/**
 * The service's answers as they came, by account and key. Days are null for what has none. The text stands last,
 * so that SQLite reaches the other columns without walking through it.
 */
export const answers: Migration = {
  version: 2,
  sql: `
    CREATE TABLE answers (
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      key TEXT NOT NULL,
      path TEXT NOT NULL,
      first_day TEXT,
      last_day TEXT,
      fetched_at INTEGER NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (account, key)
    ) STRICT;

    CREATE INDEX answers_by_path ON answers (account, path);
  `,
}
