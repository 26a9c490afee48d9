import { addDays, day, weekdayOf } from '#shared/values/day.ts'
import { drawsFrom } from './draws.ts'
import type { Draws } from './draws.ts'
import type { DayCounts, PlantedChange, SimulatedSource, World } from './world.ts'

/**
 * The second kind of world: nothing has a rate. Publishers are in states, people come by the hour, bots work in
 * campaigns, and bad requests are what these kinds of traffic happen to add up to. A planted change is one more bot
 * operator who stays. The detector was not chosen by this kind.
 */

const DAYS = 400
const PUBLISHERS = 60
const BOTNETS = 25
const SITES = 9

/** Share of a kind's requests that is bad. */
const badShare = { people: 0.012, offices: 0.04, incentive: 0.22, scrapers: 0.55, bots: 0.93 }

/** Share of a day's people by hour. */
const hours = [2, 1, 1, 1, 1, 2, 3, 5, 6, 6, 6, 5, 5, 5, 5, 5, 5, 6, 6, 7, 7, 6, 4, 3].map(
  (part) => part / 103,
)

/** Publisher states: how much traffic each brings, and the chance to leave it by the day. */
const states = [
  { name: 'usual', people: 1, incentive: 0.06, leave: 0.02 },
  { name: 'campaign', people: 1.5, incentive: 0.075, leave: 0.12 },
  { name: 'slack', people: 0.75, incentive: 0.055, leave: 0.08 },
  { name: 'relaunch', people: 0.55, incentive: 0.06, leave: 0.25 },
] as const

/** A botnet works on some days and visits the sources of some publishers with a part of their traffic. */
type Botnet = { readonly active: readonly boolean[]; readonly publishers: ReadonlySet<number> }

export function worldByCauses(seed: number, kind: 'quiet' | 'lively'): World {
  const draws = drawsFrom(seed * 7919 + 17)
  const firstDay = day('2025-03-03')
  const botnets = Array.from({ length: BOTNETS }, () => botnetOf(draws))
  const restated = Array.from({ length: SITES }, () => restatedDays(draws))
  const planted: PlantedChange[] = []
  const sources: SimulatedSource[] = []
  for (let publisher = 0; publisher < PUBLISHERS; publisher += 1) {
    const weather = statesOf(draws)
    const nets = botnets.filter(({ publishers }) => publishers.has(publisher))
    const count = 1 + draws.poisson(4)
    for (let place = 0; place < count; place += 1) {
      const change = kind === 'lively' && draws.chance(0.75) ? plantedIn(draws, sources.length) : null
      if (change) planted.push(change)
      const label = `publisher-${publisher}/placement-${place}`
      sources.push(
        sourceOf(draws, {
          firstDay,
          weather,
          nets,
          change,
          names: { label, instance: `site-${publisher % SITES}` },
          restated: restated[publisher % SITES] ?? [],
        }),
      )
    }
  }
  return { name: `causes, ${kind}, seed ${seed}`, firstDay, days: DAYS, sources, planted }
}

/** Alternates between work and rest, for a few days each. */
function botnetOf({ chance, poisson }: Draws): Botnet {
  const active: boolean[] = []
  while (active.length < DAYS) {
    const isActive = active.length > 0 ? !active.at(-1) : chance(0.4)
    for (let left = 1 + poisson(isActive ? 1 : 4); left > 0; left -= 1) active.push(isActive)
  }
  const publishers = Array.from({ length: PUBLISHERS }, (_, publisher) => publisher).filter(() =>
    chance(0.08),
  )
  return { active, publishers: new Set(publishers) }
}

/** Factors by which a site's bad requests are off at first. */
const restatedDays = ({ chance, uniform }: Draws): readonly number[] =>
  Array.from({ length: DAYS }, () => (chance(0.02) ? uniform(0.4, 1.6) : 1))

function statesOf({ chance, uniform }: Draws): readonly number[] {
  let state = 0
  return Array.from({ length: DAYS }, () => {
    if (chance(states[state]?.leave ?? 1)) state = state === 0 ? 1 + Math.floor(uniform(0, 3)) : 0
    return state
  })
}

function plantedIn({ uniform }: Draws, source: number): PlantedChange {
  const from = Math.floor(uniform(95, DAYS - 20))
  return { source, from, to: Math.min(DAYS, from + Math.floor(uniform(18, 60))), factor: uniform(1.34, 3) }
}

type Surroundings = {
  readonly firstDay: World['firstDay']
  readonly weather: readonly number[]
  readonly nets: readonly Botnet[]
  readonly change: PlantedChange | null
  readonly restated: readonly number[]
  readonly names: { readonly label: string; readonly instance: string }
}

function sourceOf(
  draws: Draws,
  { firstDay, weather, nets, change, names, restated }: Surroundings,
): SimulatedSource {
  const { uniform, poisson } = draws
  const size = 10 ** uniform(1.6, 4.7)
  const mix = {
    offices: uniform(0.05, 0.4),
    scrapers: uniform(0.02, 0.12),
    incentive: uniform(0.3, 2),
    bots: uniform(0.003, 0.012),
  }
  const weekend = uniform(0.5, 1.2)
  const season = uniform(0, 2 * Math.PI)
  const settled: DayCounts[] = []
  const firstViews: [DayCounts, DayCounts][] = []
  for (let index = 0; index < DAYS; index += 1) {
    const weekday = weekdayOf(addDays(firstDay, index))
    const state = states[weather[index] ?? 0] ?? states[0]
    const yearly = 1 + 0.15 * Math.sin((2 * Math.PI * index) / 365 + season)
    // Machines follow pages more than people.
    const machines = size * yearly * state.people ** 0.85
    const audience = size * yearly * state.people * (weekday > 5 ? weekend : 1) * uniform(0.9, 1.1)
    let people = 0
    for (const hour of hours) people += poisson(audience * hour)
    const offices = weekday > 5 ? poisson(0.1 * mix.offices * audience) : poisson(mix.offices * audience)
    const scrapers = poisson(machines * mix.scrapers * uniform(0.85, 1.15))
    const incentive = poisson(audience * state.incentive * mix.incentive)
    let campaigns = mix.bots
    for (const { active } of nets) if (active[index]) campaigns += mix.bots * 0.7
    let bots = poisson(machines * campaigns * uniform(0.7, 1.3))
    const kinds = { people, offices, incentive, scrapers, bots: 0 }
    if (change && index >= change.from && index < change.to)
      bots += operatorOf(draws, kinds, bots, change.factor)
    const counts = judgedOf(draws, { ...kinds, bots })
    settled.push(counts)
    const [late, off] = [uniform(0.93, 0.99), restated[index] ?? 1]
    firstViews.push([seenOf(draws, counts, late, off), seenOf(draws, counts, (1 + 3 * late) / 4, off)])
  }
  return { ...names, settled, firstViews }
}

type Kinds = Readonly<Record<keyof typeof badShare, number>>

const badOf = (kinds: Kinds): number =>
  Object.entries(badShare).reduce((sum, [kind, share]) => sum + share * kinds[kind as keyof Kinds], 0)

/** Requests of an operator who makes the day's bad rate so many times what it would be. */
function operatorOf({ poisson }: Draws, kinds: Kinds, bots: number, factor: number): number {
  const requests = Object.values(kinds).reduce((sum, count) => sum + count, 0) + bots
  const bad = badOf({ ...kinds, bots })
  const wanted = Math.min(0.8, (factor * bad) / Math.max(1, requests))
  return poisson(Math.max(0, (wanted * requests - bad) / (badShare.bots - wanted)))
}

function judgedOf({ binomial }: Draws, kinds: Kinds): DayCounts {
  let [requests, bad] = [0, 0]
  for (const [kind, share] of Object.entries(badShare)) {
    requests += kinds[kind as keyof Kinds]
    bad += binomial(kinds[kind as keyof Kinds], share)
  }
  return { requests, bad }
}

function seenOf(
  { binomial }: Draws,
  { requests, bad }: DayCounts,
  share: number,
  restated: number,
): DayCounts {
  const badSeen = binomial(bad, share)
  const goodSeen = binomial(requests - bad, share)
  const moved = Math.min(badSeen + goodSeen, Math.round(badSeen * restated))
  return { requests: badSeen + goodSeen, bad: moved }
}
