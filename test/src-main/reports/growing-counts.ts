import { BAD, emptyColumns, GOOD, NON_SUSPECT, instancePlace } from '#main/sandbox/events/columns.ts'
import { campaigns, sandboxInstances, sources } from '#main/sandbox/events/catalogue.ts'
import { clients } from '#main/sandbox/events/clients.ts'
import type { SandboxClock } from '#main/sandbox/control/state.ts'
import type { Events } from '#main/sandbox/events/events.ts'
import { addDays, day, dayAt, daysBetween, daysOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'

export type Counted = { readonly good: number; readonly bad: number }

/** Requests that are counted together: one combination of instance, source and device. */
type CellOfCounts = {
  readonly instance: InstanceId
  readonly source: string
  readonly device: string
  readonly campaign: string
  /** Good and bad requests of each day at first, and how many each level of the day adds. */
  readonly base: Counted
  readonly growth: Counted
}

/** What is counted of a scope: all, or one row of a table. */
export type Part = Partial<Pick<CellOfCounts, 'instance' | 'source' | 'device' | 'campaign'>>

/** Level of each day that counts; how much of it had been counted at one moment. */
export type Levels = ReadonlyMap<Day, number>

export const start = Date.parse('2026-11-20T12:00:00Z')
const days = daysOf({ start: day('2026-11-11'), end: day('2026-11-20') })
const instances = ['4101', '4117', '4123', '4189'] as InstanceId[]
const sourcesOf = [sources[0], sources[2], sources[3]].map(String)
const campaignsOf = [campaigns[1], campaigns[3]].map(String)
const devices = ['Apple', 'Samsung']
/** From so many days after its end on, a day does not grow. */
const settledAfterDays = 3
/** More levels than any life reaches. */
const maxLevel = 40

const cells: readonly CellOfCounts[] = instances.flatMap((instance, one) =>
  sourcesOf.flatMap((source, two) =>
    devices.map((device, three) => ({
      ...{ instance, source, device, campaign: campaignsOf[three] ?? '' },
      base: { good: 1 + ((one * 5 + two * 3 + three) % 7), bad: 1 + ((one * 2 + two + three * 3) % 4) },
      growth: { good: 1 + ((one + two + three) % 2), bad: (one + two * three) % 3 === 0 ? 1 : 0 },
    })),
  ),
)

/** Days differ: what is added of one in place of another is wrong. */
const extraOf = (day: Day): number => days.indexOf(day) % 3

export const labels = { sources: sourcesOf, campaigns: campaignsOf, devices, sessions: instances } as const

/** What a scope counts over days at these levels. */
export function countedOf(scope: readonly InstanceId[], levels: Levels, part: Part = {}): Counted {
  let [good, bad] = [0, 0]
  for (const cell of cells) {
    if (!scope.includes(cell.instance) || !isOfPart(cell, part)) continue
    for (const [day, level] of levels) {
      if (!days.includes(day)) continue
      good += cell.base.good + extraOf(day) + cell.growth.good * level
      bad += cell.base.bad + cell.growth.bad * level
    }
  }
  return { good, bad }
}

const isOfPart = (cell: CellOfCounts, { instance, source, device, campaign }: Part): boolean =>
  (instance ?? cell.instance) === cell.instance &&
  (source ?? cell.source) === cell.source &&
  (device ?? cell.device) === cell.device &&
  (campaign ?? cell.campaign) === cell.campaign

/** The columns of all events, each with the level at which its day counts it. Events of a day lie together. */
function makeColumns() {
  const events = days.flatMap((day) =>
    cells.flatMap((cell) =>
      (['good', 'bad'] as const).flatMap((result) => {
        const base = cell.base[result] + (result === 'good' ? extraOf(day) : 0)
        const length = base + maxLevel * cell.growth[result]
        return Array.from({ length }, (_, nth) => {
          const level = nth < base ? 0 : Math.floor((nth - base) / cell.growth[result]) + 1
          return { day, cell, result, level }
        })
      }),
    ),
  )
  const columns = emptyColumns(events.length)
  const [levels, dayOf] = [new Uint8Array(events.length), new Uint8Array(events.length)]
  for (const [place, { day, cell, result, level }] of events.entries()) {
    columns.time[place] = Date.parse(`${day}T10:00:00Z`) / 1000
    columns.instance[place] = instancePlace(cell.instance)
    columns.source[place] = sources.indexOf(cell.source)
    columns.campaign[place] = campaigns.indexOf(cell.campaign)
    columns.client[place] = clients.findIndex(({ manufacturer }) => manufacturer === cell.device)
    columns.result[place] = result === 'good' ? GOOD : BAD
    levels[place] = level
    dayOf[place] = days.indexOf(day)
  }
  const starts = days.map((day) => events.findIndex((event) => event.day === day))
  return { columns, levels, dayOf, starts: [...starts, events.length] }
}

/**
 * Counts that are a function of scope, day and time: at each time the parts add up to the whole. A day grows with the time until it
 * is settled, and after that when the service restates it. Each moment has counts of its own.
 */
export class GrowingCounts {
  #time = start
  /** From each of these times on, days have these levels. */
  #history: { readonly at: number; readonly levels: readonly number[] }[] = []
  /** Days that were counted anew after they were over. */
  readonly restated = new Set<Day>()

  constructor() {
    this.reset()
  }

  readonly clock: SandboxClock = {
    now: () => this.#time,
    today: () => dayAt(this.#time, 'UTC'),
    advance: (milliseconds) => {
      this.#time += milliseconds
    },
  }

  /** Begins again at the first moment, with nothing restated. */
  reset(): void {
    this.#time = start
    this.#history = [{ at: -Infinity, levels: days.map(() => 0) }]
    this.restated.clear()
  }

  /** Time passes. Days that are not settled count more from then on. */
  pass(milliseconds: number): void {
    const today = this.clock.today()
    this.#time += milliseconds
    this.#grow((day) => daysBetween(day, today) < settledAfterDays)
  }

  /** Counts a day anew, a little later. */
  restate(day: Day): void {
    this.#time += 600
    if (day < this.clock.today()) this.restated.add(day)
    this.#grow((other) => other === day)
  }

  /** Levels that a day had between two times, both included. */
  levelsOf(day: Day, from: number, to = Infinity): readonly number[] {
    const place = days.indexOf(day)
    const found = this.#history.flatMap(({ at, levels }, nth) =>
      at <= to && (this.#history[nth + 1]?.at ?? Infinity) > from ? (levels[place] ?? 0) : [],
    )
    return [...new Set(found)]
  }

  events(): Events {
    const { columns, levels, dayOf, starts } = (made ??= makeColumns())
    const [first] = days
    if (first === undefined) throw new TypeError('There are no days')
    const within = (count: number) => starts[Math.min(Math.max(count, 0), days.length)] ?? 0
    const judge = () => {
      const present = this.#history.at(-1)?.levels ?? []
      return {
        // What is not counted yet is of the other family, which nobody asks for.
        result: (event: number) =>
          (levels[event] ?? 0) <= (present[dayOf[event] ?? 0] ?? 0)
            ? (columns.result[event] ?? NON_SUSPECT)
            : NON_SUSPECT,
        rules: () => 0,
      }
    }
    const noRows = () => {
      throw new TypeError('Rows are not asked for here')
    }
    return {
      ...{ instances: sandboxInstances, days, columns, judge },
      ...{ rows: noRows, timestamp: noRows, value: noRows, restated: noRows },
      span: (range) => {
        const begun = within(daysBetween(first, range.start))
        return { first: begun, end: Math.max(begun, within(daysBetween(first, addDays(range.end, 1)))) }
      },
    }
  }

  #grow(isMeant: (day: Day) => boolean): void {
    const levels = (this.#history.at(-1)?.levels ?? []).map((level, place) => {
      const day = days[place]
      return day !== undefined && isMeant(day) ? level + 1 : level
    })
    if (levels.some((level) => level > maxLevel))
      throw new RangeError('More moments than there are events for')
    this.#history.push({ at: this.#time, levels })
  }
}

let made: ReturnType<typeof makeColumns> | undefined
