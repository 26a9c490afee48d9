import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import {
  sandboxInstances,
  COMMON_HOSTS,
  WIDE_HOSTS,
  paths,
  connections,
  networkWeights,
  places,
  brokenRules,
  ruleSetsInForce,
  WAVE_SOURCE,
  campaigns,
  sources,
} from './catalogue.ts'
import { clients } from './clients.ts'
import {
  BAD,
  DROP,
  ADBLOCK_UNKNOWN,
  emptyColumns,
  GOOD,
  NON_SUSPECT,
  SUSPECT,
  WARNING,
  isBroken,
} from './columns.ts'
import type { EventColumns } from './columns.ts'
import {
  drawBelow,
  drawFraction,
  randomStream,
  weightedTable,
  drawWeighted,
  fallingWeights,
} from './random.ts'
import type { Random, WeightedTable } from './random.ts'

/** Number of days with events, including today. */
const DAY_COUNT = 120

/** Default number of today's hours with events, because today is not over. */
export const hoursOfToday = 12

/** A stream of traffic: an instance's Script or Direct, usual or in a wave of bad traffic. */
type Stream = {
  readonly instance: number
  readonly family: 'script' | 'direct'
  readonly wave: boolean
}

const streams: readonly Stream[] = sandboxInstances.flatMap((_, instance) =>
  (['script', 'direct'] as const).flatMap((family) =>
    [false, true].map((wave) => ({ instance, family, wave })),
  ),
)

/** Number of events of a day, and the weights of streams and hours. */
type DayPlan = {
  readonly day: Day
  readonly count: number
  readonly streams: WeightedTable
  readonly hours: WeightedTable
}

const WAVES = 4

/** Returns the days of waves, counted from the first day: runs of two to four days. */
function waveDays(random: Random): Set<number> {
  const days = new Set<number>()
  for (let wave = 0; wave < WAVES; wave++) {
    const start = drawBelow(random, DAY_COUNT - 4)
    for (let length = 2 + drawBelow(random, 3); length > 0; length--) days.add(start + length)
  }
  return days
}

/** Returns a stream's number of events on a day, from weekday, growth and noise. */
function volume(stream: Stream, weekday: number, age: number, isWave: boolean, random: Random): number {
  const instance = sandboxInstances[stream.instance]
  if (instance === undefined || (stream.wave && !isWave)) return 0
  const rhythm = weekday === 0 || weekday === 6 ? instance.weekend : 1
  const growth = 1.08 - (0.16 * age) / DAY_COUNT
  const noise = 0.85 + 0.3 * drawFraction(random)
  return instance[stream.family] * rhythm * growth * noise * (stream.wave ? 0.5 * instance.badness : 1)
}

const hourShape = (weekday: number) =>
  Array.from({ length: 24 }, (_, hour) => {
    const evening = Math.exp(-((hour - 19) ** 2) / 18)
    const office = weekday === 0 || weekday === 6 ? 0.2 : Math.exp(-((hour - 11) ** 2) / 14)
    return 0.15 + evening + office
  })

/** Plans each day in order. The last day is today and ends after `hoursOver`. */
function planDays(seed: number, days: readonly Day[], hoursOver: number): DayPlan[] {
  const random = randomStream(seed, 'rhythm')
  const waves = waveDays(random)
  return days.map((day, index) => {
    const weekday = new Date(day).getUTCDay()
    const age = days.length - 1 - index
    const hours = hourShape(weekday)
    const whole = hours.reduce((sum, hour) => sum + hour, 0)
    const open = age === 0 ? hours.map((value, hour) => (hour < hoursOver ? value : 0)) : hours
    const share = open.reduce((sum, value) => sum + value, 0) / whole
    const volumes = streams.map((stream) => volume(stream, weekday, age, waves.has(index), random))
    const count = Math.round(share * volumes.reduce((sum, value) => sum + value, 0))
    return { day, count, streams: weightedTable(volumes), hours: weightedTable(open) }
  })
}

const hostTable = weightedTable(fallingWeights(COMMON_HOSTS, 0.75))
const pathTable = weightedTable([0, ...fallingWeights(paths.length - 1, 0.6)])

/** Returns the indexes of the wide instance's responses. */
function wideResponses({ instance, result }: EventColumns): number[] {
  const wide = sandboxInstances.findIndex((sandboxInstance) => sandboxInstance.wide)
  const found: number[] = []
  for (let event = 0; event < instance.length; event++) {
    const judged = result[event] as number
    if (instance[event] === wide && judged > DROP && judged <= BAD) found.push(event)
  }
  return found
}

/**
 * Assigns referrers. The wide instance has each of its hosts at least once, spread evenly over the days. In between,
 * hosts repeat, mostly common ones.
 */
function assignReferrers(columns: EventColumns, random: Random): void {
  const { host, path } = columns
  for (let event = 0; event < host.length; event++) host[event] = drawWeighted(random, hostTable)
  const responses = wideResponses(columns)
  if (responses.length < WIDE_HOSTS) throw new RangeError('Too few responses to meet every host')
  let met = 0
  responses.forEach((event, index) => {
    const due = Math.floor(((index + 1) * WIDE_HOSTS) / responses.length)
    if (due > met) host[event] = met++
    else if (drawBelow(random, 2) === 0) host[event] = drawBelow(random, met)
  })
  for (let event = 0; event < host.length; event++) {
    path[event] = host[event] === 0 ? 0 : drawWeighted(random, pathTable)
  }
}

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

/** Weights of drop, good, warning, bad, non-suspect and suspect, by family and badness. */
function resultTable({ family, wave, instance }: Stream) {
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

const resultTables = streams.map(resultTable)

/** Returns the times of a day's events, sorted. */
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
    const result = drawWeighted(random, resultTables[place] as Uint16Array)
    columns.instance[event] = instance
    columns.result[event] = result
    columns.source[event] = wave ? WAVE_SOURCE : drawWeighted(random, tables.source)
    columns.campaign[event] = drawWeighted(random, tables.campaign)
    columns.client[event] = drawWeighted(random, tables.client)
    columns.place[event] = drawWeighted(random, tables.place)
    columns.network[event] = drawWeighted(random, wave ? tables.waveNetwork : tables.network)
    columns.connection[event] = drawWeighted(random, tables.connection)
    columns.rules[event] = isBroken(result) ? brokenRules(inForce, random()) : 0
    const met = drawBelow(random, 100) < 18 ? 1 : 0
    columns.adblock[event] = sandboxInstances[instance]?.detectsAdblockers ? met : ADBLOCK_UNKNOWN
  }
}

/** Events of 120 days, and the index of each day's first event, plus the end. */
export type Generated = {
  readonly days: readonly Day[]
  readonly columns: EventColumns
  readonly dayStarts: Uint32Array
}

/** Generates all events. Seed and day determine them. */
export function generateEvents(seed: number, today: Day, hoursOver = hoursOfToday): Generated {
  const days = Array.from({ length: DAY_COUNT }, (_, index) => addDays(today, index + 1 - DAY_COUNT))
  const plans = planDays(seed, days, hoursOver)
  const dayStarts = new Uint32Array(days.length + 1)
  plans.forEach((plan, index) => (dayStarts[index + 1] = (dayStarts[index] as number) + plan.count))
  const columns = emptyColumns(dayStarts[days.length] as number)
  const random = randomStream(seed, 'events')
  plans.forEach((plan, index) => fillDay(columns, dayStarts[index] as number, plan, random))
  assignReferrers(columns, randomStream(seed, 'referrers'))
  return { days, columns, dayStarts }
}
