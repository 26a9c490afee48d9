import type { Failure } from '../api/failure.ts'
import type { Day } from '../values/day.ts'
import type { AccountId, Instant } from '../values/ids.ts'

/** What a backup holds, in so far as it helps a person to know it again. */
export type BackupFacts = {
  /** The names of its accounts. */
  readonly accounts: readonly string[]
  /** The saved figures in it; null where there are none. */
  readonly figures: FiguresInBackup | null
}

/** Saved figures in a backup: how many files of the history, and their size in bytes. */
export type FiguresInBackup = { readonly files: number; readonly bytes: number }

/** A backup that was saved. */
export type BackupMade = {
  /** Its name in the folder of downloads. */
  readonly file: string
  /** How many files of saved figures were left out: damaged ones, and those replaced again and again while they were copied. */
  readonly leftOut: number
}

/** How the names of backups end, without the dot. */
export const backupEnding = 'zip'

/** What is kept of an account on the disk, by kind; in bytes. */
export type AccountDisk = {
  readonly account: AccountId
  /** Whole days of tables, and the first of them; null where there is none. */
  readonly history: { readonly bytes: number; readonly days: number; readonly since: Day | null }
  /** Answers of what was opened: pages of reports, and lists for filters. */
  readonly answers: { readonly pages: number; readonly lookups: number }
  /** Saved archives of raw reports, as large as they were when they were saved. */
  readonly downloads: { readonly files: number; readonly bytes: number }
}

export type DiskUse = {
  readonly accounts: readonly AccountDisk[]
  /** Whole days of tables that belong to no account as it is now. */
  readonly others: { readonly bytes: number; readonly days: number }
}

/** What a limit of the disk would remove. */
export type BeyondLimit = { readonly bytes: number; readonly days: number }

/** What lies in the folder since history was published last. */
export type Published = {
  /** When it was complete. */
  readonly publishedAt: Instant
  readonly files: number
  /** In bytes, of all files together. */
  readonly bytes: number
  /** Files of the history that could not be published whole. */
  readonly leftOut: number
}

/** Where an account's saved figures are published, and how that goes. */
export type Publication = {
  readonly account: AccountId
  /** The folder that a person chose; null where nothing is published. */
  readonly folder: string | null
  readonly last: Published | null
  /** Whether it is being published, or waits for that: its job says how far it is. */
  readonly running: boolean
  /** Why it could not be published the last time; null where it could. */
  readonly failure: Failure | null
}
