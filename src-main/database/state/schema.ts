import { join } from 'node:path'
import type { Handle } from '../sqlite/database.ts'
import type { Schema } from '../sqlite/migrate.ts'

/**
 * Schema of state.sqlite.
 * - `accounts`: `rates_looked_at` and `searched_all` are by family, like `rate_bases`. `clock_ahead`: when the local clock was
 *   ahead of the service's.
 * - `data_scopes` (`owners` until version 10): an account at one origin with a token that sees certain instances. The scope is
 *   null until known. `looked_at` is null if the token or address may have changed since. `term` counts how often the data
 *   scope was resumed or came into doubt; `taken_at` is the start of its current term. `unsorted` is no longer used.
 * - `settings`: also contains the column layouts.
 * - `raw_lists`: with `anew`, the next list counts as the first, because the token or address changed.
 * - `raw_reports`: a report remains for a while after it left the list, because its announcements refer to it. `removed_here`,
 *   `cancelled_here`: requested in this app, so not announced.
 * - `raw_announcements`: `seen`: the user has opened the list since.
 * - `restatements`: differences found when past days were fetched again. One entry per version of the older figures, so that
 *   storing it again after a crash replaces it.
 * - `removals`: removed data scopes, until all their data is deleted.
 * - `recounts`: last result of a report's recount; `read_at` identifies the import.
 * - `block_lists`: `origin` is the source of each list; the list itself is the user's file.
 * - `cases`: `entry` is the user's input, `made` the findings, `before` the previous findings. `requests`: requested raw
 *   reports. `saved_at`, `saved_of`: when the pack was saved, and the time of its findings. `sent_at`: when the user sent the
 *   pack.
 *
 * The text must equal the SQL that SQLite stores, because a backup is identified by it (moving.ts). Therefore columns of later
 * migrations are at the position where SQLite puts them.
 */
const tables = `
    CREATE TABLE accounts (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      address TEXT NOT NULL,
      body_encoding TEXT NOT NULL,
      day_zone TEXT NOT NULL,
      window_tables INTEGER,
      window_overview INTEGER,
      window_lookups INTEGER,
      first_column INTEGER,
      rate_bases TEXT
    , rates_looked_at TEXT, searched_all TEXT, clock_ahead TEXT) STRICT;

    CREATE TABLE owners (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      origin TEXT,
      scope TEXT,
      instances INTEGER,
      since INTEGER NOT NULL,
      until INTEGER,
      looked_at INTEGER
    , term INTEGER NOT NULL DEFAULT 0, taken_at INTEGER, unsorted INTEGER NOT NULL DEFAULT 0) STRICT;

    CREATE UNIQUE INDEX owners_present ON owners (account) WHERE until IS NULL;
    CREATE UNIQUE INDEX owners_by_scope ON owners (account, origin, scope);

    CREATE TABLE settings (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT;

    CREATE TABLE saved_views (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      address TEXT NOT NULL,
      pinned INTEGER NOT NULL,
      depth INTEGER,
      start INTEGER NOT NULL,
      place INTEGER NOT NULL
    ) STRICT;

    CREATE UNIQUE INDEX saved_views_by_name ON saved_views (account, name);
    CREATE UNIQUE INDEX saved_views_start ON saved_views (account) WHERE start = 1;

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

    CREATE TABLE removals (
      owner TEXT PRIMARY KEY
    ) STRICT;

    CREATE TABLE recounts (
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      report TEXT NOT NULL,
      counted_at INTEGER NOT NULL,
      read_at INTEGER NOT NULL,
      recount TEXT NOT NULL,
      PRIMARY KEY (account, report)
    ) STRICT;

    CREATE TABLE block_lists (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      made_at INTEGER NOT NULL,
      origin TEXT NOT NULL
    ) STRICT;

    CREATE TABLE cases (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      begun_at INTEGER NOT NULL,
      entry TEXT NOT NULL,
      made TEXT,
      before TEXT
    , requests TEXT NOT NULL DEFAULT '[]', saved_at INTEGER, saved_of INTEGER, sent_at INTEGER) STRICT;

    CREATE TRIGGER cases_keep_scope BEFORE UPDATE OF entry ON cases
    WHEN json_valid(OLD.entry) AND OLD.entry -> '$.scope' IS NOT NEW.entry -> '$.scope'
    BEGIN SELECT raise(ABORT, 'The scope of a case never changes'); END;
`

/** Replaces `onlyBad` in the origin of block lists with thresholds and a platform. */
const thresholds = `
    UPDATE block_lists SET origin = json_remove(
      json_set(
        origin,
        '$.origin.minBad', CASE WHEN origin ->> '$.origin.onlyBad' THEN 1 ELSE 0 END,
        '$.origin.minShare', 0,
        '$.origin.format', iif(origin ->> '$.origin.format' = 'exclusions', 'google-ads', origin ->> '$.origin.format')
      ),
      '$.origin.onlyBad'
    ) WHERE json_valid(origin);
`

/** Exported ranges per platform and campaign, with the first list that contained each. The list itself may be deleted. */
const exportedRanges = `
    CREATE TABLE exported_ranges (
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      format TEXT NOT NULL,
      campaign TEXT NOT NULL,
      range TEXT NOT NULL,
      list INTEGER NOT NULL,
      PRIMARY KEY (account, format, campaign, range)
    ) STRICT;
`

/** The user's import choices by table shape. */
const choices = `
    CREATE TABLE import_choices (
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      shape TEXT NOT NULL,
      chosen_at INTEGER NOT NULL,
      choice TEXT NOT NULL,
      PRIMARY KEY (account, shape)
    ) STRICT;
`

/** Renames owners to data scopes, the term of the documents. */
const dataScopes = `
    ALTER TABLE owners RENAME TO data_scopes;
    DROP INDEX owners_present;
    DROP INDEX owners_by_scope;
    CREATE UNIQUE INDEX data_scopes_present ON data_scopes (account) WHERE until IS NULL;
    CREATE UNIQUE INDEX data_scopes_by_scope ON data_scopes (account, origin, scope);

    ALTER TABLE restatements RENAME COLUMN owner TO data_scope;
    ALTER TABLE removals RENAME COLUMN owner TO data_scope;
`

/** The user's notes on days. `subject` is JSON: the account, an instance, a source or a view. */
const notes = `
    CREATE TABLE notes (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      first_day TEXT NOT NULL,
      last_day TEXT NOT NULL,
      text TEXT NOT NULL,
      subject TEXT NOT NULL
    ) STRICT;

    CREATE INDEX notes_by_day ON notes (account, first_day);
`

/** Per list, when the rows of each exported range were seen and when the range expires, in ms; null if unknown. */
const expiringRanges = `
    CREATE TABLE listed_ranges (
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      format TEXT NOT NULL,
      campaign TEXT NOT NULL,
      range TEXT NOT NULL,
      list INTEGER NOT NULL,
      first_seen INTEGER,
      last_seen INTEGER,
      expires INTEGER,
      PRIMARY KEY (account, format, campaign, range, list)
    ) STRICT, WITHOUT ROWID;

    INSERT INTO listed_ranges (account, format, campaign, range, list)
      SELECT account, format, campaign, range, list FROM exported_ranges;

    DROP TABLE exported_ranges;
    ALTER TABLE listed_ranges RENAME TO exported_ranges;
    CREATE INDEX exported_ranges_by_list ON exported_ranges (list);
`

/**
 * Alerts, what they found, and mutes.
 * - `alerts`: `entry` is the user's input.
 * - `watch_states`: episodes that an alert knows. `revision` counts the writes.
 * - `findings`: outlive their alert. `subject` is the hash of what was found, `told_at` when the desktop showed it.
 *   `waits_from`: since when the desktop should show it.
 */
const alerts = `
    CREATE TABLE alerts (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      created_at INTEGER NOT NULL,
      entry TEXT NOT NULL
    ) STRICT;

    CREATE INDEX alerts_by_account ON alerts (account);

    CREATE TABLE watch_states (
      alert TEXT PRIMARY KEY REFERENCES alerts (id) ON DELETE CASCADE,
      data_scope TEXT,
      revision INTEGER NOT NULL,
      morning TEXT,
      episodes TEXT NOT NULL
    ) STRICT;

    CREATE TABLE findings (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      alert TEXT NOT NULL,
      subject TEXT NOT NULL,
      first_day TEXT NOT NULL,
      facts TEXT NOT NULL,
      state TEXT NOT NULL,
      to_day TEXT,
      settled REAL,
      found_at INTEGER NOT NULL,
      telling TEXT NOT NULL,
      waits_from INTEGER NOT NULL,
      told_at INTEGER,
      seen INTEGER NOT NULL,
      dismissed TEXT,
      UNIQUE (alert, subject, first_day)
    ) STRICT;

    CREATE INDEX findings_by_account ON findings (account, found_at);
    CREATE INDEX findings_untold ON findings (found_at) WHERE told_at IS NULL;

    CREATE TABLE mutes (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      subject TEXT NOT NULL,
      until TEXT NOT NULL,
      UNIQUE (account, subject)
    ) STRICT;
`

/**
 * Schedules and their runs, unique by schedule and day.
 * - `schedules`: `entry` is the user's input, but for `folder` and `paused`. Earlier occurrences than `since` do not count.
 * - `schedule_runs`: outlive their schedule, which may be restored. `files` are those that were begun: a file that has the name
 *   written here is not made again. `told_at`: when the desktop showed it.
 */
const schedules = `
    CREATE TABLE schedules (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      entry TEXT NOT NULL,
      folder TEXT,
      paused INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      since INTEGER NOT NULL
    ) STRICT;

    CREATE INDEX schedules_by_account ON schedules (account);

    CREATE TABLE schedule_runs (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      schedule TEXT NOT NULL,
      day TEXT NOT NULL,
      due_at INTEGER NOT NULL,
      taken_at INTEGER NOT NULL,
      state TEXT NOT NULL,
      changed_at INTEGER NOT NULL,
      files TEXT NOT NULL,
      told_at INTEGER,
      UNIQUE (schedule, day)
    ) STRICT;

    CREATE INDEX schedule_runs_by_account ON schedule_runs (account);
`

/** Notes whose days alerts leave out of what is usual. */
const leavingOut = `
    ALTER TABLE notes ADD COLUMN leaves_out INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX notes_leaving_out ON notes (account, last_day) WHERE leaves_out = 1;
`

/** When a schedule was entered. `since` is earlier while the clock is behind that. */
const entered = `
    ALTER TABLE schedules ADD COLUMN entered_at INTEGER NOT NULL DEFAULT 0;
    UPDATE schedules SET entered_at = since;
`

/** Findings by the day on which they ended, to delete old ones. */
const endedFindings = `
    CREATE INDEX findings_ended ON findings (account, coalesce(to_day, first_day))
      WHERE state NOT IN ('so-far', 'standing');
`

export const stateSchema: Schema = {
  base: { version: 7, sql: tables },
  migrations: [
    { version: 8, sql: thresholds },
    { version: 9, sql: exportedRanges },
    { version: 10, sql: choices },
    { version: 11, sql: dataScopes },
    { version: 12, sql: notes },
    { version: 13, sql: expiringRanges },
    { version: 14, sql: alerts },
    { version: 15, sql: schedules },
    { version: 16, sql: leavingOut },
    { version: 17, sql: entered },
    { version: 18, sql: endedFindings },
  ],
  checksum: 189_449_602,
}

/**
 * Names for reading the data scopes of a state file that may not be migrated.
 * @returns the table of the data scopes, and the column of `removals`
 * @throws errors of SQLite
 */
export const dataScopeNames = (handle: Handle): { readonly table: string; readonly column: string } =>
  handle.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'owners'`).get() === undefined
    ? { table: 'data_scopes', column: 'data_scope' }
    : { table: 'owners', column: 'owner' }

/** Path of the state file, which contains data that cannot be fetched again. */
export const stateFile = (folder: string): string => join(folder, 'state.sqlite')
