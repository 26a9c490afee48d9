import type { CaseFormats } from '#shared/texts/cases.ts'
import type { CaseCell } from '#shared/cases/sections.ts'
import { NOTHING, count, dayInFull, days, momentIn, share } from '#renderer/components/formats.ts'

/** A moment with the zone in which it is told. */
const zoned = (at: number, zone: string): string => `${momentIn(at, zone)} ${zone}`

/** Values in the sentences of a case, as the window writes them. */
export const caseFormats: CaseFormats = {
  count: (value) => (value === null ? NOTHING : count(value)),
  share,
  moment: zoned,
  days,
}

/** A cell of a case as text. */
export function cellWords(cell: CaseCell): string {
  switch (cell.kind) {
    case 'text':
      return cell.text
    case 'count':
      return count(cell.value)
    case 'share':
      return cell.value === null ? '' : share(cell.value)
    case 'day':
      return dayInFull(cell.day)
  }
}
