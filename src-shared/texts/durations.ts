import type { Formats } from './formats.ts'

type Counts = Pick<Formats, 'count'>

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const counted = (value: number, one: string, many: string, { count }: Counts) =>
  `${count(value)} ${value === 1 ? one : many}`

/** How long something takes, as a person says it: `less than a minute`, `4 min`, `2 h 5 min`, `3 days`. In milliseconds. */
export function duration(milliseconds: number, formats: Counts): string {
  const { count } = formats
  const time = Math.max(0, milliseconds)
  if (time < MINUTE) return 'less than a minute'
  if (time < HOUR) return `${count(Math.floor(time / MINUTE))} min`
  if (time < 2 * DAY) {
    const rest = Math.floor((time % HOUR) / MINUTE)
    const hours = `${count(Math.floor(time / HOUR))} h`
    return rest === 0 || time >= DAY ? hours : `${hours} ${count(rest)} min`
  }
  return counted(Math.floor(time / DAY), 'day', 'days', formats)
}

/** Two lengths of time: `3 to 9 min`, `40 min to 2 h`, and one alone where they are said alike. */
export function between(shortest: number, longest: number, formats: Counts): string {
  const [from, to] = [duration(shortest, formats), duration(longest, formats)]
  if (from === to) return from
  if (shortest < MINUTE) return `up to ${to}`
  return shortest < HOUR && longest < HOUR ? `${from.replace(/ min$/, '')} to ${to}` : `${from} to ${to}`
}

/** How long ago something was. */
export const ago = (milliseconds: number, formats: Counts): string =>
  milliseconds < MINUTE ? 'just now' : `${duration(milliseconds, formats)} ago`

/** Seconds that are left, for what goes on before one's eyes: `25 s`, `4 min`. */
export const secondsLeft = (seconds: number, formats: Counts): string =>
  seconds < 60 ? `${formats.count(Math.max(1, Math.round(seconds)))} s` : duration(seconds * 1000, formats)
