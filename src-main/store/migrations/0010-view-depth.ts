import type { Migration } from './migration.ts'

/** How many of the last days are kept of a pinned view; null for the days that it shows. */
export const viewDepth: Migration = {
  version: 10,
  sql: 'ALTER TABLE saved_views ADD COLUMN depth INTEGER;',
}
