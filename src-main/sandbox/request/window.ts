import { daysBetween } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { Refusal } from '../contracts/handler.ts'

/** Ten years: where an account has no limit, this keeps a range from filling the memory with days. */
const LONGEST_RANGE = 3660

/**
 * Refuses a range that is wider than the account may ask for (field notes: windows).
 * @param days the longest range answered, in days; null for no limit
 * @throws Refusal 400
 */
export function checkWindow(range: DayRange, days: number | null): void {
  const asked = daysBetween(range.start, range.end) + 1
  const longest = days ?? LONGEST_RANGE
  if (asked > longest) throw new Refusal(400, `The range of ${asked} days is wider than ${longest} days`)
}
