/** When something that failed is tried again. All times are in milliseconds. */
type RetryPolicy = {
  /** The pause after the first failure that has one. */
  readonly first: number
  /** What each pause is multiplied by for the next, up to the longest. */
  readonly growth: number
  readonly longest: number
  /** So many failures in a row are followed by none. */
  readonly free: number
  /** The parts of a pause between which chance chooses, so that many desks do not ask in step. */
  readonly between: readonly [number, number]
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const doubling = { growth: 2, free: 0, between: [0.5, 1] } as const
const same = (pause: number, between: RetryPolicy['between'] = [1, 1]) =>
  ({ first: pause, longest: pause, growth: 1, free: 0, between }) as const

/** Every policy by which this program tries again. */
export const retryPolicies = {
  /** A request that may be repeated, after a passing failure: a person waits. */
  request: { ...doubling, first: 400, longest: 800 },
  /** All requests of an account whose service asks for rest. Chance makes it longer alone: the first is the least there is. */
  rest: { ...doubling, first: 10 * second, longest: 5 * minute, between: [1, 1.2] },
  /** Whether a service that was lost answers again, with a window open. */
  probe: { ...doubling, first: second, longest: 30 * second },
  /** The list of raw reports while some run, and while it cannot be fetched. */
  polling: { first: 5 * second, longest: minute, growth: 1.5, free: 0, between: [0.8, 1.2] },
  pollingFails: { first: 5 * second, longest: 5 * minute, growth: 1.5, free: 0, between: [0.8, 1.2] },
  /** The same with nothing running: others may ask for reports, or remove some. */
  pollingRests: same(30 * minute, [0.8, 1.2]),
  download: { ...doubling, first: second, longest: 5 * minute },
  /** Whether a full disk has room, or a silent one answers. */
  disk: same(30 * second),
  /** A thread or process that ended by itself. */
  worker: { ...doubling, first: 100, longest: 3 * second, free: 1, between: [1, 1] },
  /** A wrong passphrase: two are slips of the hand. */
  passphrase: { ...doubling, first: second, longest: 5 * minute, free: 2, between: [1, 1] },
  /** A query that a view asks again automatically. */
  query: same(30 * second),
  /** What a query would tell of a service on the side. */
  learning: same(5 * minute),
  /** Saving days that were looked at, once the service refused or stumbled: nobody waits for it. */
  looks: { ...doubling, first: 5 * minute, longest: hour, between: [1, 1] },
  publishing: same(hour),
  /** Looking for an update: every day, sooner where something was in the way, and not while the app starts. */
  update: same(24 * hour, [1, 25 / 24]),
  updateSoon: same(hour, [1, 2]),
  updateAtStart: same(minute, [1, 10]),
} as const satisfies Readonly<Record<string, RetryPolicy>>

export type RetryKind = keyof typeof retryPolicies

/** The pause after so many failures in a row, in milliseconds, without chance. */
export function pauseAfter(kind: RetryKind, failures: number): number {
  const { first, growth, longest, free } = retryPolicies[kind]
  return failures <= free ? 0 : Math.min(first * growth ** (failures - free - 1), longest)
}

/** The pause that follows one; nought for the first. For what changes between two policies meanwhile. */
export function pauseBeyond(kind: RetryKind, pause: number): number {
  const { first, growth, longest } = retryPolicies[kind]
  return Math.min(Math.max(pause * growth, first), longest)
}

/** A pause of a policy as chance makes it, in whole milliseconds. @param random gives 0 to 1 */
export function byChance(kind: RetryKind, pause: number, random: () => number = Math.random): number {
  const [from, to] = retryPolicies[kind].between
  return Math.round(pause * (from + random() * (to - from)))
}

/** Whether what was tried then is to be left alone now. A clock that was set back leaves nothing alone. */
export function isResting(kind: RetryKind, triedAt: number | undefined, now: number): boolean {
  return triedAt !== undefined && now >= triedAt && now - triedAt < retryPolicies[kind].first
}
