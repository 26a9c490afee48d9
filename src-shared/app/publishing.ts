import type { Failure } from '../api/failure.ts'
import type { AccountId, Instant } from '../values/ids.ts'

/** What lies in the folder since history was published last. */
export type Published = {
  /** When it was complete. */
  readonly at: Instant
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
  /** How many files are done, while it runs. */
  readonly running: { readonly done: number; readonly of: number } | null
  /** Why it could not be published the last time; null where it could. */
  readonly failure: Failure | null
}
