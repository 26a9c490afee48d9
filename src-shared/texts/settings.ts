import type { Formats } from './formats.ts'
import type { BackupMade, AccountDisk } from '../app/storage.ts'
import { maxLookRequests } from '../app/settings.ts'
import type { Density, FormatTag, Theme } from '../app/settings.ts'
import type { CsvForm } from '../values/delimited.ts'
import type { UpdateState } from '../app/state.ts'

export const themeWords: Readonly<Record<Theme, string>> = {
  system: 'Match system',
  light: 'Light',
  dark: 'Dark',
}

export const densityWords: Readonly<Record<Density, string>> = {
  comfortable: 'Comfortable',
  compact: 'Compact',
}

export const formatWords: Readonly<Record<FormatTag, string>> = {
  system: 'Match system',
  'en-GB': 'English (United Kingdom)',
  'en-US': 'English (United States)',
  'de-DE': 'German',
  'fr-FR': 'French',
  'es-ES': 'Spanish',
  'sv-SE': 'Swedish',
  'ja-JP': 'Japanese',
}

export const csvWords: Readonly<Record<CsvForm, string>> = {
  comma: 'Commas (international)',
  semicolon: 'Semicolons and decimal commas',
}

/** Texts of the setting that saves the days of viewed tables in the background. */
export const looksWords = {
  label: 'Save the days you look at',
  hint: `Up to 31 days per view, for reading offline. At most ${maxLookRequests} calls a day, in the background.`,
} as const

/** Returns the result of a backup. */
export function backUpWords({ file, leftOut }: BackupMade): string {
  const saved = `Saved as “${file}” in your Downloads folder.`
  if (leftOut === 0) return saved
  return `${saved} ${leftOut === 1 ? 'One file' : `${leftOut} files`} of saved figures could not be copied.`
}

/** Formats a number of stored days; days of each table count separately. */
export const daysWords = (days: number, { count }: Formats): string =>
  days === 1 ? '1 daily table' : `${count(days)} daily tables`

/** Returns size, number and first day of stored history. */
export function historyWords({ bytes, days, since }: AccountDisk['history'], formats: Formats): string {
  if (days === 0) return 'Nothing yet'
  const from = since === null ? '' : `, since ${formats.dayInFull(since)}`
  return `${formats.size(bytes)}: ${daysWords(days, formats)}${from}`
}

export function answersWords({ pages, lookups }: AccountDisk['answers'], { size }: Formats): string {
  if (pages + lookups === 0) return 'Nothing yet'
  return `${size(pages + lookups)}: ${size(pages)} of reports, ${size(lookups)} of filter lists`
}

export function downloadsWords({ files, bytes }: AccountDisk['downloads'], { count, size }: Formats): string {
  if (files === 0) return 'None saved'
  return `${size(bytes)} in ${files === 1 ? 'one file' : `${count(files)} files`}`
}

/** Size in bytes that "Delete saved figures" removes. */
export const figuresOf = ({ history, answers }: AccountDisk): number =>
  history.bytes + answers.pages + answers.lookups

export const totalOf = (disk: AccountDisk): number => figuresOf(disk) + disk.downloads.bytes

/** Returns the state of updates. @param now in milliseconds since 1970 */
export function updateWords(
  { checking, offer, checkedAt }: Extract<UpdateState, { kind: 'with-feed' }>,
  now: number,
  { moment }: Formats,
): string {
  if (checking) return 'Checking for updates…'
  if (offer !== null) return `Version ${offer.version} is available, from ${moment(offer.date, now)}.`
  return checkedAt === null
    ? 'Not checked for updates yet.'
    : `Up to date, checked ${moment(checkedAt, now)}.`
}
