import type { Instant } from '../values/ids.ts'

/**
 * When an answer was fetched, counted in scope checks. It is provisional until a check that began later finds the same
 * instances. Until then it is shown as the service's own, and added up with nothing.
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

/** A provisional table that was deleted, because a check found other instances. */
export type Discarded = {
  /** What it was about (query.ts). */
  readonly subject: string
  /** Its first and last day, as they are written. */
  readonly start: string
  readonly end: string
  readonly fetchedAt: Instant
}
