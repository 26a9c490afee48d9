import type { Account } from '#shared/accounts/account.ts'
import { isSettledOn } from '#shared/reports/settled.ts'
import { dayAt } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'

/** Figures of recent days, in milliseconds. */
const recentFor = 5 * 60_000
/** Look-up lists, in milliseconds. */
const lookupFor = 24 * 60 * 60_000

/** When this machine's clock ran ahead of the service's (src-shared/accounts/account.ts). */
type ClockAhead = NonNullable<Account['clockAhead']>

type Circumstances = {
  readonly now: number
  readonly clockAhead?: ClockAhead | undefined
  /** When the service was found back after it could not be reached; null where that did not happen. */
  readonly onlineAgainAt: Instant | null
}

/** Figures of these days, and when they were fetched. */
export type Fetched = { readonly fetchedAt: Instant; readonly range: DayRange }

/**
 * Whether a kept answer about days can stand. A settled range is asked for again only by hand; recent days are stale
 * after five minutes, or where the service was away since.
 * @param zone the IANA zone in which the account's days begin
 */
export function isReportFresh(
  { fetchedAt, range }: Fetched,
  zone: string,
  circumstances: Circumstances,
): boolean {
  if (isFromLater(fetchedAt, circumstances)) return false
  // What was fetched while the range was still moving does not become final by waiting.
  const settled = isSettled(range, zone, trueTime(fetchedAt, circumstances.clockAhead))
  return settled || isRecent(fetchedAt, recentFor, circumstances)
}

/** Whether a kept look-up list can stand. */
export function isLookupFresh(fetchedAt: Instant, circumstances: Circumstances): boolean {
  return !isFromLater(fetchedAt, circumstances) && isRecent(fetchedAt, lookupFor, circumstances)
}

/**
 * Whether figures do not change any more: their days had been over for long enough when they were fetched.
 */
export const isSettledFor =
  ({ dayZone, clockAhead }: Pick<Account, 'dayZone' | 'clockAhead'>, now: number) =>
  ({ range, fetchedAt }: Fetched): boolean =>
    fetchedAt <= now && isSettled(range, dayZone, trueTime(fetchedAt, clockAhead))

/** When figures were fetched at the earliest, by a clock that may have run ahead. */
const trueTime = (fetchedAt: Instant, ahead: ClockAhead | undefined): number =>
  ahead && fetchedAt > ahead.from && fetchedAt <= ahead.until
    ? Math.max(ahead.from, fetchedAt - ahead.by)
    : fetchedAt

const isSettled = (range: DayRange, zone: string, time: number): boolean =>
  isSettledOn(range, dayAt(time, zone))

/** The clock was set back since: how long ago that was cannot be known. */
function isFromLater(moment: Instant, { now }: Circumstances): boolean {
  return moment > now
}

function isRecent(fetchedAt: Instant, lasting: number, circumstances: Circumstances): boolean {
  return circumstances.now - fetchedAt < lasting && !wasAwaySince(fetchedAt, circumstances)
}

function wasAwaySince(fetchedAt: Instant, circumstances: Circumstances): boolean {
  const { onlineAgainAt } = circumstances
  if (onlineAgainAt === null || isFromLater(onlineAgainAt, circumstances)) return false
  return fetchedAt < onlineAgainAt
}
