import type { Migration } from './migration.ts'

/** Raw reports to be: the queue, templates, and when templates are asked for by themselves. A turn is asked for once. */
export const rawRequests: Migration = {
  version: 7,
  sql: `
    CREATE TABLE raw_templates (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      entry TEXT NOT NULL,
      UNIQUE (account, name)
    ) STRICT;

    CREATE TABLE raw_schedules (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      template TEXT NOT NULL REFERENCES raw_templates (id) ON DELETE CASCADE,
      entry TEXT NOT NULL,
      made_at INTEGER NOT NULL,
      last_turn TEXT
    ) STRICT;

    CREATE TABLE raw_requests (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      draft TEXT NOT NULL,
      template TEXT REFERENCES raw_templates (id) ON DELETE SET NULL,
      schedule TEXT REFERENCES raw_schedules (id) ON DELETE SET NULL,
      turn TEXT,
      made_at INTEGER NOT NULL,
      state TEXT NOT NULL,
      sent_at INTEGER,
      report TEXT
    ) STRICT;

    CREATE UNIQUE INDEX raw_requests_by_turn ON raw_requests (schedule, turn) WHERE turn IS NOT NULL;
    CREATE INDEX raw_requests_by_report ON raw_requests (account, report);
  `,
}
