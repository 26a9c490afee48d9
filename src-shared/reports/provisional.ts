import type { Instant } from '../values/ids.ts'

/**
 * Under which check of its owner's instances something was fetched. It is provisional until a check that began later finds the
 * same instances: until then it is the service's own answer, and is added up with nothing.
 */
export type Provisional = {
  /** How often the owner had been taken up when it was asked for: what comes after another scope was found is not kept. */
  readonly term: number
  /** The run of the app. */
  readonly session: string
  /** How many checks of the account had begun in it when the last of it came. */
  readonly checks: number
}

/** A check of the instances that a token sees: in which run of the app, and its number there, from 1. */
export type ScopeCheck = Pick<Provisional, 'session'> & { readonly number: number }

/** A provisional table that was let go, because its owner's instances were found to be others. */
export type Discarded = {
  /** What it was about (query.ts). */
  readonly subject: string
  /** Its first and last day, as they are written. */
  readonly start: string
  readonly end: string
  readonly fetchedAt: Instant
}
