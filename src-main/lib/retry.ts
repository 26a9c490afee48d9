/** Timing of retries. All times are in milliseconds. */
type RetryPolicy = {
  /** First pause, after `free` failures without one. */
  readonly first: number
  /** Factor from one pause to the next, up to `longest`. */
  readonly growth: number
  readonly longest: number
  /** Number of consecutive failures without a pause. */
  readonly free: number
  /** Range of the random factor of a pause, so that installations do not retry in step. */
  readonly between: readonly [number, number]
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const doubling = { growth: 2, free: 0, between: [0.5, 1] } as const
const same = (pause: number, between: RetryPolicy['between'] = [1, 1]) =>
  ({ first: pause, longest: pause, growth: 1, free: 0, between }) as const

/** Retry policies. */
export const retryPolicies = {
  /** Idempotent requests after a transient failure. Short, because the user is waiting. */
  request: { ...doubling, first: 400, longest: 800 },
  /** All requests of an account after its service requested a pause. The random factor only lengthens the minimum. */
  rest: { ...doubling, first: 10 * second, longest: 5 * minute, between: [1, 1.2] },
  /** Checks whether an unreachable service responds again, while a window is open. */
  probe: { ...doubling, first: second, longest: 30 * second },
  /** The list of raw reports while some are running or the list cannot be fetched. */
  polling: { first: 5 * second, longest: minute, growth: 1.5, free: 0, between: [0.8, 1.2] },
  pollingFails: { first: 5 * second, longest: 5 * minute, growth: 1.5, free: 0, between: [0.8, 1.2] },
  /** The list of raw reports while none is running. Others may request or remove reports. */
  pollingRests: same(30 * minute, [0.8, 1.2]),
  /** The queue of raw requests if nothing else wakes it: without a connection, at a limit, and on a full disk. */
  sendOffline: same(2 * minute),
  sendAtLimit: same(15 * minute),
  sendOnFullDisk: same(minute),
  /** A raw request that the service rejected for a limit, if the list shows no free capacity. */
  limitConcurrent: same(minute),
  limitMinutes: same(hour),
  /** The final search for a lost raw request. Services may list new reports late. */
  lostRequest: same(10 * second),
  /** A proxy that could not be reached. Other routes are tried first. */
  proxy: same(5 * minute),
  download: { ...doubling, first: second, longest: 5 * minute },
  /** Waiting for space on a full disk, or for a folder that does not respond. */
  disk: same(30 * second),
  /** Restart of a crashed thread or process. */
  worker: { ...doubling, first: 100, longest: 3 * second, free: 1, between: [1, 1] },
  /** After a wrong passphrase. The first two may be typing errors. */
  passphrase: { ...doubling, first: second, longest: 5 * minute, free: 2, between: [1, 1] },
  /** Automatic retry of a query in a view. */
  query: same(30 * second),
  /** Background requests that learn what a query reveals about a service. */
  learning: same(5 * minute),
  /** Storing the days of viewed reports after the service failed. No user is waiting. */
  looks: { ...doubling, first: 5 * minute, longest: hour, between: [1, 1] },
  publishing: same(hour),
  /** Refresh of a pinned view, also after a success. */
  view: same(hour),
  /** A scheduled file that waits for figures or its folder. */
  schedule: same(10 * minute),
  /** Update check: daily, hourly after a failure, and never during the start. */
  update: same(24 * hour, [1, 25 / 24]),
  updateSoon: same(hour, [1, 2]),
  updateAtStart: same(minute, [1, 10]),
} as const satisfies Readonly<Record<string, RetryPolicy>>

export type RetryKind = keyof typeof retryPolicies

/** Returns the pause in milliseconds after a number of consecutive failures, before randomisation. */
export function pauseAfter(kind: RetryKind, failures: number): number {
  const { first, growth, longest, free } = retryPolicies[kind]
  return failures <= free ? 0 : Math.min(first * growth ** (failures - free - 1), longest)
}

/** Returns the pause that follows `pause`; pass 0 for the first. For callers that switch between two policies. */
export function pauseBeyond(kind: RetryKind, pause: number): number {
  const { first, growth, longest } = retryPolicies[kind]
  return Math.min(Math.max(pause * growth, first), longest)
}

/**
 * Randomises a pause within the policy's range. Returns whole milliseconds.
 * @param random returns a number from 0 to 1
 */
export function byChance(kind: RetryKind, pause: number, random: () => number = Math.random): number {
  const [from, to] = retryPolicies[kind].between
  return Math.round(pause * (from + random() * (to - from)))
}

/** Whether the last attempt is too recent to retry. False if the clock was set back since. */
export function isResting(kind: RetryKind, triedAt: number | undefined, now: number): boolean {
  return triedAt !== undefined && now >= triedAt && now - triedAt < retryPolicies[kind].first
}
