import type { Chart, Count, Totals } from '../../../src-shared/service/answers.ts'
import { headersOf } from '../../../src-shared/service/dimensions.ts'
import type { Dimension } from '../../../src-shared/service/dimensions.ts'
import { families } from '../../../src-shared/service/families.ts'
import type { Family, TotalName } from '../../../src-shared/service/families.ts'
import type { DayRange } from '../../../src-shared/values/day.ts'

/** The sum of totals, member by member. Nulls stay out; a sum of nothing but nulls is null. */
export function sumOfTotals(all: readonly Totals[]): Totals {
  const sums = new Map<string, Count>()
  for (const total of all) {
    for (const [name, count] of Object.entries(total)) {
      const sum = sums.get(name) ?? null
      sums.set(name, count === null ? sum : (sum ?? 0) + count)
    }
  }
  return Object.fromEntries(sums)
}

/** What a chart shows of each family, in this order (field notes: additions to tables), and what of a total it is. */
const charted: Readonly<Record<Family, Readonly<Record<string, readonly TotalName[]>>>> = {
  direct: { Suspect: ['suspect'], 'Non-Suspect': ['nonsuspect'] },
  script: {
    Bad: ['bad'],
    Warning: ['warning'],
    Good: ['good'],
    Responses: ['good', 'warning', 'bad'],
    Requests: ['drops', 'good', 'warning', 'bad'],
    Mobile: ['mobile'],
    'Ad Blocker': ['adblocker'],
  },
}

/** What is not known makes what it is part of unknown: a part of the responses is not the responses. */
function figureOf(total: Totals, names: readonly TotalName[]): Count {
  const parts = names.map((name) => total[name] ?? null)
  return parts.reduce<Count>((sum, part) => (sum === null || part === null ? null : sum + part), 0)
}

/** The totals of a day, or of a few. */
export type DayTotals = { readonly range: DayRange; readonly total: Totals }

/**
 * The chart that the service gives: a value for each day, from that day's totals.
 * @param parts in order of their days; those of more than a day have no place in it
 * @param dimension none for the overview
 */
export function chartOf(parts: readonly DayTotals[], family: Family, dimension?: Dimension): Chart {
  const counts: readonly string[] = dimension ? headersOf(family, dimension) : families[family].counts
  const days = parts.filter(({ range }) => range.start === range.end)
  return {
    days: days.map(({ range }) => range.start),
    series: Object.entries(charted[family])
      .filter(([header]) => counts.includes(header))
      .map(([header, names]) => ({ header, values: days.map(({ total }) => figureOf(total, names)) })),
  }
}
