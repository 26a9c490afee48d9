import type { ProcessingLimits, Timestamp } from '../api/answers.ts'
import { endpoints } from '../api/endpoints.ts'
import { operatorNames } from '../api/raw-columns.ts'
import type { RawOperator, RawType } from '../api/raw-columns.ts'
import { columnWords } from '../raw/draft.ts'
import type { ListedReport, RawListLack, SavedState } from '../raw/list.ts'
import type { RawEvery, RawRequest, RawSchedule, ShownRequestState, StuckRequest } from '../raw/requests.ts'
import type { Announcement, AnnouncementKind } from '../raw/settings.ts'
import { timeOf } from '../values/timestamp.ts'
import { weekdays } from '../watch/alerts.ts'
import type { ScheduleDays } from '../watch/schedules.ts'
import { NOTHING, ago, between, duration, oneLine } from './formats.ts'
import type { Formats } from './formats.ts'
import { recurrenceWords } from './recurrence.ts'
import { readTyped } from '#shared/values/typed-text.ts'

export const operatorWords: Readonly<Record<RawOperator, string>> = {
  equals: 'is',
  not_equals: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  empty: 'is empty',
  not_empty: 'is not empty',
}

type Filter = { readonly column: string; readonly operator?: string | null; readonly value?: string }

/** Returns a filter as text: `Country is DE`, `External ID is empty`, `Result: drops`. */
export function filterWords({ column, operator = null, value = '' }: Filter): string {
  const name = columnWords(column)
  if (operator === null) return `${name}: ${value}`
  const known = operatorNames.find((operatorName) => operatorName === operator)
  const words = known ? operatorWords[known] : operator
  return value === '' ? `${name} ${words}` : `${name} ${words} ${value}`
}

/** Message above the list if the service sent unreadable reports. */
export const unreadableWords = (reports: number): string =>
  reports === 1
    ? "The service's list has a report that can't be read. It is not shown."
    : `The service's list has ${reports} reports that can't be read. They are not shown.`

export const typeWords: Readonly<Record<RawType, string>> = {
  request: 'Request',
  response: 'Response',
  direct: 'Direct',
}

/** Descriptions of the types. */
export const typeHints: Readonly<Record<RawType, string>> = {
  request: 'Script: all requests, drops too, without results.',
  response: 'Script: requests with a response, with results and rule sets.',
  direct: 'Direct: all requests, with results and rule sets.',
}

const waiting: Readonly<Record<Extract<ShownRequestState, { kind: 'waiting' }>['for'], string>> = {
  turn: 'Waiting for its turn.',
  concurrent: 'Waiting for a report in progress to finish.',
  minutes: 'Waiting for more processing minutes.',
  connection: 'Waiting for the service to be online.',
  token: 'Waiting for a valid access token.',
  pause: 'Waiting: everything is paused.',
}

/** Reasons that remain when the service is back online. */
const lasting: ReadonlySet<string> = new Set(['token', 'pause'])

const { parameters } = endpoints['raw/request']

/** Returns all reasons of a refusal, those for a field with its label. */
function refusedWords({ failure, fields }: Extract<ShownRequestState, { kind: 'refused' }>): string {
  const about = Object.entries(fields).flatMap(([name, words]) => {
    if (words === failure.message) return []
    const field = Object.entries(parameters).find(([each]) => each === name)?.[1].words
    return [field === undefined || failure.kind === 'invalid' ? words : `${field}: ${words}`]
  })
  return [failure.message, ...about].join(' ')
}

/**
 * Returns the state of a request; for an unclear one, also the decision to make.
 * @param offline whether the service is known to be offline, which takes precedence over other reasons
 */
export function requestWords(
  state: ShownRequestState,
  now: number,
  offline: boolean,
  formats: Formats,
): string {
  switch (state.kind) {
    case 'waiting':
      return waiting[offline && !lasting.has(state.for) ? 'connection' : state.for]
    case 'sending':
      return 'Sending…'
    case 'looking':
      return offline
        ? 'The reply was lost. Traffic Desk checks for the report once the service is online.'
        : 'The reply was lost. Checking whether the service made the report…'
    case 'unclear':
      return (
        `Sent ${ago(now - state.since, formats)}; the reply was lost, and the report is not in the list. ` +
        'The service may still make it. Sending again may create it twice.'
      )
    case 'refused':
      return refusedWords(state)
  }
}

/** Returns a request's name, or its type and days. */
export function requestName({ draft }: Pick<RawRequest, 'draft'>, { days }: Formats): string {
  return readTyped(draft.name, 'name') || `${typeWords[draft.type]}, ${days(draft)}`
}

function daysOf(when: RawEvery): ScheduleDays {
  if (when.kind === 'month') return { kind: when.kind, day: when.day }
  return { kind: 'week', weekdays: when.kind === 'day' ? weekdays : [when.weekday] }
}

/** Returns a raw schedule as text: `Every Monday at 06:00`. @param zone named with the time, if given */
export const everyWords = (when: RawEvery, zone: string | null = null): string =>
  recurrenceWords({ days: daysOf(when), hour: when.hour, minute: 0, zone })

/** Returns the next time of a schedule, or that it is paused. */
export function scheduleWords(
  { paused, nextOccurrence }: RawSchedule,
  now: number,
  { moment }: Formats,
): string {
  if (paused) return 'Paused'
  return nextOccurrence === null ? '' : `Next: ${moment(nextOccurrence, now)}`
}

/** Formats a report's timestamp in the local zone; unchanged if it cannot be parsed. */
export function momentOf(timestamp: Timestamp, now: number, { moment }: Formats): string {
  const time = timeOf(timestamp)
  return time === null ? (timestamp ?? NOTHING) : moment(time, now)
}

/** Formats a timestamp briefly, for a cell of the list. */
export function cellOf(timestamp: Timestamp, now: number, { momentBriefly }: Formats): string {
  const time = timeOf(timestamp)
  return time === null ? (timestamp ?? NOTHING) : momentBriefly(time, now)
}

/** Formats the time since a timestamp; empty if unknown. */
export function agoWords(timestamp: Timestamp, now: number, formats: Formats): string {
  const time = timeOf(timestamp)
  return time === null ? '' : ago(now - time, formats)
}

/** Formats the time until a report expires: `in 30 days`. */
export function expiryWords(expires: Timestamp, now: number, formats: Formats): string {
  const time = timeOf(expires)
  if (time === null) return ''
  return time <= now ? 'expired' : `in ${duration(time - now, formats)}`
}

/** Whether a report expires within three days, to highlight it. */
export function isNearExpiry(expires: Timestamp, now: number): boolean {
  const time = timeOf(expires)
  return time !== null && time > now && time - now < 3 * 86_400_000
}

/** Returns the progress of a running report: `for 4 min; usually takes 3 to 9 min`. */
export function progressWords({ row, life, usual }: ListedReport, now: number, formats: Formats): string {
  if (life.state !== 'in-progress') return ''
  const since = timeOf(row.requested)
  const usually = usual ? `usually takes ${between(usual.shortest, usual.longest, formats)}` : ''
  return [since === null ? '' : `for ${duration(now - since, formats)}`, usually].filter(Boolean).join('; ')
}

const savedTexts: Readonly<Record<SavedState, string>> = {
  none: 'Not saved',
  waiting: 'Waiting to download',
  running: 'Downloading',
  paused: 'Download paused',
  failed: 'Download failed',
  saved: 'Saved',
  missing: 'Moved or deleted',
}

/** Returns the state of a report's file; empty if there is none to save. */
export function savedWords({ life, saved: state }: ListedReport): string {
  return life.state === 'ready' || state !== 'none' ? savedTexts[state] : ''
}

/** Returns a report's name for a sentence. */
export const nameOfReport = (name: string): string => (name === '' ? 'The report' : `“${name}”`)

const reports = (number: number, { count }: Formats) =>
  `${count(number)} ${number === 1 ? 'report' : 'reports'}`

/** Returns the message for reports that are missing from the service's list. */
export const lackWords = ({ reports: lacking, isEmpty }: RawListLack, formats: Formats): string =>
  isEmpty
    ? "The service's list was empty. Traffic Desk keeps the last one and checks again."
    : `The service's list is missing ${reports(lacking, formats)}. Traffic Desk keeps ${lacking === 1 ? 'it' : 'them'} and checks again.`

/**
 * Returns the service's limits and what remains, as sentences; empty if unknown.
 * @param running number of reports in progress; null if not all are known
 */
export function limitWords(limits: ProcessingLimits, running: number | null, formats: Formats): string[] {
  const {
    minutes_total: total,
    minutes_available: left,
    api_concurrent: here,
    dashboard_concurrent: there,
  } = limits
  const { count } = formats
  const words: string[] = []
  if (left !== null) {
    const ofTotal = total === null ? '' : ` of ${count(total)}`
    words.push(`${count(left)}${ofTotal} processing minutes left today`)
  } else if (total !== null) words.push(`${count(total)} processing minutes per day`)
  if (here !== null) {
    words.push(
      running === null
        ? `Limit: ${count(here)} at a time from this app`
        : `${count(running)} of ${reports(here, formats)} running from this app`,
    )
  }
  if (there !== null) words.push(`Limit: ${count(there)} at a time from the dashboard`)
  return words
}

/** Actions of a notification. Clicking a notification opens the report. */
export type NotificationAction = 'open' | 'save' | 'show-in-folder'

export const actionWords: Readonly<Record<NotificationAction, string>> = {
  open: 'Open',
  save: 'Save',
  'show-in-folder': 'Show in folder',
}

/** A desktop notification as plain text; texts of the service are never markup. */
export type DeskNotification = {
  readonly title: string
  readonly body: string
  /** Buttons; a click opens anyway. */
  readonly actions: readonly Exclude<NotificationAction, 'open'>[]
  /** Whether the notification stays until dismissed, if the desktop supports that. */
  readonly urgent: boolean
}

type AnnouncementFacts = Pick<Announcement, 'kind' | 'name' | 'rows' | 'size'>

/** Maximum length of a name, because a notification has two lines. */
const LONGEST_NAME = 80

/** Event texts, to follow a report's name. */
export const endings: Readonly<Record<AnnouncementKind, string>> = {
  ready: 'is ready',
  failed: 'failed',
  'timed-out': 'timed out',
  cancelled: 'was cancelled elsewhere',
  disappeared: 'disappeared from the list',
  'expires-in-3-days': 'expires in less than three days',
  'expires-in-1-day-unsaved': 'expires in less than a day and is not saved',
}

/** Results of a request, to follow its name. */
export const stuckWords: Readonly<Record<StuckRequest['state']['kind'], string>> = {
  refused: 'was refused',
  unclear: 'may not have been requested',
}

/** Event texts, to follow a number. */
const eventWords: Readonly<Record<AnnouncementKind, readonly [one: string, many: string]>> = {
  ready: ['is ready', 'are ready'],
  failed: ['failed', 'failed'],
  'timed-out': ['timed out', 'timed out'],
  cancelled: ['was cancelled', 'were cancelled'],
  disappeared: ['disappeared', 'disappeared'],
  'expires-in-3-days': ['expires in less than three days', 'expire in less than three days'],
  'expires-in-1-day-unsaved': ['expires in less than a day, unsaved', 'expire in less than a day, unsaved'],
}

/** Kinds with a file to save. */
const canBeSaved: readonly AnnouncementKind[] = ['ready', 'expires-in-3-days', 'expires-in-1-day-unsaved']
const urgent: readonly AnnouncementKind[] = ['expires-in-1-day-unsaved']

/**
 * Returns the notification of one report.
 * @param account the account's name
 * @param saved whether the file is saved or downloading
 * @param locale of the numbers
 */
export function notificationOf(
  { kind, name, rows, size }: AnnouncementFacts,
  { account, saved, locale }: { account: string; saved: boolean; locale: string | undefined },
): DeskNotification {
  const figures = [
    account,
    ...(rows === null ? [] : [`${rows.toLocaleString(locale)} ${rows === 1 ? 'row' : 'rows'}`]),
    ...(size === null ? [] : [sizeWords(size, locale)]),
  ]
  return {
    title: `${shortened(name)} ${endings[kind]}`,
    body: figures.join(' · '),
    actions: saved ? ['show-in-folder'] : canBeSaved.includes(kind) ? ['save'] : [],
    urgent: urgent.includes(kind),
  }
}

/** @param account the account's name */
export function notificationOfRequest({ name, state }: StuckRequest, account: string): DeskNotification {
  const why =
    state.kind === 'refused'
      ? state.failure.message
      : 'The reply was lost, and it is not in the list. Send it again?'
  return {
    title: `${shortened(name, 'A request')} ${stuckWords[state.kind]}`,
    body: `${account} · ${why}`,
    actions: [],
    urgent: false,
  }
}

/**
 * Returns one notification for many reports: numbers by kind, then the first names by account.
 * @param all with each account's name
 */
export function summaryOf(
  all: readonly (AnnouncementFacts & { readonly account: string })[],
): DeskNotification {
  const kinds = [...new Set(all.map(({ kind }) => kind))]
  const parts = kinds.map((kind) => {
    const count = all.filter((item) => item.kind === kind).length
    return `${count} ${eventWords[kind][count === 1 ? 0 : 1]}`
  })
  return {
    title: `Raw reports: ${parts.join(', ')}`,
    body: accountsOf(all),
    actions: [],
    urgent: all.some(({ kind }) => urgent.includes(kind)),
  }
}

/** Maximum number of accounts in a summary, and of names per account. */
const MAX = 3

function accountsOf(all: readonly (AnnouncementFacts & { readonly account: string })[]): string {
  const accounts = [...new Set(all.map(({ account }) => account))]
  const others = all.filter(({ account }) => accounts.indexOf(account) >= MAX).length
  const sentences = accounts
    .slice(0, MAX)
    .map((account) => `${account}: ${namesOf(all.filter((item) => item.account === account))}`)
  return [...sentences, ...(others > 0 ? [`${others} more in other accounts`] : [])].join(' · ')
}

function namesOf(all: readonly AnnouncementFacts[]): string {
  const names = all.slice(0, MAX).map(({ name }) => shortened(name))
  const more = all.length - names.length
  return [...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

function shortened(name: string, nameless = 'A raw report'): string {
  return oneLine(name, LONGEST_NAME) || nameless
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

function sizeWords(bytes: number, locale: string | undefined): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / 1000 ** step
  return `${value.toLocaleString(locale, { maximumFractionDigits: value < 10 && step > 0 ? 1 : 0 })} ${units[step]}`
}
