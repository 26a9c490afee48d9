import type { TableRow } from '#shared/api/answers.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { overlap } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { rowOfNote } from '#shared/watch/notes.ts'
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
  for (const note of notes) {
    const { range, text } = note
    if (!ranges.some((shown) => overlap(range, shown))) continue
    const key = rowOfNote(note, dimension)
    if (key === null) continue
    const words = `${days(range)}: ${text}`
    const before = found.get(key)
    found.set(key, before === undefined ? words : `${before}\n${words}`)
  }
  if (found.size === 0) return undefined
  return ({ label }) => found.get(labelKey(label)) ?? ''
}
