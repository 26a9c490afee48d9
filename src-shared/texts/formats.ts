import type { Count } from '../api/answers.ts'
import type { Failure, FailureKind, LookCost } from '../api/failure.ts'
import type { Day, DayRange } from '../values/day.ts'

/** What stands where the service knows no figure. Null is not zero. */
export const NOTHING = '–'

/** How values are written where a text stands: the window follows the way of writing that a person chose. */
export type Formats = {
  /** A count; a dash for null and for what is no number. */
  readonly count: (value: Count | undefined) => string
  /** A share between 0 and 1 as a percentage; a dash where it is unknown. */
  readonly share: (value: number | null) => string
  /** A size in bytes: `1.2 MB`. */
  readonly size: (bytes: number) => string
  /** A moment: the time, and the date too unless it is today's; both in milliseconds since 1970. */
  readonly moment: (time: number, now: number) => string
  /** The same where there is little room. */
  readonly momentBriefly: (time: number, now: number) => string
  /** A run of days: `Nov 13 – 19, 2026`. */
  readonly days: (range: DayRange) => string
  /** A day in full, with its weekday. */
  readonly dayInFull: (day: Day) => string
  /** The days of a zone from one moment to another, in milliseconds since 1970. */
  readonly daysIn: (first: number, last: number, zone: string) => string
}

/**
 * A text that anybody may have written, to stand among words of ours: on one line and at most `max` characters long. Without
 * characters that turn the direction of text around, which would change the words beside it.
 */
export function oneLine(text: string, max: number): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  const letters = Array.from(plain)
  return letters.length > max ? `${letters.slice(0, max - 1).join('')}…` : plain
}

/**
 * Makes the one function by which numbers are written that are rounded. Only zero is written as zero, and only the whole as the
 * whole: `<0.1%` and `>99.9%` stand for what would be rounded to them, `−<0.1` for a small loss. Nothing is never written with a sign.
 * @param whole what is written as 100 %: 1 where the style is percent, else none unless it is given
 */
export function numberWords(
  tag: string | undefined,
  options: Intl.NumberFormatOptions,
  whole: number | null = options.style === 'percent' ? 1 : null,
): (value: number) => string {
  const format = new Intl.NumberFormat(tag, options)
  const { maximumFractionDigits = 0, style } = format.resolvedOptions()
  const step = 10 ** -(maximumFractionDigits + (style === 'percent' ? 2 : 0))
  const isWrittenAs = (value: number, other: number) =>
    Math.abs(value - other) < step && format.format(value) === format.format(other)
  return (value) => {
    const size = Math.abs(value)
    const sign = Math.sign(value)
    if (size === 0) return format.format(0)
    if (isWrittenAs(size, 0)) return marked(format.formatToParts(sign * step), '<')
    if (whole === null || size === whole || !isWrittenAs(size, whole)) return format.format(value)
    return marked(format.formatToParts(sign * (size < whole ? whole - step : whole)), '>')
  }
}

/** A number behind its sign, if it has one, with a mark before it. */
function marked(parts: readonly Intl.NumberFormatPart[], mark: '<' | '>'): string {
  const sign = parts.findIndex(({ type }) => type === 'plusSign' || type === 'minusSign')
  const first = parts.findIndex(({ type }) => type === 'integer')
  const words = (some: readonly Intl.NumberFormatPart[]) => some.map(({ value }) => value).join('')
  const place = sign < first ? sign + 1 : 0
  return `${words(parts.slice(0, place))}${mark}${words(parts.slice(place))}`
}

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

/** What each kind of failure is called, and what helps: asking again, fewer days, or nothing from here. */
export const failureWords: Readonly<
  Record<FailureKind, { title: string; helps: 'again' | 'fewer-days' | null }>
> = {
  offline: { title: "Can't reach the service", helps: 'again' },
  'timed-out': { title: 'The service took too long', helps: 'again' },
  'refused-token': { title: 'The service rejected the access token', helps: 'again' },
  'no-right': { title: "This token can't see these figures", helps: 'again' },
  'bad-request': { title: 'The service rejected the request', helps: 'again' },
  'out-of-window': { title: 'Too many days for one request', helps: 'fewer-days' },
  'not-found': { title: 'The service has no such report', helps: 'again' },
  malformed: { title: "Can't read the reply", helps: 'again' },
  'server-trouble': { title: 'The service has a problem', helps: 'again' },
  resting: { title: 'The service asks for rest', helps: 'again' },
  'proxy-sign-in': { title: 'The proxy requires sign-in', helps: 'again' },
  cancelled: { title: 'Cancelled', helps: 'again' },
  costly: { title: 'Not loaded yet', helps: 'again' },
  invalid: { title: 'Check what you entered', helps: null },
  'no-token': { title: 'No access token', helps: 'again' },
  'no-keychain': { title: 'No keychain available', helps: 'again' },
  disk: { title: "Can't write to the disk", helps: 'again' },
  internal: { title: 'Something went wrong inside Traffic Desk', helps: 'again' },
}

/** What a failure says besides its title. */
export const beyondTitle = ({ kind, message }: Failure): string =>
  message.replace(`${failureWords[kind].title}. `, '')

/** What a look costs, before it is spent. */
export function costWords({ calls, milliseconds, more }: LookCost, formats: Formats): string {
  const asks = `${formats.count(calls)} ${calls === 1 ? 'request' : 'requests'}, about ${secondsLeft(milliseconds / 1000, formats)}.`
  return more === 0 ? asks : `${asks} ${formats.count(more)} more can be loaded afterwards.`
}
