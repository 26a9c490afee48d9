import type { Migration } from './migration.ts'

/**
 * Whose figures are kept: an account at one origin, with a token that sees certain instances. Answers and kept tables
 * belong to an owner, and go with it. The first owner of an account has the account's id, so that what was kept before
 * stays where it is; which instances it is of is learnt with the next look (`scope` null). `looked_at` is null where the
 * account may have another token or address than the scope was learnt with.
 */
export const owners: Migration = {
  version: 9,
  sql: `
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

    INSERT INTO owners (id, account, since) SELECT id, id, 0 FROM accounts;

    DROP INDEX answers_by_path;
    ALTER TABLE answers RENAME TO answers_before;
    CREATE TABLE answers (
      account TEXT NOT NULL REFERENCES owners (id) ON DELETE CASCADE,
      key TEXT NOT NULL,
      path TEXT NOT NULL,
      first_day TEXT,
      last_day TEXT,
      fetched_at INTEGER NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (account, key)
    ) STRICT;
    CREATE INDEX answers_by_path ON answers (account, path);
    INSERT INTO answers SELECT * FROM answers_before;
    DROP TABLE answers_before;

    ALTER TABLE kept_pages RENAME TO pages_before;
    ALTER TABLE kept_tables RENAME TO tables_before;
    CREATE TABLE kept_tables (
      id INTEGER PRIMARY KEY,
      account TEXT NOT NULL REFERENCES owners (id) ON DELETE CASCADE,
      subject TEXT NOT NULL,
      first_day TEXT NOT NULL,
      last_day TEXT NOT NULL,
      whole INTEGER NOT NULL,
      fetched_at INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      head TEXT NOT NULL,
      UNIQUE (account, subject, first_day, last_day, whole)
    ) STRICT;
    CREATE TABLE kept_pages (
      kept_table INTEGER NOT NULL REFERENCES kept_tables (id) ON DELETE CASCADE,
      page INTEGER NOT NULL,
      rows BLOB NOT NULL,
      PRIMARY KEY (kept_table, page)
    ) STRICT;
    INSERT INTO kept_tables SELECT * FROM tables_before;
    INSERT INTO kept_pages SELECT * FROM pages_before;
    DROP TABLE pages_before;
    DROP TABLE tables_before;
  `,
}
