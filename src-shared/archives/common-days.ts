import { dayAt } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import type { RowsFacts } from './rows-file.ts'

/** The first and last moment of a file's rows; files of different labels have no row in common. */
type Span = Pick<RowsFacts, 'first' | 'last'> & { readonly label?: string }

const daysOf = ({ first, last }: Span, zone: string): DayRange | null =>
  first === null || last === null ? null : { start: dayAt(first, zone), end: dayAt(last, zone) }

const earlier = (one: Day, other: Day): Day => (one < other ? one : other)
const later = (one: Day, other: Day): Day => (one > other ? one : other)

/**
 * The first and the last day of which two files have rows: one that is in both counts twice. Null where no two files have a day in
 * common; rows without moments are of no day.
 * @param spans the first and last moment of each file
 */
export function commonDays(spans: readonly Span[], zone: string): DayRange | null {
  let common: DayRange | null = null
  const ranges = spans.flatMap((span) => {
    const days = daysOf(span, zone)
    return days ? [{ ...days, label: span.label ?? '' }] : []
  })
  for (const [place, one] of ranges.entries())
    for (const other of ranges.slice(place + 1).filter(({ label }) => label === one.label)) {
      const start = later(one.start, other.start)
      const end = earlier(one.end, other.end)
      if (start > end) continue
      common =
        common === null
          ? { start, end }
          : { start: earlier(common.start, start), end: later(common.end, end) }
    }
  return common
}
