import type { Announcement } from '../../src-shared/raw/announcements.ts'
import type { ProcessingLimits, RawListRow, Unknown } from '../../src-shared/service/answers.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { Row, Writer } from './database.ts'
import { announcementFrom } from './raw-announcements-repository.ts'
import { limitsFrom, listRowFrom, usageFrom } from './raw-rows.ts'

type CarriedReport = {
  readonly account: AccountId
  readonly row: RawListRow
  readonly firstSeen: number
  readonly lastSeen: number
  readonly listsWithout: number
  readonly removedHere: number
  readonly cancelledHere: number
}

type CarriedList = {
  readonly account: AccountId
  readonly fetchedAt: number
  readonly limits: ProcessingLimits
  readonly usage: Unknown
}

/**
 * What is left of raw reports in a damaged file: without it, what ended meanwhile would never be announced, and what
 * was announced would be announced again.
 */
export type CarriedRaw = {
  readonly lists: readonly CarriedList[]
  readonly reports: readonly CarriedReport[]
  readonly announcements: readonly { readonly found: Announcement; readonly seen: number }[]
}

export const noRaw: CarriedRaw = { lists: [], reports: [], announcements: [] }

const whole = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : 0)

/** @param rows reads as many rows as can be read */
export function rawLeft(rows: (sql: string) => readonly Row[]): CarriedRaw {
  return {
    lists: rows('SELECT * FROM raw_lists').flatMap((row) =>
      typeof row['account'] === 'string'
        ? {
            account: row['account'] as AccountId,
            fetchedAt: whole(row['fetched_at']),
            limits: limitsFrom(row['limits']),
            usage: usageFrom(row['usage']),
          }
        : [],
    ),
    reports: rows('SELECT * FROM raw_reports').flatMap((kept) => {
      const row = listRowFrom(kept['row'])
      if (!row || typeof kept['account'] !== 'string') return []
      return {
        account: kept['account'] as AccountId,
        row,
        firstSeen: whole(kept['first_seen']),
        lastSeen: whole(kept['last_seen']),
        listsWithout: whole(kept['lists_without']),
        removedHere: whole(kept['removed_here']),
        cancelledHere: whole(kept['cancelled_here']),
      }
    }),
    announcements: rows('SELECT * FROM raw_announcements').flatMap((row) => {
      const found = announcementFrom(row)
      return found ? { found, seen: whole(row['seen']) } : []
    }),
  }
}

/** Writes it into a new file. Some of it may be lost: so the next list is taken as the first of its kind. */
export function carryRaw(into: Writer, accounts: ReadonlySet<AccountId>, raw: CarriedRaw): void {
  for (const { account, fetchedAt, limits, usage } of raw.lists) {
    if (!accounts.has(account)) continue
    into.write(
      'INSERT INTO raw_lists (account, fetched_at, limits, usage, anew) VALUES (?, ?, ?, ?, 1) ON CONFLICT DO NOTHING',
      account,
      fetchedAt,
      JSON.stringify(limits),
      JSON.stringify(usage),
    )
  }
  for (const each of raw.reports) {
    if (!accounts.has(each.account)) continue
    into.write(
      `INSERT INTO raw_reports (account, id, row, first_seen, last_seen, lists_without, removed_here, cancelled_here)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      each.account,
      each.row.id,
      JSON.stringify(each.row),
      each.firstSeen,
      each.lastSeen,
      each.listsWithout,
      each.removedHere,
      each.cancelledHere,
    )
  }
  for (const { found, seen } of raw.announcements) {
    if (!accounts.has(found.account)) continue
    into.write(
      `INSERT INTO raw_announcements (account, report, kind, name, found_at, rows, size, shown_at, seen)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      found.account,
      found.report,
      found.kind,
      found.name,
      found.foundAt,
      found.rows,
      found.size,
      found.shownAt,
      seen,
    )
  }
}
