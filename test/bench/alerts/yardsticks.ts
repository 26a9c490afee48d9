import { medianInPlace } from '#main/watch/detector/baseline.ts'
import type { Told } from './life.ts'
import type { DayCounts, SimulatedSource, World } from './world.ts'

/** What others do: a detector that says whether a source's bad rate is unusual on a day. */
type Yardstick = {
  readonly name: string
  readonly isUnusual: (source: SimulatedSource, index: number) => boolean
}

const rateOf = (counts: DayCounts | null | undefined): number =>
  counts && counts.requests >= 20 ? counts.bad / counts.requests : NaN

export const yardsticks: readonly Yardstick[] = [
  {
    name: 'same weekday, median and MAD of 8 weeks, z > 3',
    isUnusual: ({ settled }, index) => {
      const rates = [1, 2, 3, 4, 5, 6, 7, 8]
        .map((week) => rateOf(settled[index - 7 * week]))
        .filter((rate) => rate >= 0)
      const [now, count] = [rateOf(settled[index]), rates.length]
      if (count < 4 || Number.isNaN(now)) return false
      const usual = medianInPlace(Float64Array.from(rates), count)
      const deviation = medianInPlace(
        Float64Array.from(rates, (rate) => Math.abs(rate - usual)),
        count,
      )
      return now - usual > 3 * Math.max(1.4826 * deviation, 1e-6)
    },
  },
  {
    name: 'last week + 33 %',
    isUnusual: ({ settled }, index) => {
      const [now, before] = [rateOf(settled[index]), rateOf(settled[index - 7])]
      return before > 0 && now > (4 / 3) * before
    },
  },
]

/** Days without a finding after which a source may be told again: yardsticks have no episodes of their own. */
const restDays = 28

/** What one tells, once an episode as ours, from figures that are already settled. */
export function toldBy(world: World, isUnusual: (source: SimulatedSource, index: number) => boolean): Told[] {
  const told: Told[] = []
  world.sources.forEach((one, source) => {
    let last = -Infinity
    for (let index = 0; index < world.days; index += 1) {
      if (index - last <= restDays || !isUnusual(one, index)) continue
      told.push({ source, morning: index + 1, from: index, to: index, isWorse: false })
      last = index
    }
  })
  return told
}
