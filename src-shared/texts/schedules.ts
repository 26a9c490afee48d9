import type {
  ScheduleEntry,
  ScheduleFormat,
  ScheduleRun,
  ScheduleSubject,
  ScheduleWait,
} from '../watch/schedules.ts'
import { accountDayOf } from '../reports/answer.ts'
import type { DaysOfAccount } from '../reports/answer.ts'
import { scheduledStem } from '../watch/schedules.ts'
import type { Formats } from './formats.ts'

/** Label of every button and entry that opens an empty form. */
export const newScheduleWords = 'New schedule'

/** Label of menu items that open the form for a saved view. */
export const scheduleViewWords = 'Schedule…'

export const scheduleFormatWords: Readonly<Record<ScheduleFormat, string>> = {
  pdf: 'PDF',
  xlsx: 'Excel (XLSX)',
  csv: 'CSV',
  parquet: 'Parquet',
  zip: 'Evidence pack (ZIP)',
}

export const subjectKindWords: Readonly<Record<ScheduleSubject['kind'], string>> = {
  views: 'Saved views',
  today: 'Today',
  case: 'A case',
}

/**
 * Returns what a schedule saves: names of views, `Today`, or the name of a case.
 * @param nameOf returns the name of a view or case; null if it was deleted
 */
export function scheduledWords(subject: ScheduleSubject, nameOf: (id: string) => string | null): string {
  switch (subject.kind) {
    case 'views':
      return subject.views.map((id) => nameOf(id) ?? 'A deleted view').join(', ')
    case 'today':
      return subjectKindWords.today
    case 'case':
      return nameOf(subject.id) ?? 'A deleted case'
  }
}

/** Returns a name for a schedule. @param nameOf as for `scheduledWords` */
export const suggestedName = (subject: ScheduleSubject, nameOf: (id: string) => string | null): string =>
  subject.kind === 'views' && subject.views.length > 2
    ? `${subject.views.length} views`
    : scheduledWords(subject, nameOf)

/** Returns an example of a file name. */
export const exampleFile = (
  { fileNames, format }: Pick<ScheduleEntry, 'fileNames' | 'format'>,
  parts: Parameters<typeof scheduledStem>[1],
): string => `${scheduledStem(fileNames, parts)}.${format}`

/** Why a schedule rests until it is edited. */
export const unknownZoneWords = "This computer doesn't know this time zone. Choose another."

/** Why Today of an earlier day is not made. */
export const todayIsOver = 'Today is only created on its own day, which is over.'

const waitsFor: Readonly<Record<ScheduleWait, string>> = {
  figures: 'Waiting for figures',
  settled: 'Waiting for final figures',
  folder: "Waiting: can't write to the folder",
  lock: 'Waiting until the app is unlocked',
}

/** Returns the state of a run in a few words. */
export function runWords({ state }: Pick<ScheduleRun, 'state'>): string {
  switch (state.kind) {
    case 'waiting':
      return waitsFor[state.for]
    case 'making':
      return 'Creating…'
    case 'made':
      return state.late ? 'Created late' : 'Created'
    case 'missed':
      return 'Missed'
    case 'skipped':
      return 'Skipped'
  }
}

/** Returns what belongs to the state of a run: its files and the age of its figures, or a reason. Empty if nothing. */
export function runDetails({ state }: Pick<ScheduleRun, 'state'>, now: number, { moment }: Formats): string {
  switch (state.kind) {
    case 'waiting':
    case 'making':
      return ''
    case 'made':
      return [
        ...state.files,
        ...(state.oldest === null ? [] : [`figures from ${moment(state.oldest, now)}`]),
      ].join(' · ')
    case 'missed':
      return 'The app was closed, asleep or paused.'
    case 'skipped':
      return state.reason.message
  }
}

/** Whether a run left no file and can be made now. Today can only be made on its own day. */
export const isMakeable = (
  { state, dueAt }: Pick<ScheduleRun, 'state' | 'dueAt'>,
  { kind }: ScheduleSubject,
  account: DaysOfAccount,
  now: number,
): boolean =>
  (state.kind === 'missed' || state.kind === 'skipped') &&
  (kind !== 'today' || accountDayOf(dueAt, account) === accountDayOf(now, account))
