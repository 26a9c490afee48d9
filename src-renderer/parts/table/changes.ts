import type { Cell } from '../../../src-shared/service/answers.ts'
import { NOTHING, signedCount, signedShare } from '../formats.ts'

/** What stood in a row before: its cells, null where there was no such row, undefined while that is not known. */
export type RowBefore = readonly Cell[] | null | undefined

/** A difference as it is read, and whether it is for the better. */
export type Change = { readonly text: string; readonly tone: 'better' | 'worse' | 'changed' | 'none' }

/** Counts that are judged: more of them is better, or worse. More of any other is neither. */
const better = new Set(['Good', 'Non-Suspect'])
const worse = new Set(['Bad', 'Suspect', 'Warning'])

const WAITING: Change = { text: '…', tone: 'none' }
const UNKNOWN: Change = { text: NOTHING, tone: 'none' }

function toneOf(header: string, difference: number): Change['tone'] {
  if (difference === 0) return 'none'
  if (better.has(header)) return difference > 0 ? 'better' : 'worse'
  if (worse.has(header)) return difference > 0 ? 'worse' : 'better'
  return 'changed'
}

/**
 * How a count has changed: arrow, signed difference, signed percentage. A row that was not there is new; where
 * nothing was counted before there is no percentage.
 * @param place of the header in what stood before; -1 where it had no such column
 */
export function changeOf(header: string, now: Cell | undefined, before: RowBefore, place: number): Change {
  if (before === undefined) return WAITING
  if (typeof now !== 'number') return UNKNOWN
  if (before === null) return { text: 'new', tone: 'changed' }
  const then = before[place]
  if (typeof then !== 'number') return UNKNOWN
  const difference = now - then
  if (!Number.isFinite(difference)) return UNKNOWN
  const arrow = difference === 0 ? '' : difference > 0 ? '▲ ' : '▼ '
  const proportion = then > 0 ? ` (${signedShare(difference / then)})` : ''
  return { text: `${arrow}${signedCount(difference)}${proportion}`, tone: toneOf(header, difference) }
}
