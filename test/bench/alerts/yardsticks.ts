import { medianInPlace } from '#main/watch/detector/baseline.ts'
import type { Told } from './life.ts'
import type { DayCounts, World } from './world.ts'

/** What others do: a detector that says how far a source's bad rate is above its usual on the day before a morning. */
type Yardstick = {
  readonly name: string
  /** The usual limit. */
  readonly limit: number
  /** Null if it cannot be judged. */
  readonly excess: (settled: readonly (DayCounts | null)[], index: number) => number | null
}

const rateOf = (counts: DayCounts | null | undefined): number =>
  counts && counts.requests >= 20 ? counts.bad / counts.requests : NaN

export const yardsticks: readonly Yardstick[] = [
  {
    name: 'same weekday, median and MAD of 8 weeks, z > 3',
    limit: 3,
    excess: (settled, index) => {
      const rates = [1, 2, 3, 4, 5, 6, 7, 8]
        .map((week) => rateOf(settled[index - 7 * week]))
        .filter((rate) => rate >= 0)
      const [now, count] = [rateOf(settled[index]), rates.length]
      if (count < 4 || Number.isNaN(now)) return null
      const usual = medianInPlace(Float64Array.from(rates), count)
      const deviation = medianInPlace(
        Float64Array.from(rates, (rate) => Math.abs(rate - usual)),
        count,
      )
      return (now - usual) / Math.max(1.4826 * deviation, 1e-6)
    },
  },
  {
    name: 'last week + 33 %',
    limit: 4 / 3,
    excess: (settled, index) => {
      const [now, before] = [rateOf(settled[index]), rateOf(settled[index - 7])]
      return before > 0 && now >= 0 ? now / before : null
    },
  },
]

/** Days without a finding after which a source may be told again: yardsticks have no episodes of their own. */
const restDays = 28

/** What a yardstick tells, once an episode as ours, from figures that are already settled. */
export function toldBy(world: World, { excess, limit }: Yardstick): Told[] {
  const told: Told[] = []
  world.sources.forEach(({ settled }, source) => {
    let last = -Infinity
    for (let index = 0; index < world.days; index += 1) {
      const value = excess(settled, index)
      if (value === null || value <= limit) continue
      if (index - last > restDays) {
        told.push({ source, morning: index + 1, isWorse: false })
        last = index
      }
    }
  })
  return told
}
