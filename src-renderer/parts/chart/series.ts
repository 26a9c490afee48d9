import type { Chart, Count } from '../../../src-shared/service/answers.ts'

/** The inks of the chart: each is a design token (`--series-good`) and a class of the legend. */
export type Ink = 'good' | 'warning' | 'bad' | 'drops' | 'other-1' | 'other-2' | 'other-3'

/** A line of figures in the chart: a part is stacked with the other parts, the others are drawn as lines. */
export type Series = {
  readonly header: string
  readonly values: readonly Count[]
  readonly part: boolean
  readonly ink: Ink
}

/** The parts that requests fall into, in the order in which they are stacked, with their inks. */
const parts = new Map<string, Ink>([
  ['Non-Suspect', 'good'],
  ['Good', 'good'],
  ['Warning', 'warning'],
  ['Suspect', 'bad'],
  ['Bad', 'bad'],
  ['Drops', 'drops'],
])

const order = [...parts.keys()]
const others = ['other-1', 'other-2', 'other-3'] as const

/** The series of a chart by header, whatever order they came in: known parts first, then the others as they came. */
export function seriesOf(chart: Chart): Series[] {
  const known: Series[] = []
  const unknown: Series[] = []
  for (const { header, values } of chart.series) {
    const ink = parts.get(header)
    if (ink) known.push({ header, values, part: true, ink })
    else unknown.push({ header, values, part: false, ink: others[unknown.length % 3] ?? 'other-1' })
  }
  known.sort((one, other) => order.indexOf(one.header) - order.indexOf(other.header))
  return [...known, ...unknown]
}
