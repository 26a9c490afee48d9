import type { Migration } from './migration.ts'

/** Archives of raw reports on their way to the disk, and where they lie. Part and file are names within the folder. */
export const downloads: Migration = {
  version: 8,
  sql: `
    CREATE TABLE downloads (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      report TEXT NOT NULL,
      place INTEGER NOT NULL,
      name TEXT NOT NULL,
      folder TEXT NOT NULL,
      file TEXT NOT NULL,
      part TEXT,
      host TEXT,
      size INTEGER,
      etag TEXT,
      expires TEXT,
      added_at INTEGER NOT NULL,
      state TEXT NOT NULL
    ) STRICT;

    CREATE INDEX downloads_by_report ON downloads (account, report);
  `,
}
