import type { Migration } from './migration.ts'

/** Views under names, in the person's order; at most one of an account is opened at the start. */
export const savedViews: Migration = {
  version: 5,
  sql: `
    CREATE TABLE saved_views (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      address TEXT NOT NULL,
      pinned INTEGER NOT NULL,
      start INTEGER NOT NULL,
      place INTEGER NOT NULL
    ) STRICT;

    CREATE UNIQUE INDEX saved_views_by_name ON saved_views (account, name);
    CREATE UNIQUE INDEX saved_views_start ON saved_views (account) WHERE start = 1;
  `,
}
