import type { DayRange } from '../../src-shared/values/day.ts'
import { safeStem } from '../../src-shared/values/file-name.ts'

/** The name of an export: whose, what, and of which days where there are any. The account's part gives way first. */
export function exportStem(account: string, report: string, range: DayRange | null): string {
  const days =
    range === null ? [] : [range.start === range.end ? range.start : `${range.start} to ${range.end}`]
  const rest = [safeStem(report).slice(0, 48).trim(), ...days].join(' - ')
  const whose = [...safeStem(account)].slice(0, 40).join('').trim()
  return safeStem(`${whose} - ${rest}`)
}
