import type { Migration } from './migration.ts'

/** What is set or learnt of an account's service: its windows, in days, and what it numbers a first column by. */
export const accountTraits: Migration = {
  version: 3,
  sql: `
    ALTER TABLE accounts ADD COLUMN window_tables INTEGER;
    ALTER TABLE accounts ADD COLUMN window_overview INTEGER;
    ALTER TABLE accounts ADD COLUMN window_lookups INTEGER;
    ALTER TABLE accounts ADD COLUMN first_column INTEGER;

    -- Answers were kept under names that say by which number they are sorted; those names are not asked for any more.
    DELETE FROM answers WHERE path NOT LIKE 'interface/%' AND path NOT LIKE '%/overview';
  `,
}
