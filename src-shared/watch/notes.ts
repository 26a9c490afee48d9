import type { Dimension } from '../api/dimensions.ts'
import { labelKey } from '../reports/rows.ts'
import { addDays, overlap } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import type { InstanceId } from '../values/ids.ts'
import { charactersOf } from '../values/text.ts'
import { readTyped } from '../values/typed-text.ts'
import { plainOverview, plainReport, readAddress, writeAddress } from '../views/address.ts'
import { usualChart } from '../views/view-address.ts'
import type { OverviewAddress, ReportAddress } from '../views/view-address.ts'

/** Id of a note, a random UUID. */
export type NoteId = string & { readonly __brand: 'NoteId' }

/**
 * Maximum length of a note in user-perceived characters, as the form counts them: an emoji or a letter with its accents
 * is one, however many code points it has.
 */
export const longestNote = 200

/** Maximum length of a note in UTF-16 units, because one character can have any number of accents. */
const longestStored = 20 * longestNote

/** First day that a note can have. */
const firstDay = '2000-01-01'
/** Number of days after today that a note can be planned for. */
const daysAhead = 366

/** Subject of a note within its account: everything, an instance, a source, or the figures of a view. */
export type NoteSubject =
  | { readonly kind: 'account' }
  | { readonly kind: 'instance'; readonly id: InstanceId; readonly name: string }
  | { readonly kind: 'source'; readonly source: string }
  /** `view` is the address that `noteView` returns. */
  | { readonly kind: 'view'; readonly view: string }

/** Input for a note. */
export type NoteEntry = {
  readonly range: DayRange
  readonly text: string
  readonly subject: NoteSubject
  /** Whether alerts leave these days of the subject out of what is usual. */
  readonly leavesOut: boolean
}

/** What happened on some days, in the user's words. */
export type DayNote = NoteEntry & { readonly id: NoteId }

/** Normalises typed text to one line without invisible characters at its ends. */
export const noteText = (typed: string): string =>
  readTyped(typed.replaceAll(/\p{Cs}/gu, '\u{fffd}').normalize('NFC'), 'name')

/** Number of characters that the text may still have; negative if it is too long. */
export function charactersLeft(typed: string): number {
  const text = noteText(typed)
  const left = longestNote - charactersOf(text.slice(0, longestStored)).length
  return text.length > longestStored ? Math.min(left, -1) : left
}

type FaultyField = 'text' | 'days' | 'view'

/**
 * Normalises a note.
 * @param today the current day in the account's zone
 * @returns the note, or the field that is invalid and why
 */
export function checkedNote(
  entry: NoteEntry,
  today: Day,
):
  | { readonly kind: 'note'; readonly entry: NoteEntry }
  | { readonly kind: 'fault'; readonly field: FaultyField; readonly message: string } {
  const fault = (field: FaultyField, message: string) => ({ kind: 'fault', field, message }) as const
  const written = noteText(entry.text)
  if (written === '') return fault('text', 'Write what happened.')
  if (charactersLeft(written) < 0) {
    return fault('text', `This note is too long. Use up to ${longestNote} characters.`)
  }
  const { start, end } = entry.range
  if (end < start) return fault('days', 'The first day is after the last.')
  if (start < firstDay)
    return fault('days', 'These days are too long ago. Choose days from the year 2000 on.')
  if (end > addDays(today, daysAhead)) {
    return fault('days', 'These days are too far ahead. Choose days within a year from now.')
  }
  const { subject } = entry
  if (subject.kind !== 'view') return { kind: 'note', entry: { ...entry, text: written } }
  const address = readAddress(subject.view)
  if (address.kind !== 'overview' && address.kind !== 'reports') {
    return fault('view', 'Only Overview and reports can have notes.')
  }
  return {
    kind: 'note',
    entry: { ...entry, text: written, subject: { kind: 'view', view: noteView(address) } },
  }
}

/** Address of a view's figures, without its days, sort, page and chart. Notes of a view are found by it. */
export function noteView(address: OverviewAddress | ReportAddress): string {
  const { instance, source, campaign } = address
  const scope = { instance, source, campaign }
  if (address.kind === 'overview') return writeAddress({ ...plainOverview, ...scope })
  const { family, dimension, filters } = address
  return writeAddress({ ...plainReport, family, dimension, filters, ...scope })
}

/** Whether a view shows a note on its figures: a note of the account, of the view, or of what the view is limited to. */
export function isShownIn(
  { subject }: Pick<DayNote, 'subject'>,
  address: OverviewAddress | ReportAddress,
): boolean {
  switch (subject.kind) {
    case 'account':
      return true
    case 'instance':
      return subject.id === address.instance
    case 'source':
      return subject.source === address.source
    case 'view':
      return subject.view === noteView(address)
  }
}

/** Key of the row that a note is on in a report by this dimension (reports/rows.ts: labelKey); null if there is none. */
export function rowOfNote({ subject }: Pick<DayNote, 'subject'>, dimension: Dimension): string | null {
  if (subject.kind === 'instance' && dimension === 'sessions')
    return labelKey({ kind: 'instance', id: subject.id, name: subject.name })
  return subject.kind === 'source' && dimension === 'sources'
    ? labelKey({ kind: 'text', text: subject.source })
    : null
}

/** A note on the days of a chart, and the number of its mark. Notes that begin on the same day share a mark. */
export type MarkedNote = { readonly number: number; readonly note: DayNote }

/** Numbers the notes on these days by their first shown day, from one. */
export function markedNotes(notes: readonly DayNote[], range: DayRange): readonly MarkedNote[] {
  const firstShown = ({ range: { start } }: DayNote) => (start < range.start ? range.start : start)
  const listed = notes
    .filter((note) => overlap(note.range, range))
    .toSorted((one, other) => byText(firstShown(one), firstShown(other)))
  const starts = [...new Set(listed.map(firstShown))]
  return listed.map((note) => ({ number: starts.indexOf(firstShown(note)) + 1, note }))
}

const byText = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

/** Returns the view that shows a note on its days. */
export function placeOfNote({ subject, range }: DayNote): OverviewAddress | ReportAddress {
  const period = { kind: 'custom', range } as const
  switch (subject.kind) {
    case 'account':
      return { ...plainOverview, period }
    case 'instance':
      return { ...plainOverview, period, instance: subject.id }
    case 'source':
      return { ...plainOverview, period, source: subject.source }
    case 'view': {
      const address = readAddress(subject.view)
      if (address.kind === 'reports') return { ...address, period, chart: usualChart }
      return { ...(address.kind === 'overview' ? address : plainOverview), period }
    }
  }
}
