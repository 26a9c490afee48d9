import type { RawRequestId, RawRequestState } from '#shared/raw/asking.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import type { KnownList } from './raw-asking-parts.ts'
import { heldUntil, isHeld, limitReached } from './room-left.ts'
import type { Held, Limit } from './room-left.ts'

/** What a request waits for. */
export type Reason = Extract<RawRequestState, { kind: 'waiting' }>['for']

export type Next = {
  /** What is sent now; none where there is no room, or all stay back. */
  readonly next: StoredRequest | undefined
  /** What each of the others waits for. */
  readonly others: readonly { readonly request: StoredRequest; readonly reason: Reason }[]
  /** What there is no room for. */
  readonly limit: Limit | null
  /** When one that was turned away no longer stays back, by this machine's clock. */
  readonly moments: readonly number[]
}

/**
 * Which of the requests that wait goes next: the first that the service did not just turn away, where its limits leave
 * room.
 * @param waiting in the person's order
 * @param turnedAway what the limits turned away though there seemed to be room
 * @param list null where this token is never given one
 */
export function nextToSend(
  waiting: readonly StoredRequest[],
  turnedAway: ReadonlyMap<RawRequestId, Held>,
  list: KnownList | null,
  now: number,
): Next {
  const held = new Map(
    waiting.flatMap(({ id }) => {
      const why = turnedAway.get(id)
      return why && isHeld(why, list, now) ? [[id, why] as const] : []
    }),
  )
  const full = [...held.values()].some(({ by }) => by === 'concurrent') ? 'concurrent' : null
  const limit = (list && limitReached(list)) ?? full
  const next = limit ? undefined : waiting.find(({ id }) => !held.has(id))
  const others = waiting
    .filter((request) => request !== next)
    .map((request) => ({ request, reason: limit ?? held.get(request.id)?.by ?? ('turn' as const) }))
  return { next, others, limit, moments: [...held.values()].map(heldUntil) }
}
