import { parseDay } from './day.ts'

/** ISO 8601, and the forms of databases: a space for `T`, a comma for the point, an offset in hours or none. */
const form =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(?:Z|UTC|GMT|([+-])(\d{2})(?::?(\d{2}))?)?$/i

const inMinutes = (hours: string, minutes: string) => Number(hours) * 60 + Number(minutes)

/**
 * Parses a timestamp of the service (specification: conventions for values). A timestamp without an offset is UTC, but
 * `Date.parse` would read it as local time.
 * @returns milliseconds since 1970; null for null and for an invalid timestamp
 */
export function timeOf(timestamp: string | null): number | null {
  const parts = form.exec(timestamp ?? '')
  const day = parseDay(parts?.[1] ?? '')
  if (!parts || day === undefined) return null
  const [, , hour = '', minute = '', second = '0', fraction = '', sign, hours = '0', minutes = '0'] = parts
  const clock = inMinutes(hour, minute)
  if (clock > 24 * 60 || Number(minute) > 59 || Number(second) > 59) return null
  const offset = inMinutes(hours, minutes) * (sign === '-' ? -1 : 1)
  const thousandths = Number(fraction.padEnd(3, '0').slice(0, 3))
  return Date.parse(day) + (clock - offset) * 60_000 + Number(second) * 1000 + thousandths
}
