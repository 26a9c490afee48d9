import { join } from 'node:path'
import type { Schema } from '../sqlite/migrate.ts'

/**
 * The form of state.sqlite. Settings hold the layouts of columns too. In lists of raw reports:
 * - a report stays when it leaves the list, for a while: what happened to it is told by its announcements;
 * - `anew`: the next list is to be taken as the first, because the account is asked with another token or elsewhere;
 * - `removed_here`, `cancelled_here`: the person asked for it at this desk, so that it is no news;
 * - `seen`: whether the person has looked at the list since.
 * `owners` says whose figures are kept: an account at one origin, with a token that sees certain instances. Its scope is null
 * until it is learnt; `looked_at` is null where the account may have another token or address than it was learnt with.
 * `restatements` says what was otherwise when days that were over were fetched again. What was fetched at one time is restated
 * once, so that noting it again after a crash replaces the entry.
 * `removals` names data scopes whose account has been removed, until the last trace of them is gone.
 * `accounts`: `rates_looked_at` and `searched_all` are by family, as `rate_bases` are. `clock_ahead` says when this machine's clock ran
 * ahead of the service's.
 * `owners`: `term` counts how often one was taken up again, or came in doubt; `taken_at` is when its present term began. `unsorted` is set
 * where figures are stored that no check may have confirmed (src-main/database/scope-checks.ts).
 * `recounts`: what the rows of a report last came to beside the tables; `read_at` says of which reading. `block_lists`: what each list was
 * made of, in `origin`; the list itself is a file of the person's.
 * `import_choices`: how a person has tables of a shape read.
 * `cases`: `entry` is what a person wrote, `made` what it came to, `before` what it came to the time before. `requests`: the raw reports
 * that it asked for; `saved_at` and `saved_of`: when its pack was last saved, and of findings of what time; `sent_at`: when a person sent it.
 *
 * The text is to the letter what SQLite holds: a backup is known by it (moving.ts). So columns that came later stand where it puts them.
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

/** What a block list was made of says thresholds and a platform, where it said whether only bad addresses are in it. */
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

/** What was exported for a platform and a campaign, and with which list first; the list itself may be forgotten. */
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

/** How a person has tables of a shape read. */
const choices = `
    CREATE TABLE import_choices (
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      shape TEXT NOT NULL,
      chosen_at INTEGER NOT NULL,
      choice TEXT NOT NULL,
      PRIMARY KEY (account, shape)
    ) STRICT;
`

export const stateSchema: Schema = {
  base: { version: 7, sql: tables },
  migrations: [
    { version: 8, sql: thresholds },
    { version: 9, sql: exportedRanges },
    { version: 10, sql: choices },
  ],
}

/** The file of a profile folder in which everything is kept that cannot be asked for again. */
export const stateFile = (folder: string): string => join(folder, 'state.sqlite')
