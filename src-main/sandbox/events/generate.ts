import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { clients } from './catalogue/clients.ts'
import { sandboxInstances } from './catalogue/instances.ts'
import { connections, networkWeights } from './catalogue/networks.ts'
import { places } from './catalogue/places.ts'
import { brokenRules, ruleSetsInForce } from './catalogue/rules.ts'
import { WAVE_SOURCE, campaigns, sources } from './catalogue/sources.ts'
import { ADBLOCK_UNKNOWN, emptyColumns } from './columns.ts'
import type { EventColumns } from './columns.ts'
import { drawBelow, drawWeighted, fallingWeights, randomStream, weightedTable } from './random.ts'
import type { Random } from './random.ts'
import { assignReferrers } from './referrers.ts'
import { DAYS_KEPT, hoursOfToday, planDays, streams } from './rhythm.ts'
import type { DayPlan, Stream } from './rhythm.ts'
import { BAD, DROP, GOOD, NON_SUSPECT, SUSPECT, WARNING, isBroken } from './verdicts.ts'

const SECONDS_OF_A_DAY = 86_400

const tables = {
  client: weightedTable(clients.map((client) => client.weight)),
  place: weightedTable(places.map((place) => place.weight)),
  network: weightedTable(networkWeights.usual),
  waveNetwork: weightedTable(networkWeights.wave),
  connection: weightedTable(fallingWeights(connections.length, 0.5)),
  source: weightedTable(fallingWeights(sources.length, 0.75)),
  campaign: weightedTable(fallingWeights(campaigns.length, 0.8)),
}

/** Weights of drop, good, warning, bad, non-suspect, suspect, by the family and how bad the traffic is. */
function verdictTable({ family, wave, instance }: Stream) {
  const badness = (sandboxInstances[instance]?.badness ?? 1) * (wave ? 12 : 1)
  const weights = [0, 0, 0, 0, 0, 0]
  if (family === 'direct') {
    weights[NON_SUSPECT] = 90
    weights[SUSPECT] = 8 * badness
  } else {
    weights[DROP] = 6
    weights[GOOD] = 80
    weights[WARNING] = 7 * badness
    weights[BAD] = 5 * badness
  }
  return weightedTable(weights)
}

const verdictTables = streams.map(verdictTable)

/** The seconds of a day at which its events happen, in order. */
function timesOf(plan: DayPlan, random: Random): Uint32Array {
  const midnight = Date.parse(plan.day) / 1000
  const times = new Uint32Array(plan.count)
  for (let index = 0; index < plan.count; index++) {
    times[index] = midnight + drawWeighted(random, plan.hours) * 3600 + drawBelow(random, 3600)
  }
  return times.sort()
}

function fillDay(columns: EventColumns, from: number, plan: DayPlan, random: Random): void {
  const inForce = ruleSetsInForce(Math.floor(Date.parse(plan.day) / 1000 / SECONDS_OF_A_DAY / 7))
  columns.time.set(timesOf(plan, random), from)
  for (let event = from; event < from + plan.count; event++) {
    const place = drawWeighted(random, plan.streams)
    const { instance, wave } = streams[place] as Stream
    const verdict = drawWeighted(random, verdictTables[place] as Uint16Array)
    columns.instance[event] = instance
    columns.verdict[event] = verdict
    columns.source[event] = wave ? WAVE_SOURCE : drawWeighted(random, tables.source)
    columns.campaign[event] = drawWeighted(random, tables.campaign)
    columns.client[event] = drawWeighted(random, tables.client)
    columns.place[event] = drawWeighted(random, tables.place)
    columns.network[event] = drawWeighted(random, wave ? tables.waveNetwork : tables.network)
    columns.connection[event] = drawWeighted(random, tables.connection)
    columns.rules[event] = isBroken(verdict) ? brokenRules(inForce, random()) : 0
    const met = drawBelow(random, 100) < 18 ? 1 : 0
    columns.adblock[event] = sandboxInstances[instance]?.detectsAdblockers ? met : ADBLOCK_UNKNOWN
  }
}

/** The events of the 120 days that end today, and where each day's begin (one more entry than days: the end). */
export type Generated = {
  readonly days: readonly Day[]
  readonly columns: EventColumns
  readonly dayStarts: Uint32Array
}

/** Makes every event; the same seed and day make the same events. */
export function generateEvents(seed: number, today: Day, hoursOver = hoursOfToday): Generated {
  const days = Array.from({ length: DAYS_KEPT }, (_, index) => addDays(today, index + 1 - DAYS_KEPT))
  const plans = planDays(seed, days, hoursOver)
  const dayStarts = new Uint32Array(days.length + 1)
  plans.forEach((plan, index) => (dayStarts[index + 1] = (dayStarts[index] as number) + plan.count))
  const columns = emptyColumns(dayStarts[days.length] as number)
  const random = randomStream(seed, 'events')
  plans.forEach((plan, index) => fillDay(columns, dayStarts[index] as number, plan, random))
  assignReferrers(columns, randomStream(seed, 'referrers'))
  return { days, columns, dayStarts }
}
