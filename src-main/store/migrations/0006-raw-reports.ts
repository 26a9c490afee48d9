import type { Migration } from './migration.ts'

/**
 * The last complete list of each account's raw reports, their full records, and what was announced of them. A report
 * stays when it leaves the list, for a while: what happened to it is told by its announcements.
 *
 * `anew`: the next list is to be taken as the first, because the account is asked with another token or elsewhere.
 * `removed_here`, `cancelled_here`: the person asked for it at this desk, so that it is no news.
 * `seen`: whether the person has looked at the list since.
 */
export const rawReports: Migration = {
  version: 6,
  sql: `
    CREATE TABLE raw_lists (
      account TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
      fetched_at INTEGER NOT NULL,
      limits TEXT NOT NULL,
      usage TEXT NOT NULL,
      anew INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE raw_reports (
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      id TEXT NOT NULL,
      row TEXT NOT NULL,
      first_seen INTEGER NOT NULL,
      last_seen INTEGER NOT NULL,
      lists_without INTEGER NOT NULL,
      removed_here INTEGER NOT NULL,
      cancelled_here INTEGER NOT NULL,
      record TEXT,
      record_at INTEGER,
      PRIMARY KEY (account, id)
    ) STRICT;

    CREATE TABLE raw_announcements (
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      report TEXT NOT NULL,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      found_at INTEGER NOT NULL,
      rows INTEGER,
      size INTEGER,
      shown_at INTEGER,
      seen INTEGER NOT NULL,
      PRIMARY KEY (account, report, kind)
    ) STRICT;
  `,
}
