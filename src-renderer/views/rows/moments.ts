import { CalendarDateTime, parseDate, toZoned } from '@internationalized/date'
import type { Instant } from '#shared/values/ids.ts'
import { inZone, minutes, momentIn } from '#renderer/components/formats.ts'

/** A bar over time, as its axis has it: `13 Nov`, or with the hour. */
export const barBriefly = (at: number, by: 'day' | 'hour', zone: string): string =>
  inZone(zone, {
    day: 'numeric',
    month: 'short',
    ...(by === 'hour' && { hour: 'numeric', minute: '2-digit' }),
  }).format(at)

/** A bar over time in full: its day, or from when to when. */
export function barInFull(from: number, to: number, by: 'day' | 'hour', zone: string): string {
  if (by === 'hour') return inZone(zone, minutes).formatRange(from, to)
  return inZone(zone, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }).format(from)
}

/** A span of time: `from … to …`, an open end left out. */
export function momentsBetween(from: number | null, to: number | null, zone: string): string {
  if (from !== null && to !== null) return inZone(zone, minutes).formatRange(from, to)
  if (from !== null) return `from ${momentIn(from, zone)}`
  return to === null ? 'any time' : `before ${momentIn(to, zone)}`
}

/** What a field for a moment holds, `2026-11-20T14:03`, in a zone; null for nothing that is a moment. */
export function readMoment(text: string, zone: string): Instant | null {
  const [, day = '', hour, minute] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d)(?::(\d\d))?)?/.exec(text) ?? []
  if (day === '') return null
  const { year, month, day: date } = parseDate(day)
  const local = new CalendarDateTime(year, month, date, Number(hour ?? 0), Number(minute ?? 0))
  return toZoned(local, zone).toDate().getTime() as Instant
}

/** From when to when a group is that is called `2026-11-20` or `2026-11-20 14`. */
export function spanOfGroup(key: string, zone: string): { from: Instant; to: Instant } | null {
  const from = readMoment(key, zone)
  if (from === null) return null
  if (key.length > 10) return { from, to: (from + 3_600_000) as Instant }
  const { year, month, day } = parseDate(key).add({ days: 1 })
  const next = toZoned(new CalendarDateTime(year, month, day), zone)
    .toDate()
    .getTime()
  return { from, to: next as Instant }
}
