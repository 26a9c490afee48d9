import type { Change, News } from '#shared/reports/change.ts'
import { NOTHING, pointsBriefly, pointsInFull, signedCount, signedDaily, signedShare } from '../formats.ts'

/** A difference as it is read, and whether it is for the better. */
export type ChangeText = {
  readonly text: string
  readonly tone: 'better' | 'worse' | 'changed' | 'none'
}

const WAITING: ChangeText = { text: '…', tone: 'none' }
const UNKNOWN: ChangeText = { text: NOTHING, tone: 'none' }

function toneOf(news: News, difference: number): ChangeText['tone'] {
  if (news !== 'none') return news === 'good' ? 'better' : 'worse'
  return difference === 0 ? 'none' : 'changed'
}

/**
 * By how much a count has changed: `+50 (+25%)`, or `+50` where there is little room; `+7.1/day` where the periods are of unequal
 * length. A row that was not there is new; where nothing was counted before there is no percentage.
 * @param change undefined while it is not known
 */
export function countChange(change: Change | undefined, brief = false): ChangeText {
  if (!change) return WAITING
  if (change.isNew) return { text: 'new', tone: 'changed' }
  const { difference, proportion, perDay } = change
  if (difference === null) return UNKNOWN
  // Where there is little room, the header says it.
  const words = perDay ? `${signedDaily(difference)}${brief ? '' : '/day'}` : signedCount(difference)
  const part = brief || proportion === null ? '' : ` (${signedShare(proportion)})`
  return { text: `${words}${part}`, tone: toneOf(change.countNews, difference) }
}

/**
 * By how much a rate has changed, in points: `−4.80` beneath a header that says so, else `−4.80 points`; on cards as exact as
 * shares are there, `−4.8 points`.
 */
export function rateChange(change: Change | undefined, place: 'beneath' | 'alone' | 'cards'): ChangeText {
  if (!change) return WAITING
  const { points } = change
  if (points === null) return UNKNOWN
  const text = place === 'cards' ? pointsBriefly(points) : pointsInFull(points)
  return { text: place === 'beneath' ? text : `${text} points`, tone: toneOf(change.news, points) }
}
