import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'

/** Figures of a source on a day. */
export type DayCounts = { readonly requests: number; readonly bad: number }

/** A simulated source: figures by day, null on days without the source. */
export type SimulatedSource = {
  readonly label: string
  readonly instance: string
  readonly settled: readonly (DayCounts | null)[]
  /** Figures one and two days after a day began to be over. */
  readonly firstViews: readonly (readonly [DayCounts | null, DayCounts | null])[]
  /** Days with a real fall of the volume: outages, holidays, days without the source. Undefined if the world has none. */
  readonly falls?: readonly boolean[]
  /** Expected bad rates by day without planted changes, NaN without requests. Undefined if the world has none. */
  readonly rates?: readonly number[]
  /** The same without what nobody can know ahead: runs of botnets, and bursts. */
  readonly calmRates?: readonly number[]
}

/** A lasting change of a source's bad rate. */
export type PlantedChange = {
  readonly source: number
  /** Index of the first day, and of the first day after the change. */
  readonly from: number
  readonly to: number
  readonly factor: number
}

/** A simulated account. */
export type World = {
  readonly name: string
  readonly firstDay: Day
  readonly days: number
  readonly sources: readonly SimulatedSource[]
  readonly planted: readonly PlantedChange[]
}

/** Days after which the figures of a simulated day are settled. */
export const settledAfter = 3

/** A world's settled figures in the form that `npm run alerts` reads. */
export function csvOf({ firstDay, days, sources }: World): string {
  const lines = ['day,label,requests,bad']
  for (let index = 0; index < days; index += 1)
    for (const { label, settled } of sources) {
      const counts = settled[index]
      if (counts) lines.push(`${addDays(firstDay, index)},${label},${counts.requests},${counts.bad}`)
    }
  return `${lines.join('\n')}\n`
}
