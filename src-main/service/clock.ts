import { setTimeout as sleep } from 'node:timers/promises'

/** Time as the app sees it; tests hand in their own. */
export type Clock = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Resolves after so many milliseconds; rejects as soon as the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
}
