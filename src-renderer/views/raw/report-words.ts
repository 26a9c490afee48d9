import type { ListedReport, SavedState } from '#shared/raw/listed.ts'
import type { Timestamp } from '#shared/api/answers.ts'
import { ago, between, duration } from '#renderer/components/durations.ts'
import { NOTHING, moment, momentBriefly } from '#renderer/components/formats.ts'

/** When something happened, in milliseconds since 1970; null where it has not, or nobody can read when. */
export function timeOf(timestamp: Timestamp): number | null {
  const time = timestamp === null ? NaN : Date.parse(timestamp)
  return Number.isNaN(time) ? null : time
}

/** A moment of a report's life by this machine's clock; as it came where it cannot be read. */
export function momentOf(timestamp: Timestamp, now: number): string {
  const time = timeOf(timestamp)
  return time === null ? (timestamp ?? NOTHING) : moment(time, now)
}

/** The same in a cell of the list. */
export function cellOf(timestamp: Timestamp, now: number): string {
  const time = timeOf(timestamp)
  return time === null ? (timestamp ?? NOTHING) : momentBriefly(time, now)
}

/** How long ago, where that is known. */
export function agoWords(timestamp: Timestamp, now: number): string {
  const time = timeOf(timestamp)
  return time === null ? '' : ago(now - time)
}

/** How long a report is still kept by the service: `in 30 days`. */
export function expiryWords(expires: Timestamp, now: number): string {
  const time = timeOf(expires)
  if (time === null) return ''
  return time <= now ? 'expired' : `in ${duration(time - now)}`
}

/** Whether a report goes within so few days that it should be said louder. */
export function expiresSoon(expires: Timestamp, now: number): boolean {
  const time = timeOf(expires)
  return time !== null && time > now && time - now < 3 * 86_400_000
}

/** How far a report is, where it is still being made: `for 4 min; such reports took 3 to 9 min`. */
export function progressWords({ row, life, usual }: ListedReport, now: number): string {
  if (life.state !== 'in-progress') return ''
  const since = timeOf(row.requested)
  const usually = usual ? `such reports took ${between(usual.shortest, usual.longest)}` : ''
  return [since === null ? '' : `for ${duration(now - since)}`, usually].filter(Boolean).join('; ')
}

const saved: Readonly<Record<SavedState, string>> = {
  none: 'Not saved',
  waiting: 'Waits to be saved',
  running: 'Being saved',
  paused: 'Saving is paused',
  failed: 'Saving failed',
  saved: 'Saved',
  missing: 'Moved or deleted',
}

/** Where its file is; nothing for a report that has none to save. */
export function savedWords({ life, saved: state }: ListedReport): string {
  return life.state === 'ready' || state !== 'none' ? saved[state] : ''
}

/** What a report is called where it is spoken of. */
export const nameOfReport = (name: string): string => (name === '' ? 'The report' : `“${name}”`)
