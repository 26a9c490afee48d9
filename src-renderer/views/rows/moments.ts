import { CalendarDateTime, parseDate, toZoned } from '@internationalized/date'
import type { Instant } from '#shared/values/ids.ts'
import { formatTag } from '#renderer/stores/format-tag.svelte.ts'

/** Made once for each zone and way of writing: the locale's data is slow to load. */
const made = new Map<string, Intl.DateTimeFormat>()

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const tag = formatTag()
  const key = `${tag ?? ''} ${zone} ${JSON.stringify(options)}`
  const known = made.get(key) ?? new Intl.DateTimeFormat(tag, { ...options, timeZone: zone })
  made.set(key, known)
  return known
}

const minutes = { dateStyle: 'medium', timeStyle: 'short' } as const

/** A moment in a zone, to the minute. */
export const momentIn = (at: number, zone: string): string => format(zone, minutes).format(at)

/** A bar over time, as its axis has it: `13 Nov`, or with the hour. */
export const barBriefly = (at: number, by: 'day' | 'hour', zone: string): string =>
  format(zone, {
    day: 'numeric',
    month: 'short',
    ...(by === 'hour' && { hour: 'numeric', minute: '2-digit' }),
  }).format(at)

/** A bar over time in full: its day, or from when to when. */
export function barInFull(from: number, to: number, by: 'day' | 'hour', zone: string): string {
  if (by === 'hour') return format(zone, minutes).formatRange(from, to)
  return format(zone, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }).format(from)
}

/** A span of time: `from … to …`, an open end left out. */
export function momentsBetween(from: number | null, to: number | null, zone: string): string {
  if (from !== null && to !== null) return format(zone, minutes).formatRange(from, to)
  if (from !== null) return `from ${momentIn(from, zone)}`
  return to === null ? 'any time' : `before ${momentIn(to, zone)}`
}

/** The days of rows: the first and the last. */
export const daysIn = (first: number, last: number, zone: string): string =>
  format(zone, { dateStyle: 'medium' }).formatRange(first, last)

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
