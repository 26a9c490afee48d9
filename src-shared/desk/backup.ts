/** What a backup holds, in so far as it helps a person to know it again. */
export type BackupFacts = {
  /** The names of its accounts. */
  readonly accounts: readonly string[]
}

/** How the names of backups end, without the dot. */
export const backupEnding = 'desk-backup'
