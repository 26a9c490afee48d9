/** Statuses of passing trouble: the same request may well be answered later. */
const passingStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

export const isPassingStatus = (status: number): boolean => passingStatuses.has(status)

/** How often a request is sent at most. */
export const MOST_TRIES = 3

const FIRST_WAIT = 400
/** A person waits: a service that asks for a longer pause than this is not asked again by machine. */
const LONGEST_WAIT = 30_000

/** The pause that a Retry-After header asks for, in milliseconds: a number of seconds or an HTTP date. */
function askedFor(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0
  const text = retryAfter.trim()
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(milliseconds) ? 0 : Math.max(0, milliseconds)
}

/**
 * How long to wait before the next try, in milliseconds: doubling, with jitter, and not less than the service asks for.
 * @param tries how often it has been sent
 * @param random gives 0 to 1
 * @returns undefined where it should not be tried again
 */
export function waitBeforeNext(
  tries: number,
  retryAfter: string | undefined,
  now: number,
  random: () => number,
): number | undefined {
  if (tries >= MOST_TRIES) return undefined
  const doubled = FIRST_WAIT * 2 ** (tries - 1)
  const wait = Math.max(askedFor(retryAfter, now), 0) + doubled * (0.5 + random() / 2)
  return wait <= LONGEST_WAIT ? wait : undefined
}
