import type { DayAge, Provenance } from '#shared/reports/answer.ts'
import { unsettledOf } from '#shared/reports/answer.ts'
import type { Chart } from '#shared/api/answers.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { daysInWords, openWords } from '#shared/texts/reports.ts'
import { formats } from '../formats.ts'

/** The days of a chart that are not yet what they will be. Each in order of the calendar. */
export type DayStates = {
  /** Not over when they were fetched, and counted in part. */
  readonly open: readonly Day[]
  /** Of which nothing is counted, and something still may be. */
  readonly empty: readonly Day[]
}

/** Which days of daily figures are not over, or have nothing counted yet. */
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

/** What is said of such days beside figures, a sentence each. */
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

/** What is said of a day beside its name: `not over`. Null of a day that is as it will be. */
export function dayStateOf(states: DayStates | null, day: Day): string | null {
  if (states?.open.includes(day)) return 'in progress'
  return states?.empty.includes(day) ? 'nothing counted yet' : null
}
