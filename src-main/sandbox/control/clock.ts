import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'

/** The sandbox's own time, which tests move on instead of waiting. */
export type SandboxClock = {
  /** Milliseconds since 1970, whole. */
  readonly now: () => number
  /** The day it is, in UTC. */
  readonly today: () => Day
  /** Moves the clock on; it never goes back. */
  readonly advance: (milliseconds: number) => void
}

/**
 * A clock that stands at noon UTC of `today` when it is made and goes on with real time.
 * @param elapsed a monotonic clock in milliseconds; tests hand in their own
 */
export const createClock = (today: Day, elapsed: () => number = () => performance.now()): SandboxClock =>
  clockFrom(Date.parse(`${today}T12:00:00Z`), elapsed)

/** A clock that stands at a moment, in milliseconds since 1970, when it is made. */
export function clockFrom(moment: number, elapsed: () => number): SandboxClock {
  const begun = elapsed()
  let advanced = 0
  const now = () => Math.floor(moment + advanced + elapsed() - begun)
  return {
    now,
    today: () => dayAt(now(), 'UTC'),
    advance: (milliseconds) => {
      if (!(milliseconds >= 0)) throw new RangeError('The clock only goes forward')
      advanced += milliseconds
    },
  }
}
