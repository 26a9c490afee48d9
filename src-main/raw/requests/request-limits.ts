import type { RawReportList } from './requests-context.ts'
import { pauseAfter } from '#main/lib/retry.ts'
import { lifeOf } from '#shared/raw/list.ts'

/** Limit of the service that holds a request back. */
export type Limit = 'concurrent' | 'minutes'

/** A request rejected by a limit that the list did not show, with that list. */
export type HeldRequest = { readonly by: Limit; readonly time: number; readonly list: RawReportList | null }

const running = ({ reports }: RawReportList) =>
  // An unknown state may be final, so it does not count as running.
  reports.filter(({ row }) => lifeOf(row).state === 'in-progress').length

/** Limit that a list shows as reached; null if there is capacity, or no limit is stated. */
export function limitReached(list: RawReportList): Limit | null {
  const { api_concurrent: atOnce, minutes_available: minutes } = list.limits
  if (atOnce !== null && running(list) >= atOnce) return 'concurrent'
  // A report costs at least one minute (field notes: raw reports).
  return minutes !== null && minutes < 1 ? 'minutes' : null
}

/** Latest time until which a rejected request waits, by the local clock. */
export const heldUntil = ({ by, time }: HeldRequest): number =>
  time + pauseAfter(by === 'minutes' ? 'limitMinutes' : 'limitConcurrent', 1)

/** Whether a rejected request still waits: until the list shows more capacity than at its rejection. */
export function isHeld(held: HeldRequest, list: RawReportList | null, now: number): boolean {
  if (now >= heldUntil(held) || now < held.time) return false
  if (!list || !held.list) return true
  switch (held.by) {
    case 'concurrent':
      return running(list) >= running(held.list)
    case 'minutes':
      return (list.limits.minutes_available ?? 0) <= (held.list.limits.minutes_available ?? 0)
  }
}
