import type { DayEvent } from '../watch/day-events.ts'
import type { DayNote, MarkedNote, NoteSubject } from '../watch/notes.ts'
import { longestNote } from '../watch/notes.ts'
import { findingWords, stateWords, subjectWords as findingSubjectWords } from './alerts.ts'
import type { Formats } from './formats.ts'

/** Label of every button and menu item that opens the form. */
export const addNoteWords = 'Add note'

/** Kinds of subject in the form. */
export const subjectKinds: Readonly<Record<NoteSubject['kind'], string>> = {
  account: 'The whole account',
  instance: 'One instance',
  source: 'One source',
  view: 'Only this view',
}

/** Returns what a note is for: `Source: news`. */
export function subjectWords(subject: NoteSubject): string {
  switch (subject.kind) {
    case 'account':
      return 'The whole account'
    case 'instance':
      return `Instance: ${subject.name}`
    case 'source':
      return `Source: ${subject.source}`
    case 'view':
      return 'Only this view'
  }
}

/** Choice in the form, and what it does. */
export const leaveOutWords = 'Leave these days out of what is usual'
export const leaveOutHint = 'Alerts and Today then compare other days without them.'

/** Returns what a note is for, and whether its days are left out of what is usual. */
export const aboutNoteWords = ({ subject, leavesOut }: DayNote): string =>
  leavesOut ? `${subjectWords(subject)}, left out of what is usual` : subjectWords(subject)

/** Returns a note as one line: `Note 2, Nov 12, 2026: Partner paused`. */
export const noteLine = ({ number, note: { range, text } }: MarkedNote, { days }: Formats): string =>
  `Note ${number}, ${days(range)}: ${text}`

/** Returns the room that a text still has: `188 of 200 characters left`. */
export function roomWords(left: number): string {
  const count = Math.abs(left)
  if (left >= 0) return `${count} of ${longestNote} characters left`
  return `${count} ${count === 1 ? 'character' : 'characters'} too many`
}

/** Returns the message after a note was saved. @param isShown whether the open view shows the note */
export function savedNoteWords(done: 'added' | 'changed', { kind }: NoteSubject, isShown: boolean): string {
  const filter = kind === 'instance' || kind === 'source' ? ` Filter by this ${kind} to see it here.` : ''
  return `Note ${done}.${isShown ? '' : filter}`
}

/** What marks of the app are, for the table and the tip of a chart. */
export const eventKindWords: Readonly<Record<DayEvent['kind'], string>> = {
  finding: 'Finding',
  restated: 'Restated',
}

/** Returns what happened on marked days, and how the app knows. @param now milliseconds since 1970; 0 writes whole dates */
export function eventWords(
  event: DayEvent,
  formats: Formats,
  now: number,
): { readonly text: string; readonly about: string } {
  if (event.kind === 'restated') {
    const about = `Restated, last on ${formats.momentBriefly(event.latest, now)}`
    return { text: 'Figures changed after they were saved', about }
  }
  const { finding } = event
  return {
    text: `${findingSubjectWords(finding)}: ${findingWords(finding, formats)}`,
    about: `Found by alert, ${stateWords[finding.state].toLowerCase()}`,
  }
}

/** Returns a mark of the app as one line, for a tip: `Finding: news: Bad rate 12.4%, usually 5.1%`. */
export const eventLine = (event: DayEvent, formats: Formats): string =>
  event.kind === 'restated'
    ? eventKindWords.restated
    : `${eventKindWords.finding}: ${eventWords(event, formats, 0).text}`

/** Returns what a chart lists below it: `2 notes and one finding are listed below.` Empty if nothing. */
export function listedWords(notes: readonly MarkedNote[], events: readonly DayEvent[]): string {
  const findings = events.filter(({ kind }) => kind === 'finding').length
  const restated = events.length - findings
  const count = (number: number, one: string) =>
    number === 0 ? [] : [number === 1 ? `one ${one}` : `${number} ${one}s`]
  const parts = [
    ...count(notes.length, 'note'),
    ...count(findings, 'finding'),
    ...(restated === 0 ? [] : ['restated days']),
  ]
  const words = parts.join(', ').replace(/, (?=[^,]*$)/, ' and ')
  const isOne = notes.length + findings === 1 && restated === 0
  return words === ''
    ? ''
    : `${words.charAt(0).toUpperCase()}${words.slice(1)} ${isOne ? 'is' : 'are'} listed below.`
}
