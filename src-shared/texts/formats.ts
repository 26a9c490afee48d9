import type { Count } from '../api/answers.ts'
import type { Failure, FailureKind, LookCost } from '../api/failure.ts'
import type { Day, DayRange } from '../values/day.ts'

/** Text for an unknown figure. Null is not zero. */
export const NOTHING = '–'

/** Formatters of values. The window uses the user's format settings. */
export type Formats = {
  /** Formats a count; a dash for null and for values that are no number. */
  readonly count: (value: Count | undefined) => string
  /** Formats a share between 0 and 1 as a percentage; a dash if unknown. */
  readonly share: (value: number | null) => string
  /** Formats a size in bytes: `1.2 MB`. */
  readonly size: (bytes: number) => string
  /** Formats a time, with the date unless it is today. Both parameters are milliseconds since 1970. */
  readonly moment: (time: number, now: number) => string
  /** Formats a time briefly, for narrow places. */
  readonly momentBriefly: (time: number, now: number) => string
  /** Formats a range of days: `Nov 13 – 19, 2026`. */
  readonly days: (range: DayRange) => string
  /** Formats a day with its weekday. */
  readonly dayInFull: (day: Day) => string
  /** Formats the days between two times in a zone. Times are milliseconds since 1970. */
  readonly daysIn: (first: number, last: number, zone: string) => string
}

/**
 * Makes untrusted text safe to show among the app's: one line, at most `max` characters, without direction marks, which
 * could reorder the text beside it.
 */
export function oneLine(text: string, max: number): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  const letters = Array.from(plain)
  return letters.length > max ? `${letters.slice(0, max - 1).join('')}…` : plain
}

/**
 * Creates the formatter for rounded numbers. A value that only rounds to zero or to the whole is marked: `<0.1%`,
 * `−<0.1`, `>99.9%`. Zero never has a sign.
 * @param whole the value shown as 100 %: 1 for percentages, otherwise none by default
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

/** Inserts a mark before the number, after its sign. */
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

const countWords = (value: number, one: string, many: string, { count }: Counts) =>
  `${count(value)} ${value === 1 ? one : many}`

/** Formats a duration in milliseconds: `less than a minute`, `4 min`, `2 h 5 min`, `3 days`. */
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
  return countWords(Math.floor(time / DAY), 'day', 'days', formats)
}

/** Formats a range of durations: `3 to 9 min`, `40 min to 2 h`, or one duration if both look alike. */
export function between(shortest: number, longest: number, formats: Counts): string {
  const [from, to] = [duration(shortest, formats), duration(longest, formats)]
  if (from === to) return from
  if (shortest < MINUTE) return `up to ${to}`
  return shortest < HOUR && longest < HOUR ? `${from.replace(/ min$/, '')} to ${to}` : `${from} to ${to}`
}

/** Formats the time since an event. */
export const ago = (milliseconds: number, formats: Counts): string =>
  milliseconds < MINUTE ? 'just now' : `${duration(milliseconds, formats)} ago`

/** Formats the remaining seconds of visible progress: `25 s`, `4 min`. */
export const secondsLeft = (seconds: number, formats: Counts): string =>
  seconds < 60 ? `${formats.count(Math.max(1, Math.round(seconds)))} s` : duration(seconds * 1000, formats)

/** Titles of failures, and the action to offer: retry, fewer days, or none. */
export const failureWords: Readonly<
  Record<FailureKind, { title: string; helps: 'again' | 'fewer-days' | null }>
> = {
  offline: { title: "Can't reach the service", helps: 'again' },
  'timed-out': { title: 'The service took too long', helps: 'again' },
  'refused-token': { title: 'The service rejected the access token', helps: 'again' },
  'no-right': { title: "This token can't see these figures", helps: 'again' },
  'bad-request': { title: 'The service rejected the request', helps: 'again' },
  'out-of-window': { title: 'Too many days for one call', helps: 'fewer-days' },
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

/** Returns words as a list in a sentence: `a, b and c`. */
export const listWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`

/** Returns a failure's message without its title. */
export const beyondTitle = ({ kind, message }: Failure): string =>
  message.replace(`${failureWords[kind].title}. `, '')

/** Returns the cost of loading a composed table. */
export function costWords({ calls, milliseconds, more }: LookCost, formats: Formats): string {
  const asks = `${formats.count(calls)} ${calls === 1 ? 'call' : 'calls'}, about ${secondsLeft(milliseconds / 1000, formats)}.`
  return more === 0 ? asks : `${asks} ${formats.count(more)} more can be loaded afterwards.`
}
