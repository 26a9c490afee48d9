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
 * `removals` names owners of figures whose account has been removed, until the last trace of them is gone.
 */
const first = `
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
    ) STRICT;

    CREATE TABLE owners (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      origin TEXT,
      scope TEXT,
      instances INTEGER,
      since INTEGER NOT NULL,
      until INTEGER,
      looked_at INTEGER
    ) STRICT;

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
`

/**
 * Raw rows. `recounts`: what the rows of a report last came to beside the tables; `read_at` says of which reading. `block_lists`: what
 * each list was made of, in `origin`; the list itself is a file of the person's. `cases`: `entry` is what a person wrote, `made` what
 * it came to, `before` what it came to the time before.
 */
const second = `
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
    ) STRICT;
`

/**
 * Cases have a scope, which nothing changes. Those begun before had one instance or all, in the zone of their account. What they came to
 * has no scope where archives were counted: these may have narrowed it to one instance. `requests`: the raw reports that a case asked
 * for; `saved_at` and `saved_of`: when its pack was last saved, and of findings of what time; `sent_at`: when a person sent it.
 */
const third = `
    ALTER TABLE cases ADD COLUMN requests TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE cases ADD COLUMN saved_at INTEGER;
    ALTER TABLE cases ADD COLUMN saved_of INTEGER;
    ALTER TABLE cases ADD COLUMN sent_at INTEGER;

    UPDATE cases SET entry = json_remove(
      json_set(entry, '$.scope', json_object(
        'family', entry ->> '$.family',
        'instances', CASE WHEN entry ->> '$.instance' IS NULL THEN json_object('kind', 'all')
          ELSE json_object('kind', 'some', 'list', json_array(json_object(
            'id', entry ->> '$.instance',
            'name', CASE WHEN entry ->> '$.about' = 'instance' THEN entry ->> '$.subject' ELSE entry ->> '$.instance' END)))
          END,
        'source', entry ->> '$.source',
        'campaign', entry ->> '$.campaign',
        'range', json(entry -> '$.range'),
        'zone', coalesce((SELECT day_zone FROM accounts WHERE accounts.id = cases.account), 'UTC'))),
      '$.family', '$.instance', '$.source', '$.campaign', '$.range')
    WHERE json_valid(entry) AND entry -> '$.range' IS NOT NULL AND entry -> '$.scope' IS NULL;

    UPDATE cases SET made = json_set(made, '$.scope', json(entry -> '$.scope'))
    WHERE json_valid(entry) AND json_valid(made) AND json_array_length(made, '$.archives') = 0;
    UPDATE cases SET before = json_set(before, '$.scope', json(entry -> '$.scope'))
    WHERE json_valid(entry) AND json_valid(before) AND json_array_length(before, '$.archives') = 0;

    CREATE TRIGGER cases_keep_scope BEFORE UPDATE OF entry ON cases
    WHEN json_valid(OLD.entry) AND OLD.entry -> '$.scope' IS NOT NEW.entry -> '$.scope'
    BEGIN SELECT raise(ABORT, 'The scope of a case never changes'); END;
`

/** When a service's rates were looked at, and what its row for all is about under a search; by family, as `rate_bases` are. */
const fourth = `
    ALTER TABLE accounts ADD COLUMN rates_looked_at TEXT;
    ALTER TABLE accounts ADD COLUMN searched_all TEXT;
`

/**
 * `term` counts how often an owner was taken up again, or came in doubt; `taken_at` is when its present term began. Until now
 * nothing said that an owner had ended and come back: the others of its account tell. `unsorted` is set where figures are kept
 * that no check may have confirmed (src-main/database/scope-checks.ts).
 */
const fifth = `
    ALTER TABLE owners ADD COLUMN term INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE owners ADD COLUMN taken_at INTEGER;
    ALTER TABLE owners ADD COLUMN unsorted INTEGER NOT NULL DEFAULT 0;

    UPDATE owners SET unsorted = 1, taken_at = max(since, coalesce((
      SELECT max(other.until) FROM owners AS other
      WHERE other.account = owners.account AND other.id <> owners.id AND other.until <= coalesce(owners.looked_at, owners.until)
    ), since));
`

/** When this machine's clock ran ahead of a service's: days were not over then which it says were. */
const sixth = `
    ALTER TABLE accounts ADD COLUMN clock_ahead TEXT;
`

/** The states of requests and downloads, and the turns of schedules, are told apart by `kind`. It does nothing where they are already. */
export const statesByKind = `
    UPDATE raw_requests SET state = json_remove(json_set(state, '$.kind', state ->> '$.as'), '$.as')
    WHERE CASE WHEN json_valid(state) THEN state ->> '$.as' END IS NOT NULL;
    UPDATE downloads SET state = json_remove(json_set(state, '$.kind', state ->> '$.as'), '$.as')
    WHERE CASE WHEN json_valid(state) THEN state ->> '$.as' END IS NOT NULL;
    UPDATE raw_schedules SET entry = json_remove(json_set(entry, '$.when.kind', entry ->> '$.when.every'), '$.when.every')
    WHERE CASE WHEN json_valid(entry) THEN entry ->> '$.when.every' END IS NOT NULL;
`

export const stateSchema: Schema = {
  migrations: [
    { version: 1, sql: first },
    { version: 2, sql: second },
    { version: 3, sql: third },
    { version: 4, sql: fourth },
    { version: 5, sql: fifth },
    { version: 6, sql: sixth },
    { version: 7, sql: statesByKind },
  ],
  tables: [
    'accounts',
    'owners',
    'settings',
    'saved_views',
    'raw_lists',
    'raw_reports',
    'raw_announcements',
    'raw_templates',
    'raw_schedules',
    'raw_requests',
    'downloads',
    'restatements',
    'removals',
    'recounts',
    'block_lists',
    'cases',
  ],
}

/** The file of a profile folder in which everything is kept that cannot be asked for again. */
export const stateFile = (folder: string): string => join(folder, 'state.sqlite')
