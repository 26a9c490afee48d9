import { day } from '#shared/values/day.ts'
import { drawsFrom } from './draws.ts'
import type { Draws } from './draws.ts'
import type { DayCounts, PlantedChange, SimulatedSource, World } from './world.ts'

/**
 * The first kind of world: each source has a level of volume and of bad rate, and effects are added on the log and
 * log-odds scale: weekdays, trend, holidays, outages, heavy-tailed and autocorrelated days.
 */

const SOURCES = 300
const DAYS = 500
const INSTANCES = 12
/** Days before the first planted change, so that a usual rate exists. */
const CALM = 90

type Kind = 'quiet' | 'lively'

/** Effects that several sources share, by day. */
type Shared = { readonly volume: Float64Array; readonly odds: Float64Array }

const logit = (rate: number) => Math.log(rate / (1 - rate))
const rateAt = (logOdds: number) => 1 / (1 + Math.exp(-logOdds))

/** @param days of the result; fewer are only for measuring time */
export function worldByEffects(seed: number, kind: Kind, days = DAYS): World {
  const draws = drawsFrom(seed)
  const account = sharedByAccount(draws)
  const instances = Array.from({ length: INSTANCES }, () => sharedByInstance(draws, account))
  const planted: PlantedChange[] = []
  const sources = Array.from({ length: SOURCES }, (_, source) => {
    const changes = kind === 'lively' ? plantedFor(draws, source) : []
    planted.push(...changes)
    const at = source % INSTANCES
    const instance = instances[at] ?? { ...account, misjudged: account.odds }
    return sourceOf(draws, instance, changes, {
      label: `source-${source}.example`,
      instance: `instance-${at}`,
    })
  })
  return { name: `effects, ${kind}, seed ${seed}`, firstDay: day('2025-06-02'), days, sources, planted }
}

/** Holidays lower all volumes; bad rates move a little together. */
function sharedByAccount({ chance, uniform, normal }: Draws): Shared {
  const volume = new Float64Array(DAYS)
  const odds = Float64Array.from({ length: DAYS }, () => 0.03 * normal())
  for (let index = 0; index < DAYS; index += 1)
    if (chance(0.02)) {
      volume[index] = Math.log(uniform(0.4, 0.8))
      odds[index] = (odds[index] ?? 0) + 0.08 * normal()
    }
  return { volume, odds }
}

/** Adds an instance's outages, and the days that its service judges wrongly at first. */
function sharedByInstance({ chance, uniform, normal }: Draws, account: Shared) {
  const volume = account.volume.map((value) => (chance(0.004) ? Math.log(uniform(0.05, 0.6)) : value))
  const odds = account.odds.map((value) => value + 0.02 * normal())
  const misjudged = Float64Array.from({ length: DAYS }, () =>
    chance(0.02) ? (chance(0.5) ? 1 : -1) * uniform(0.25, 1) : 0,
  )
  return { volume, odds, misjudged }
}

/** One or two lasting changes, so far apart that each has a usual rate before it. */
function plantedFor({ uniform, chance }: Draws, source: number): PlantedChange[] {
  const changes: PlantedChange[] = []
  let from = Math.floor(uniform(CALM, CALM + 200))
  while (from < DAYS - 15) {
    const to = Math.min(DAYS, from + Math.floor(uniform(14, 50)))
    changes.push({ source, from, to, factor: Math.exp(uniform(Math.log(4 / 3), Math.log(3))) })
    from = to + Math.floor(uniform(75, 200))
    if (chance(0.2)) break
  }
  return changes
}

/** Whether a source exists on each day: some come, some go, and some stop for a while. */
function presenceOf({ chance, uniform }: Draws): readonly boolean[] {
  const begins = chance(0.15) ? uniform(0, DAYS * 0.8) : 0
  const ends = chance(0.1) ? uniform(DAYS * 0.3, DAYS) : DAYS
  const stops = chance(0.1) ? uniform(0, DAYS) : DAYS
  const starts = stops + uniform(1, 20)
  return Array.from(
    { length: DAYS },
    (_, index) => index >= begins && index < ends && (index < stops || index >= starts),
  )
}

function sourceOf(
  draws: Draws,
  shared: Shared & { readonly misjudged: Float64Array },
  changes: readonly PlantedChange[],
  names: Pick<SimulatedSource, 'label' | 'instance'>,
): SimulatedSource {
  const { uniform, normal, heavy, chance, poisson } = draws
  const level = Math.min(Math.max(Math.log(2000) + 1.9 * normal(), Math.log(20)), Math.log(200_000))
  const rate = Math.min(Math.max(rateAt(logit(0.08) + 0.5 * normal()), 0.015), 0.4)
  const weekend = uniform(0.4, 1.3)
  const weekdays = Array.from({ length: 7 }, (_, weekday) => ({
    volume: 0.06 * normal() + (weekday > 4 ? Math.log(weekend) : 0),
    odds: 0.06 * normal(),
  }))
  const trend = { volume: 0.4 * normal(), odds: 0.1 * normal() }
  // Half of the bad rate's variance between days is a beta distribution's, half is autocorrelated with heavy tails.
  const swing = {
    volume: uniform(0.06, 0.25),
    rate: uniform(0.05, 0.19) * Math.SQRT1_2,
    memory: uniform(0.2, 0.7),
  }
  const present = presenceOf(draws)
  const previous = { volume: 0, odds: 0 }
  const settled: (DayCounts | null)[] = []
  const falls: boolean[] = []
  const firstViews: [DayCounts | null, DayCounts | null][] = []
  for (let index = 0; index < DAYS; index += 1) {
    const innovation = Math.sqrt(1 - swing.memory ** 2)
    previous.volume = swing.memory * previous.volume + innovation * heavy()
    previous.odds = swing.memory * previous.odds + innovation * heavy()
    const weekday = weekdays[index % 7] ?? { volume: 0, odds: 0 }
    const common = { volume: shared.volume[index] ?? 0, odds: shared.odds[index] ?? 0 }
    const outage = chance(0.001) ? Math.log(uniform(0.02, 0.5)) : 0
    const volume = level + weekday.volume + common.volume + outage + swing.volume * previous.volume
    const requests = poisson(Math.exp(volume + (trend.volume * index) / DAYS))
    const odds =
      logit(rate) +
      weekday.odds +
      common.odds +
      (swing.rate * previous.odds) / (1 - rate) +
      (trend.odds * index) / DAYS
    const factor = changes.find(({ from, to }) => index >= from && index < to)?.factor ?? 1
    const counts = present[index]
      ? {
          requests,
          bad: draws.binomial(requests, betaAround(draws, Math.min(0.95, factor * rateAt(odds)), swing.rate)),
        }
      : null
    settled.push(counts)
    falls.push(!present[index] || outage + common.volume < 0)
    firstViews.push(firstViewsOf(draws, counts, shared.misjudged[index] ?? 0))
  }
  return { ...names, settled, firstViews, falls }
}

/** Draws a rate of a beta distribution with this mean, and this standard deviation relative to a rate of 8 %. */
function betaAround({ gamma }: Draws, mean: number, swing: number): number {
  const concentration = 0.92 / (0.08 * swing ** 2) - 1
  const bad = gamma(mean * concentration)
  return bad / (bad + gamma((1 - mean) * concentration))
}

/** Late counts are missing at first, and misjudged days have another bad rate. */
function firstViewsOf(
  { uniform, binomial }: Draws,
  counts: DayCounts | null,
  misjudged: number,
): [DayCounts | null, DayCounts | null] {
  if (!counts || counts.requests === 0) return [counts, counts]
  const { requests, bad } = counts
  const rate = Math.min(Math.max(bad / requests, 1e-4), 1 - 1e-4)
  const view = (share: number): DayCounts => {
    const seen = binomial(requests, share)
    const moved = misjudged === 0 ? rate : rateAt(logit(rate) + misjudged)
    const badSeen = misjudged === 0 ? binomial(bad, share) : Math.round(seen * moved)
    return { requests: seen, bad: Math.min(seen, badSeen) }
  }
  return [view(uniform(0.92, 0.98)), view(uniform(0.985, 0.998))]
}
