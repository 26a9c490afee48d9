import type { families, Family, TotalName } from '#shared/api/families.ts'
import { BAD, DROP, GOOD, NON_SUSPECT, SUSPECT, WARNING } from '../events/verdicts.ts'
import { SLOTS, slots } from './tally.ts'
import type { Tally } from './tally.ts'

/** A figure of one row; null where it is not known. */
export type Figure = number | null

type Reading = (counts: Tally, base: number) => Figure

const at =
  (...slots: readonly number[]): ((counts: Tally, base: number) => number) =>
  (counts, base) =>
    slots.reduce((sum, slot) => sum + (counts[base + slot] as number), 0)

/**
 * Null where no answer came from an instance that looks for ad blockers: nulls stay out of sums, and a sum of nothing but
 * nulls (an empty one too) is null. So daily figures add up to those of the range.
 */
const adblocker: Reading = (counts, base) =>
  counts[base + slots.adblockKnown] === 0 ? null : (counts[base + slots.adblockMet] as number)

type CountHeader = (typeof families)[Family]['counts'][number]

const byHeader: Readonly<Record<CountHeader, Reading>> = {
  Requests: at(DROP, GOOD, WARNING, BAD, NON_SUSPECT, SUSPECT),
  Responses: at(GOOD, WARNING, BAD),
  Good: at(GOOD),
  Warning: at(WARNING),
  Bad: at(BAD),
  'Non-Suspect': at(NON_SUSPECT),
  Suspect: at(SUSPECT),
  Mobile: at(slots.mobile),
  'Ad Blocker': adblocker,
}

/** Reads the figure under a header; throws a RangeError for a header that is no count. */
export function countUnder(header: string): (counts: Tally, row: number) => Figure {
  const reading = Object.hasOwn(byHeader, header) ? byHeader[header as CountHeader] : undefined
  if (reading === undefined) throw new RangeError(`${header} is no count`)
  return (counts, row) => reading(counts, row * SLOTS)
}

const totals: Readonly<Record<TotalName, Reading>> = {
  drops: at(DROP),
  good: at(GOOD),
  warning: at(WARNING),
  bad: at(BAD),
  nonsuspect: at(NON_SUSPECT),
  suspect: at(SUSPECT),
  mobile: at(slots.mobile),
  adblocker,
}

/** The members of `total` from a tally of one row. */
export function totalOf(names: readonly TotalName[], sum: Tally): Record<string, Figure> {
  return Object.fromEntries(names.map((name) => [name, totals[name](sum, 0)]))
}

const events = at(DROP, GOOD, WARNING, BAD, NON_SUSPECT, SUSPECT)

/** How many events a row stands for: rows that stand for none are not answered. */
export const eventsIn = (counts: Tally, row: number): number => events(counts, row * SLOTS)
