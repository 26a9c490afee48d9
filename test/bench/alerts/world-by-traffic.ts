/*
World by traffic: rates follow from who sends requests, not from a distribution of rates.

Assumptions, written down before any detector saw the world:
- A source is a mix of 3 to 7 publishers of its network. Popular publishers are in many mixes, so sources share causes.
- People follow weekdays, holidays and the network's demand. Habitual bots work every day, so quiet days have a worse rate.
- A publisher's level and quality wander over days and over months. Some publishers join or leave within weeks.
- Botnets are a clustered point process of each network. A run visits 1 to 3 publishers for some days and brings its own volume.
- A burst is one source's own: one day, seldom two, about once in a thousand days.
- Requests come in sessions of geometric size, and sessions are Poisson: counts swing more than independent requests would.
- Campaigns multiply a source's volume at once, and bring an audience of slightly other quality.
- Figures are restated because filters find bots late, runs later than habitual bots, and because logs arrive late.
- A planted ring multiplies the expected rate. Its requests are added to the others or take their place.
*/
import { addDays, day, weekdayOf } from '#shared/values/day.ts'
import { drawsFrom } from './draws.ts'
import type { Draws } from './draws.ts'
import type { DayCounts, PlantedChange, SimulatedSource, World } from './world.ts'

type Kind = 'quiet' | 'lively'

const firstDay = day('2025-02-03')
const networkCount = 14
const sourceCount = 300
const allDays = 500

/** Holidays by month and day. A network keeps about two thirds of them. */
const holidays =
  '01-01 01-06 03-08 04-18 04-21 05-01 05-26 07-04 08-15 10-03 11-01 11-27 12-24 12-25 12-26 12-31'.split(' ')

/** Expected botnet runs of a publisher in a day, and the probability that a run is followed by another one. */
const runRate = 1 / 240
const echo = 0.3

/** Expected bursts of a source in a day. */
const burstRate = 1 / 1000

const factors = [4 / 3, 1.5, 2, 3]

/** Planted changes begin at least this many days after a source's first day or its last change. */
const undisturbed = 100

/** Days before and after the begin of a planted change without an outage. */
const clear = 14

/** Highest rate that a planted change may lead to. */
const highestRate = 0.7

/** A day is a fall below this share of the median level of the days before. */
const fallBelow = 0.85
const levelDays = 28

/** Figures by day, as factors of what is normal unless said otherwise. */
type Path = Float64Array

type Publisher = {
  readonly level: Path
  /** Expected share of bad requests on a day without botnets. */
  readonly badShare: Path
  /** Share of the bad requests from bots that keep no weekdays. */
  readonly habitual: number
  /** Requests of botnet runs, as a share of the normal volume. */
  readonly runs: Path
}

type Network = {
  readonly label: string
  readonly publishers: readonly Publisher[]
  readonly weekdays: Path
  readonly holidays: Path
  readonly demand: Path
  readonly strictness: Path
  readonly outages: Path
  /** Share of habitual bots that the filter finds within one day, and within two. */
  readonly foundBy: readonly [Path, number]
  /** Share of the requests in the logs after one day. */
  readonly delivered: Path
}

/** Expected requests of a source on a day, by cause. */
type Expected = { good: number; bad: number; runs: number }

/** Simulates an account whose figures follow from publishers, botnets and filters. */
export function worldByTraffic(seed: number, kind: Kind, days = allDays): World {
  const draws = drawsFrom(seed)
  const networks = Array.from({ length: networkCount }, (_, index) =>
    networkOf(draws, `network ${index + 1}`, days),
  )
  const sources: SimulatedSource[] = []
  const planted: PlantedChange[] = []
  for (let source = 0; source < sourceCount; source += 1) {
    const network = oneOf(draws, networks, 1.5)
    const outages = outagesOf(draws, network, kind)
    const life = lifeOf(draws, days)
    const campaigns = campaignsOf(draws, days)
    const expected = expectedOf(draws, { network, outages, campaigns, life })
    const rates = expected.map((each) => (each.good > 0 ? rateOf(each) : NaN))
    const calmRates = expected.map((each) => (each.good > 0 ? rateOf({ ...each, runs: 0 }) : NaN))
    const changes = kind === 'lively' ? changesOf(draws, source, { expected, outages, life }) : []
    for (const change of changes) plant(draws, change, expected)
    planted.push(...changes)
    const { settled, firstViews } = countsOf(draws, network, expected)
    const level = Float64Array.from(
      outages,
      (outage, index) => outage * on(campaigns.level, index) * on(network.holidays, index),
    )
    const falls = settled.map((counts, index) => !counts || isFall(level, index))
    sources.push({
      ...{ label: `source ${source + 1}`, instance: network.label },
      ...{ settled, firstViews, falls, rates, calmRates },
    })
  }
  return { name: `by traffic, ${kind}, seed ${seed}`, firstDay, days, sources, planted }
}

function networkOf(draws: Draws, label: string, days: number): Network {
  const isBusiness = draws.chance(0.4)
  const weekend = isBusiness ? draws.uniform(0.5, 0.75) : draws.uniform(0.9, 1.2)
  const weekday = Array.from(
    { length: 7 },
    (_, index) => (index < 5 ? 1 : weekend) * draws.uniform(0.96, 1.04),
  )
  const holiday = isBusiness ? draws.uniform(0.4, 0.7) : draws.uniform(0.75, 1.1)
  const keeps = new Set(holidays.filter(() => draws.chance(2 / 3)))
  const outages = new Float64Array(days).fill(1)
  for (const from of arrivals(draws, days, 1 / 250)) outages.fill(0, from, from + (draws.chance(0.6) ? 1 : 2))
  const quality = -2.6 + 0.5 * draws.normal()
  const publishers = Array.from({ length: 20 }, () => publisherOf(draws, quality, days))
  sendRuns(draws, publishers, days)
  const found = draws.uniform(0.75, 0.92)
  return {
    label,
    publishers,
    weekdays: pathOf(days, (index) => weekday[weekdayOf(addDays(firstDay, index)) - 1] ?? 1),
    holidays: pathOf(days, (index) => (keeps.has(addDays(firstDay, index).slice(5)) ? holiday : 1)),
    demand: wandering(draws, days, 0.1, 3),
    strictness: wandering(draws, days, 0.06, 5),
    outages,
    foundBy: [pathOf(days, () => (draws.chance(0.02) ? 0.4 : 1) * found), draws.uniform(0.94, 0.98)],
    delivered: pathOf(days, () =>
      draws.chance(0.005) ? draws.uniform(0.3, 0.8) : draws.uniform(0.97, 0.995),
    ),
  }
}

function publisherOf(draws: Draws, quality: number, days: number): Publisher {
  const [fast, slow] = [wandering(draws, days, 0.1, draws.uniform(2, 8)), wandering(draws, days, 0.15, 120)]
  const level = wandering(draws, days, 0.2, draws.uniform(5, 30))
  const odds = Math.exp(quality + 0.35 * draws.normal())
  const joined = draws.chance(0.2) ? draws.uniform(0, days) : -days
  const left = draws.chance(0.2) ? draws.uniform(0, days) : 2 * days
  const [joining, leaving] = [draws.uniform(6, 16), draws.uniform(6, 16)]
  return {
    level: level.map(
      (value, index) => value * logistic((index - joined) / joining) * logistic((left - index) / leaving),
    ),
    badShare: fast.map((value, index) => shareOf(odds * value * on(slow, index))),
    habitual: draws.uniform(0.15, 0.5),
    runs: new Float64Array(days),
  }
}

/** Adds the runs of a network's botnets to its publishers. */
function sendRuns(draws: Draws, publishers: readonly Publisher[], days: number): void {
  const begins = arrivals(draws, days, runRate * publishers.length)
  // Echoes are appended while the list is read, so that an echo can have an echo.
  for (const begin of begins) {
    if (draws.chance(echo)) begins.push(begin + 1 + Math.floor(draws.uniform(0, 7)))
    const [size, fading] = [0.03 * draws.gamma(1), draws.uniform(1, 5)]
    const visits = 1 + Math.floor(draws.uniform(0, 3))
    for (let visit = 0; visit < visits; visit += 1) {
      const { runs } = oneOf(draws, publishers)
      for (let index = begin; index < Math.min(days, begin + 4 * fading); index += 1)
        runs[index] = on(runs, index) + size * Math.exp((begin - index) / fading)
    }
  }
}

/** Level of a source's feed: one, zero during an outage, or a remainder. */
function outagesOf(draws: Draws, network: Network, kind: Kind): Path {
  const level = network.outages.slice()
  for (const from of arrivals(draws, level.length, kind === 'lively' ? 1 / 400 : 1 / 1500)) {
    const remainder = draws.chance(0.6) ? 0 : draws.uniform(0.05, 0.4)
    level.fill(remainder, from, from + 1 + Math.floor(draws.uniform(0, 12)))
  }
  return level
}

/** Days on which a source exists. */
function lifeOf(draws: Draws, days: number): { from: number; to: number } {
  const from = draws.chance(0.15) ? Math.floor(draws.uniform(0, 0.7 * days)) : 0
  const to = draws.chance(0.12) ? Math.floor(draws.uniform(0.3 * days, days)) : days
  return from < to ? { from, to } : { from: 0, to: days }
}

/** Level of a source with its campaigns, and the quality of the audience that they bring. */
function campaignsOf(draws: Draws, days: number): { level: Path; quality: Path } {
  const [level, quality] = [new Float64Array(days).fill(1), new Float64Array(days).fill(1)]
  for (const from of arrivals(draws, days, 1 / 250)) {
    const [more, other] = [draws.uniform(0.3, 1.5), Math.exp(0.1 * draws.normal())]
    const to = Math.min(days, from + 10 + Math.floor(draws.uniform(0, 50)))
    for (let index = from; index < to; index += 1) {
      const usual = on(level, index)
      quality[index] = (on(quality, index) * usual + other * more) / (usual + more)
      level[index] = usual + more
    }
  }
  return { level, quality }
}

type Surroundings = {
  readonly network: Network
  readonly outages: Path
  readonly campaigns: { readonly level: Path; readonly quality: Path }
  readonly life: { readonly from: number; readonly to: number }
}

/** Returns a source's expected requests by day; zero on days without the source. */
function expectedOf(draws: Draws, { network, outages, campaigns, life }: Surroundings): Expected[] {
  const volume = Math.exp(Math.log(700) + 1.5 * draws.normal())
  const mix = Array.from({ length: 3 + Math.floor(draws.uniform(0, 5)) }, () => ({
    publisher: oneOf(draws, network.publishers, 2),
    weight: draws.gamma(1.5),
  }))
  const total = mix.reduce((sum, { weight }) => sum + weight, 0)
  const bursts = new Float64Array(outages.length)
  for (const from of arrivals(draws, bursts.length, burstRate))
    bursts.fill(draws.uniform(0.05, 0.3), from, from + (draws.chance(0.8) ? 1 : 2))
  return Array.from(outages, (outage, index) => {
    const expected = { good: 0, bad: 0, runs: 0 }
    if (outage === 0 || index < life.from || index >= life.to) return expected
    const people =
      on(network.weekdays, index) *
      on(network.holidays, index) *
      on(network.demand, index) *
      Math.exp(0.06 * draws.heavy())
    for (const { publisher, weight } of mix) {
      const { level, badShare, habitual, runs } = publisher
      const normal = ((volume * weight) / total) * on(level, index) * on(campaigns.level, index) * outage
      const bad = normal * on(badShare, index)
      expected.good += people * (normal - bad)
      expected.bad +=
        bad *
        (habitual + people * (1 - habitual)) *
        on(campaigns.quality, index) *
        on(network.strictness, index)
      expected.runs += normal * on(runs, index)
    }
    expected.runs += on(bursts, index) * volume * outage
    return expected
  })
}

/** Chooses when and how much the rate of a source changes: one change for most sources, none or two for others. */
function changesOf(
  draws: Draws,
  source: number,
  { expected, outages, life }: { expected: readonly Expected[] } & Pick<Surroundings, 'outages' | 'life'>,
): PlantedChange[] {
  const changes: PlantedChange[] = []
  const last = life.to - clear
  let earliest = life.from + undisturbed
  while (earliest < last && draws.chance(0.7) && changes.length < 2) {
    const from = Math.floor(draws.uniform(earliest, last))
    const to = Math.min(life.to, from + 14 + Math.floor(draws.uniform(0, 46)))
    const factor = oneOf(draws, factors)
    const rates = expected.slice(from, to).map(rateOf)
    const isClear = outages.slice(from - clear, from + clear).every((level) => level === 1)
    if (isClear && Math.max(...rates) * factor <= highestRate) changes.push({ source, from, to, factor })
    earliest = to + undisturbed
  }
  return changes
}

/** Sends a ring of bots that multiplies the expected rate of each day of a change. */
function plant(draws: Draws, { from, to, factor }: PlantedChange, expected: readonly Expected[]): void {
  const isAdded = draws.chance(0.5)
  for (const requests of expected.slice(from, to)) {
    const rate = rateOf(requests)
    const more = (requests.bad + requests.runs) * (factor - 1)
    requests.bad += isAdded ? more / (1 - factor * rate) : more
    if (!isAdded) requests.good -= more
  }
}

/** Draws a source's settled counts, and what of them is known after one day and after two. */
function countsOf(
  draws: Draws,
  network: Network,
  expected: readonly Expected[],
): Pick<SimulatedSource, 'settled' | 'firstViews'> {
  const [personSession, botSession] = [draws.uniform(1.2, 1.8), draws.uniform(1.3, 2.5)]
  const settled: (DayCounts | null)[] = []
  const firstViews: [DayCounts | null, DayCounts | null][] = []
  for (const [index, { good, bad, runs }] of expected.entries()) {
    const found = sessions(draws, bad, botSession)
    const late = sessions(draws, runs, 6)
    const requests = sessions(draws, good, personSession) + found + late
    settled.push(requests > 0 ? { requests, bad: found + late } : null)
    const [first, second] = [on(network.foundBy[0], index), network.foundBy[1]]
    const arrived = draws.binomial(requests, 0.998)
    const foundSecond = draws.binomial(found, second)
    const lateSecond = draws.binomial(late, 0.8)
    const delivered = on(network.delivered, index)
    const arrivedFirst = draws.binomial(arrived, delivered)
    const foundFirst =
      draws.binomial(foundSecond, (first / second) * delivered) + draws.binomial(lateSecond, 0.5 * delivered)
    firstViews.push([countsOrNull(arrivedFirst, foundFirst), countsOrNull(arrived, foundSecond + lateSecond)])
  }
  return { settled, firstViews }
}

const countsOrNull = (requests: number, bad: number): DayCounts | null =>
  requests > 0 ? { requests, bad: Math.min(requests, bad) } : null

/** Draws requests that come in Poisson-many sessions of geometric size. */
function sessions(draws: Draws, mean: number, size: number): number {
  const count = mean > 0 ? draws.poisson(mean / size) : 0
  return count > 0 ? count + draws.poisson(draws.gamma(count) * (size - 1)) : 0
}

/** Whether a day's level is a fall against the days before. */
function isFall(level: Path, index: number): boolean {
  const before = level.slice(Math.max(0, index - levelDays), index).toSorted()
  return before.length > 0 && on(level, index) < fallBelow * on(before, Math.floor(before.length / 2))
}

/** Returns the days on which events of a Poisson process happen. */
function arrivals(draws: Draws, days: number, rate: number): number[] {
  return Array.from({ length: draws.poisson(rate * days) }, () => Math.floor(draws.uniform(0, days)))
}

/** A factor that returns to one: `sd` is of its logarithm, `memory` in days. */
function wandering(draws: Draws, days: number, sd: number, memory: number): Path {
  const kept = Math.exp(-1 / memory)
  let value = sd * draws.normal()
  return pathOf(days, () => {
    value = kept * value + sd * Math.sqrt(1 - kept ** 2) * draws.normal()
    return Math.exp(value)
  })
}

/** Draws an item of a list. A higher power favours the first items. */
function oneOf<Item>(draws: Draws, items: readonly Item[], power = 1): Item {
  const item = items[Math.floor(items.length * draws.uniform(0, 1) ** power)]
  if (item === undefined) throw new RangeError('nothing to draw from')
  return item
}

/** Returns a day's factor. */
const on = (path: Path, index: number): number => path[index] ?? 1

const pathOf = (days: number, valueOf: (index: number) => number): Path =>
  Float64Array.from({ length: days }, (_, index) => valueOf(index))

const logistic = (value: number): number => 1 / (1 + Math.exp(-value))

const shareOf = (odds: number): number => odds / (1 + odds)

const rateOf = ({ good, bad, runs }: Expected): number =>
  bad + runs === 0 ? 0 : (bad + runs) / (good + bad + runs)
