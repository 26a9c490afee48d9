import type { Migration } from './migration.ts'

/** Profiles (a token is never part of them) and the settings of the desk. */
export const accountsAndSettings: Migration = {
  version: 1,
  sql: `
    CREATE TABLE accounts (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      address TEXT NOT NULL,
      body_encoding TEXT NOT NULL,
      day_zone TEXT NOT NULL
    ) STRICT;

    CREATE TABLE settings (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT;
  `,
}
