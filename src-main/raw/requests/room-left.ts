import { lifeOf } from '#shared/raw/life.ts'
import type { KnownList } from './raw-asking-parts.ts'

/** What a request waits for that the service's limits hold back. */
export type Limit = 'concurrent' | 'minutes'

/** A request that the limits turned away though there seemed to be room, and what the list said then. */
export type Held = { readonly by: Limit; readonly at: number; readonly list: KnownList | null }

const minute = 60_000
/** How long a request that was turned away stays back where the list does not tell when there is room again. */
const rests: Readonly<Record<Limit, number>> = { concurrent: minute, minutes: 60 * minute }

const running = ({ reports }: KnownList) =>
  // A label that nobody knows may be an end: it must not hold back everything else for good.
  reports.filter(({ row }) => lifeOf(row).state === 'in-progress').length

/** What there is no room for, by a complete list; null where there is room, or none is told of. */
export function limitReached(list: KnownList): Limit | null {
  const { api_concurrent: atOnce, minutes_available: minutes } = list.limits
  if (atOnce !== null && running(list) >= atOnce) return 'concurrent'
  // A report costs at least one minute (field notes: raw reports).
  return minutes !== null && minutes < 1 ? 'minutes' : null
}

/** Until when a request that was turned away stays back at most, by this machine's clock. */
export const heldUntil = ({ by, at }: Held): number => at + rests[by]

/** Whether a request that was turned away still stays back: until the list shows more room than there was. */
export function isHeld(held: Held, list: KnownList | null, now: number): boolean {
  if (now >= heldUntil(held) || now < held.at) return false
  if (!list || !held.list) return true
  switch (held.by) {
    case 'concurrent':
      return running(list) >= running(held.list)
    case 'minutes':
      return (list.limits.minutes_available ?? 0) <= (held.list.limits.minutes_available ?? 0)
  }
}
