import type { TableRow } from '#shared/api/answers.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import { overlap } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { DayNote } from '#shared/watch/notes.ts'
import { days } from '../formats.ts'

/** Returns the notes on a row in words; empty if the row has none. */
type RowNotes = (row: TableRow) => string

/**
 * Returns a function that finds the notes on rows of a table by instance or source.
 * @param ranges days of the table, and those compared with
 * @returns undefined if no row can have notes
 */
export function rowNotes(
  notes: readonly DayNote[],
  dimension: Dimension,
  ranges: readonly DayRange[],
): RowNotes | undefined {
  const found = new Map<string, string>()
  for (const { subject, range, text } of notes) {
    if (!ranges.some((shown) => overlap(range, shown))) continue
    const key = subject.kind === 'instance' ? subject.id : subject.kind === 'source' ? subject.source : null
    const isListed = subject.kind === 'instance' ? dimension === 'sessions' : dimension === 'sources'
    if (key === null || !isListed) continue
    const words = `${days(range)}: ${text}`
    const before = found.get(key)
    found.set(key, before === undefined ? words : `${before}\n${words}`)
  }
  if (found.size === 0) return undefined
  return ({ label }) => {
    const key = label.kind === 'instance' ? label.id : label.kind === 'text' ? label.text : null
    return key === null ? '' : (found.get(key) ?? '')
  }
}
