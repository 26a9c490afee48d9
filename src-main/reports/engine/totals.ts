import type { Chart, Count, Totals } from '#shared/api/answers.ts'
import { headersOf, families } from '#shared/api/dimensions.ts'
import type { Dimension, Family, TotalName } from '#shared/api/dimensions.ts'
import type { Day, DayRange } from '#shared/values/day.ts'

/**
 * The sum of totals, member by member. Nulls stay out; a sum of nothing but nulls is null. Text in place of a count makes a sum
 * unknown: part of it is not the sum. One total alone stays as it came.
 */
export function sumOfTotals(all: readonly Totals[]): Totals {
  const [first, ...more] = all
  if (first && more.length === 0) return first
  const sums = new Map<string, Count>()
  const unknown = new Set<string>()
  for (const total of all) {
    for (const [name, count] of Object.entries(total)) {
      const sum = sums.get(name) ?? null
      if (typeof count === 'string') unknown.add(name)
      sums.set(name, typeof count === 'number' ? (sum ?? 0) + count : sum)
    }
  }
  return Object.fromEntries([...sums].map(([name, sum]) => [name, unknown.has(name) ? null : sum]))
}

/** The same of days, with the members alone that each of them has: the sum of a part of the days is none of all of them. */
export function sumOfDays(all: readonly Totals[]): Totals {
  const isReported = (name: string) => all.every((total) => Object.hasOwn(total, name))
  return Object.fromEntries(Object.entries(sumOfTotals(all)).filter(([name]) => isReported(name)))
}

/** What of a total each count is the sum of. */
const partsOf: Readonly<Record<Family, Readonly<Record<string, readonly TotalName[]>>>> = {
  direct: {
    Requests: ['nonsuspect', 'suspect'],
    'Non-Suspect': ['nonsuspect'],
    Suspect: ['suspect'],
    Mobile: ['mobile'],
  },
  script: {
    Requests: ['drops', 'good', 'warning', 'bad'],
    Responses: ['good', 'warning', 'bad'],
    Good: ['good'],
    Warning: ['warning'],
    Bad: ['bad'],
    Mobile: ['mobile'],
    'Ad Blocker': ['adblocker'],
  },
}

/** What a chart shows of each family, in this order (field notes: additions to tables). */
const charted: Readonly<Record<Family, readonly string[]>> = {
  direct: ['Suspect', 'Non-Suspect'],
  script: ['Bad', 'Warning', 'Good', 'Responses', 'Requests', 'Mobile', 'Ad Blocker'],
}

/** What is not known makes what it is part of unknown: a part of the responses is not the responses. */
function figureOf(total: Totals, names: readonly TotalName[]): Count {
  return names.reduce<Count>((sum, name) => {
    const part = total[name]
    return sum === null || typeof part !== 'number' ? null : sum + part
  }, 0)
}

/** The count under a header, from a total; undefined where the total has not all that it is made of. */
export function countIn(total: Totals, family: Family, header: string): Count | undefined {
  const names = partsOf[family][header]
  return names?.every((name) => total[name] !== undefined) ? figureOf(total, names) : undefined
}

/**
 * The total of a day, as far as a chart tells it. A chart may leave days out on which nothing was counted: where the others
 * add up to the total of all days, such a day counts nothing. Null where the chart does not tell of the day.
 */
export function totalInChart(
  { days, series }: Chart,
  day: Day,
  { family, together }: { readonly family: Family; readonly together: Totals },
): Totals | null {
  const place = days.indexOf(day)
  const sums = series.every(({ header, values }) => {
    const sum = values.reduce<number>((all, value) => all + (value ?? 0), 0)
    return sum === (countIn(together, family, header) ?? 0)
  })
  if (place < 0 && !sums) return null
  const under = (header: string) => {
    const values = series.find((item) => item.header === header)?.values
    return place < 0 ? values && 0 : values?.[place]
  }
  const single = Object.entries(partsOf[family]).flatMap(([header, names]) => {
    const count = under(header)
    const [name] = names
    return names.length === 1 && name !== undefined && count !== undefined ? [[name, count] as const] : []
  })
  const requests = under('Requests')
  const responses = under('Responses') ?? countIn(Object.fromEntries(single), family, 'Responses')
  const tellsDrops = family === 'script' && typeof requests === 'number' && typeof responses === 'number'
  return { ...Object.fromEntries(single), ...(tellsDrops && { drops: requests - responses }) }
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
    series: charted[family]
      .filter((header) => counts.includes(header))
      .map((header) => ({
        header,
        values: days.map(({ total }) => figureOf(total, partsOf[family][header] ?? [])),
      })),
  }
}
