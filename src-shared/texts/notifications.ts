import type { Announcement, AnnouncementKind } from '../raw/settings.ts'
import type { StuckRequest } from '../raw/requests.ts'

/** What a person can do from a notification; where it has no buttons, a click opens. */
export type NotificationAction = 'open' | 'save' | 'show-in-folder'

export const actionWords: Readonly<Record<NotificationAction, string>> = {
  open: 'Open',
  save: 'Save',
  'show-in-folder': 'Show in folder',
}

/** Something to tell while no window may be open. Its texts are plain; what the service wrote stays text. */
export type DeskNotification = {
  readonly title: string
  readonly body: string
  /** Beside opening, which a click does. */
  readonly actions: readonly Exclude<NotificationAction, 'open'>[]
  /** Stays until it is dismissed, where the desktop has such. */
  readonly urgent: boolean
}

type AnnouncementFacts = Pick<Announcement, 'kind' | 'name' | 'rows' | 'size'>

/** A name may have any length; a notification has two lines. */
const LONGEST_NAME = 80

/** What happened, in words that follow a report's name. */
export const endings: Readonly<Record<AnnouncementKind, string>> = {
  ready: 'is ready',
  failed: 'failed',
  'timed-out': 'timed out',
  cancelled: 'was cancelled elsewhere',
  disappeared: 'disappeared from the list',
  'expires-in-3-days': 'expires within three days',
  'expires-in-1-day-unsaved': 'expires within a day and is not saved',
}

/** What became of a request, in words that follow its name. */
export const stuckWords: Readonly<Record<StuckRequest['state']['kind'], string>> = {
  refused: 'was refused',
  unclear: 'may or may not have been asked for',
}

/** How many of a kind, in words that follow a number. */
const counted: Readonly<Record<AnnouncementKind, readonly [one: string, many: string]>> = {
  ready: ['is ready', 'are ready'],
  failed: ['failed', 'failed'],
  'timed-out': ['timed out', 'timed out'],
  cancelled: ['was cancelled', 'were cancelled'],
  disappeared: ['disappeared', 'disappeared'],
  'expires-in-3-days': ['expires within three days', 'expire within three days'],
  'expires-in-1-day-unsaved': ['expires within a day, unsaved', 'expire within a day, unsaved'],
}

/** Kinds of which a file can be had. */
const canBeSaved: readonly AnnouncementKind[] = ['ready', 'expires-in-3-days', 'expires-in-1-day-unsaved']
const urgent: readonly AnnouncementKind[] = ['expires-in-1-day-unsaved']

/**
 * One report's news.
 * @param account the account's name
 * @param saved whether its file lies on the disk, or is on its way there
 * @param locale for figures
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
      : 'No answer came, and the list is without it. Send it again?'
  return {
    title: `${shortened(name, 'A request')} ${stuckWords[state.kind]}`,
    body: `${account} · ${why}`,
    actions: [],
    urgent: false,
  }
}

/**
 * Many reports' news in one: counts by kind, then the first names, after those of their accounts.
 * @param all with the name of each one's account
 */
export function summaryOf(
  all: readonly (AnnouncementFacts & { readonly account: string })[],
): DeskNotification {
  const kinds = [...new Set(all.map(({ kind }) => kind))]
  const parts = kinds.map((kind) => {
    const count = all.filter((item) => item.kind === kind).length
    return `${count} ${counted[kind][count === 1 ? 0 : 1]}`
  })
  return {
    title: `Raw reports: ${parts.join(', ')}`,
    body: accountsOf(all),
    actions: [],
    urgent: all.some(({ kind }) => urgent.includes(kind)),
  }
}

/** A summary has room for so many accounts, and for so many names of each. */
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
  // Signs that turn the direction of text around, or break its line, would change the words beside them.
  const plain = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim() || nameless
  const letters = Array.from(plain)
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME - 1).join('')}…` : plain
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

function sizeWords(bytes: number, locale: string | undefined): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / 1000 ** step
  return `${value.toLocaleString(locale, { maximumFractionDigits: value < 10 && step > 0 ? 1 : 0 })} ${units[step]}`
}
