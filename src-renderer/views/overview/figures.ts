import type { Chart, Count, Totals } from '../../../src-shared/service/answers.ts'
import { totalsOf } from '../../../src-shared/service/dimensions.ts'
import type { Family, TotalName } from '../../../src-shared/service/families.ts'
import { families, totalWords } from '../../../src-shared/service/families.ts'
import { wholesOf } from '../../parts/chart/plot.ts'
import { shareOf } from '../../parts/formats.ts'

/** One card: a total, and its share of all requests where that says something. */
export type Figure = {
  readonly name: string
  /** What tables and charts call it. */
  readonly header: string
  readonly value: Count
  readonly share: number | null
  /** Whether the figure is one of the parts that requests fall into, and so has a colour in the chart. */
  readonly series: string | null
}

/** The totals that requests fall into, each request into one; the others overlap with them. */
const parts: Readonly<Record<Family, readonly TotalName[]>> = {
  direct: ['nonsuspect', 'suspect'],
  script: ['good', 'warning', 'bad', 'drops'],
}

/** All requests: the sum of their parts, unknown as soon as one of them is. */
export function requestsOf(family: Family, total: Totals): Count {
  let sum = 0
  for (const part of parts[family]) {
    const value = total[part]
    if (typeof value !== 'number') return null
    sum += value
  }
  return sum
}

/** What tables and charts call a total: `Non-Suspect` for `nonsuspect`. */
function headerOf(family: Family, name: TotalName): string {
  const words = totalWords[name]
  const counts: readonly string[] = families[family].counts
  return counts.find((header) => header.toLowerCase() === words.toLowerCase()) ?? words
}

/** The cards of a family, requests first; totals that the specification does not name come last, as they are called. */
export function figuresOf(family: Family, total: Totals): Figure[] {
  const requests = requestsOf(family, total)
  const others = totalsOf(family).filter((name) => !parts[family].includes(name))
  const named = [...parts[family], ...others]
  const unnamed = Object.keys(total).filter((name) => !named.some((each) => each === name))
  return [
    { name: 'Requests', header: 'Requests', value: requests, share: null, series: null },
    ...named.map((name) => ({
      name: totalWords[name],
      header: headerOf(family, name),
      value: total[name] ?? null,
      share: shareOf(total[name], requests),
      series: parts[family].includes(name) ? name : null,
    })),
    ...unnamed.map((name) => ({ name, header: name, value: total[name] ?? null, share: null, series: null })),
  ]
}

/**
 * The days of a figure; null where the chart does not tell of it. Requests are the sum of their parts where the chart has
 * no such column and all of the parts; a part that it lacks (drops) is what the other parts leave of the requests.
 */
export function daysOfFigure(family: Family, { header }: Figure, chart: Chart): readonly Count[] | null {
  const valuesOf = (wanted: string) => chart.series.find((each) => each.header === wanted)?.values
  const own = valuesOf(header)
  if (own) return own
  const headers = parts[family].map((name) => headerOf(family, name))
  const lists = headers.filter((each) => each !== header).map(valuesOf)
  if (!lists.every((list) => list !== undefined)) return null
  if (header === 'Requests') return wholesOf(lists, chart.days.length)
  const requests = valuesOf('Requests')
  return headers.includes(header) && requests ? restsOf(requests, lists) : null
}

/** What is left of each day's whole, unknown as soon as anything of it is. */
const restsOf = (wholes: readonly Count[], lists: readonly (readonly Count[])[]): Count[] =>
  wholes.map((whole, day) =>
    lists.reduce<Count>((rest, values) => {
      const value = values[day] ?? null
      return rest === null || value === null ? null : rest - value
    }, whole),
  )
