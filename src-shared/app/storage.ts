import type { Failure } from '../api/failure.ts'
import type { Day } from '../values/day.ts'
import type { AccountId, Instant } from '../values/ids.ts'

/** Content of a backup, so that the user can recognise it. */
export type BackupFacts = {
  /** Names of the accounts. */
  readonly accounts: readonly string[]
  /** Saved figures in the backup; null if there are none. */
  readonly figures: FiguresInBackup | null
}

/** Saved figures in a backup: number of files, and size in bytes. */
export type FiguresInBackup = { readonly files: number; readonly bytes: number }

/** A saved backup. */
export type BackupMade = {
  /** File name in the downloads folder. */
  readonly file: string
  /** Number of files left out: damaged ones, and those that changed repeatedly while being copied. */
  readonly leftOut: number
}

/** File extension of backups, without the dot. */
export const backupEnding = 'zip'

/** Disk usage of an account in bytes, by kind. */
export type AccountDisk = {
  readonly account: AccountId
  /** Stored days of tables, and the first of them; null if there are none. */
  readonly history: { readonly bytes: number; readonly days: number; readonly since: Day | null }
  /** Cached answers: pages of reports, and look-ups. */
  readonly answers: { readonly pages: number; readonly lookups: number }
  /** Saved archives of raw reports, with the size at saving. */
  readonly downloads: { readonly files: number; readonly bytes: number }
}

export type DiskUse = {
  readonly accounts: readonly AccountDisk[]
  /** Stored days of data scopes that are no account's current one. */
  readonly others: { readonly bytes: number; readonly days: number }
}

/** Size that a disk limit would remove. */
export type BeyondLimit = { readonly bytes: number; readonly days: number }

/** Content of the folder after history was last published. */
export type Published = {
  /** When publishing completed. */
  readonly publishedAt: Instant
  readonly files: number
  /** Total size in bytes. */
  readonly bytes: number
  /** Number of files that could not be published completely. */
  readonly leftOut: number
}

/** Publishing of an account's saved figures. */
export type Publication = {
  readonly account: AccountId
  /** Chosen folder; null if nothing is published. */
  readonly folder: string | null
  readonly last: Published | null
  /** Whether publishing runs or is queued. The job has the progress. */
  readonly running: boolean
  /** Why publishing last failed; null if it succeeded. */
  readonly failure: Failure | null
}
