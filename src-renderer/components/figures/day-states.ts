import type { DayAge, Provenance } from '#shared/reports/answer.ts'
import { unsettledOf } from '#shared/reports/answer.ts'
import type { Chart } from '#shared/api/answers.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { daysInWords, openWords } from '#shared/texts/reports.ts'
import { formats } from '../formats.ts'

/** Days of a chart whose figures may still change, each list in calendar order. */
export type DayStates = {
  /** Days that were in progress when fetched, with partial counts. */
  readonly open: readonly Day[]
  /** Days without any counts yet. */
  readonly empty: readonly Day[]
}

/** Returns the days of a chart that are in progress or have no counts yet. */
export function dayStatesOf(
  chart: Chart,
  provenance: Pick<Provenance, 'ages' | 'fetchedAt' | 'missing'>,
  range: DayRange,
  zone: string,
): DayStates {
  const { open, moving } = unsettledOf(provenance, range, zone)
  const isEmpty = (day: Day) => {
    const index = chart.days.indexOf(day)
    return index >= 0 && chart.series.every(({ values }) => (values[index] ?? 0) === 0)
  }
  return {
    open: open.filter((day) => !isEmpty(day)),
    empty: [...moving, ...open].filter(isEmpty),
  }
}

/** Sentences about these days, for display beside figures. */
export function dayStateWords(
  { open, empty }: DayStates,
  { ages, fetchedAt }: { readonly ages?: readonly DayAge[]; readonly fetchedAt: number },
  now: number,
): readonly string[] {
  const isOpen = openWords({ open }, ages?.at(-1)?.fetchedAt ?? fetchedAt, now, formats)
  return [isOpen, empty.length > 0 ? `Nothing counted yet: ${daysInWords(empty, formats)}.` : null].filter(
    (words) => words !== null,
  )
}

/** Note after a day's name, such as `in progress`; null for a final day. */
export function dayStateOf(states: DayStates | null, day: Day): string | null {
  if (states?.open.includes(day)) return 'in progress'
  return states?.empty.includes(day) ? 'nothing counted yet' : null
}
