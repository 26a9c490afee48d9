import type { DayRange } from '#shared/values/day.ts'
import { bareTitle, charactersOf, safeStem } from '#shared/values/text.ts'

/** More of a filter is in the file itself. */
const LONGEST_FILTER = 24

/**
 * The name of an export: whose, what, of which days where there are any, and by which filters. The filters give way first,
 * then the account's part.
 * @param filters the values of what narrows the figures
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
