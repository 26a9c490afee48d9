import type { DayEvent } from '../watch/day-events.ts'
import type { MarkedNote } from '../watch/notes.ts'
import { findingWords, stateWords, subjectWords } from './alerts.ts'
import { listWords } from './formats.ts'
import type { Formats } from './formats.ts'

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
    text: `${subjectWords(finding)}: ${findingWords(finding, formats)}`,
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
  const words = listWords(parts)
  const isOne = notes.length + findings === 1 && restated === 0
  return words === ''
    ? ''
    : `${words.charAt(0).toUpperCase()}${words.slice(1)} ${isOne ? 'is' : 'are'} listed below.`
}
