import type { DayRange } from '#shared/values/day.ts'
import { bareTitle, charactersOf, safeStem } from '#shared/values/text.ts'

/** Maximum length of a filter in the name. The file contains the whole filter. */
const LONGEST_FILTER = 24

/**
 * Returns the file name of an export, without extension: account, report, days and filters. A long name is cut at its end, so that its
 * filters go first.
 * @param filters values of the filters
 */
export function exportStem(
  account: string,
  report: string,
  range: DayRange | null,
  filters: readonly string[] = [],
): string {
  const days =
    range === null ? [] : [range.start === range.end ? range.start : `${range.start} to ${range.end}`]
  const title = bareTitle(report, range)
  const named = title === '' && range !== null ? [] : [safeStem(title).slice(0, 48).trim()]
  const rest = [...named, ...days].join(' - ')
  const whose = [...safeStem(account)].slice(0, 40).join('').trim()
  const narrowed = filters.map((value) =>
    charactersOf(value.slice(0, 200)).slice(0, LONGEST_FILTER).join('').trim(),
  )
  return safeStem([`${whose} - ${rest}`, ...narrowed.filter((value) => value !== '')].join(' - '))
}
