import type { Chart, Count } from '#shared/api/answers.ts'
import { wholesOf } from '#shared/reports/daily-figures.ts'
import type { RuleName } from '#shared/reports/query.ts'
import { isMeasure } from './series.ts'

/** What the shares are of. A request that breaks several rule sets counts in each. */
export const ruleSetsWhole = 'Broken rule sets'

/** Maximum number of rule sets with a colour of their own. */
const maxShown = 7
const othersName = 'Others'

/** Daily counts of the largest rule sets under their names, largest first, and of the others together. */
type RuleMix = { readonly chart: Chart; readonly before: Chart | null }

/**
 * Prepares the daily counts of rule sets for a chart. The days shown decide which are largest; the compared days follow.
 * @param chart a series for each code
 * @param names the account's names of rule sets
 */
export function ruleMix(chart: Chart, before: Chart | null, names: readonly RuleName[]): RuleMix {
  const sums = new Map(
    chart.series.map(({ header, values }) => [
      header,
      values.reduce<number>((sum, value) => sum + (value ?? 0), 0),
    ]),
  )
  const codes = [...new Set([...chart.series, ...(before?.series ?? [])].map(({ header }) => header))]
  const ordered = codes.toSorted((one, other) => (sums.get(other) ?? 0) - (sums.get(one) ?? 0))
  const shown = ordered.slice(0, maxShown)
  const headers = headersOf(shown, names)
  const drawn = (from: Chart): Chart => {
    const valuesOf = (code: string) => countsOf(from, code)
    const others = ordered.slice(maxShown).map(valuesOf)
    return {
      days: from.days,
      series: [
        ...shown.map((code, place) => ({ header: headers[place] ?? code, values: valuesOf(code) })),
        ...(others.length > 0 ? [{ header: othersName, values: wholesOf(others, from.days.length) }] : []),
      ],
    }
  }
  return { chart: drawn(chart), before: before && drawn(before) }
}

/** Counts of a rule set. Zero on a day that has counts of others: then nothing broke it. */
function countsOf({ days, series }: Chart, code: string): readonly Count[] {
  const found = series.find(({ header }) => header === code)?.values
  const isKnown = (place: number) => series.some(({ values }) => (values[place] ?? null) !== null)
  return found ?? days.map((_, place) => (isKnown(place) ? 0 : null))
}

/** Names of rule sets, each once: a name that another series has gets its code. */
function headersOf(codes: readonly string[], names: readonly RuleName[]): string[] {
  const taken = new Set([othersName])
  return codes.map((code) => {
    const name = names.find((ruleName) => ruleName.code === code)?.name ?? code
    const header = taken.has(name) || isMeasure(name) ? `${name} (${code})` : name
    taken.add(header)
    return header
  })
}
