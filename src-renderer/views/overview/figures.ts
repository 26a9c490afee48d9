import { wholesOf } from '#renderer/components/chart/plot.ts'
import type { Chart, Count } from '#shared/api/answers.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { headerOf, partsOf } from '#shared/reports/overview-figures.ts'
import type { Figure } from '#shared/reports/overview-figures.ts'
import type { MovedBy } from '#shared/reports/query.ts'
import type { OverviewAddress } from '#shared/views/view-address.ts'

export { figuresOf, requestsOf } from '#shared/reports/overview-figures.ts'
export type { Figure }

/**
 * The days of a figure; null where the chart does not tell of it. Requests are the sum of their parts where the chart has
 * no such column and all of the parts; a part that it lacks (drops) is what the other parts leave of the requests.
 */
export function daysOfFigure(family: Family, { header }: Figure, chart: Chart): readonly Count[] | null {
  const valuesOf = (wanted: string) => chart.series.find((item) => item.header === wanted)?.values
  const own = valuesOf(header)
  if (own) return own
  const headers = partsOf[family].map((name) => headerOf(family, name))
  const lists = headers.filter((value) => value !== header).map(valuesOf)
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

/** What each family is watched for. */
export const watched = { script: 'Bad', direct: 'Suspect' } as const

/** The overview with what moved most: compared with the period before, unless it is compared already. */
export const toMovers = (address: OverviewAddress): OverviewAddress =>
  address.compare.kind === 'preset' && address.compare.preset === 'none'
    ? { ...address, compare: { kind: 'preset', preset: 'period-before' } }
    : address

/** The rate of fewer requests moves by chance. */
const MIN_FOR_RATES = 50

/** How rows are said to have moved: by number all of them, by rate those of at least some requests. */
export function movedBy({ moved, min }: Pick<OverviewAddress, 'moved' | 'min'>): Required<MovedBy> {
  return moved === 'rate' ? { by: 'rate', min: min ?? MIN_FOR_RATES } : { by: 'count', min: min ?? 0 }
}
