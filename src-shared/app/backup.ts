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

/** How far a backup is that takes saved figures along, in files. */
export type BackupProgress = { readonly done: number; readonly of: number }

/** How the names of backups end, without the dot. */
export const backupEnding = 'zip'
