import type { DayNote, MarkedNote, NoteSubject } from '../watch/notes.ts'
import { longestNote } from '../watch/notes.ts'
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
