/** One change of the file's form. Once released it is never edited: the next change is the next number. */
export type Migration = {
  /** The `user_version` that the file has afterwards; the one before is one less. */
  readonly version: number
  readonly sql: string
}
