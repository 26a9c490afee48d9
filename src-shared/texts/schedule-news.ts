import type { Day } from '../values/day.ts'
import type { DeskNotification } from './raw.ts'

/** A run to announce. An empty name: no names may be shown. */
export type RunNews = {
  readonly name: string
  readonly files: number
  readonly isLate: boolean
  readonly reason: string | null
}

/** Encoded characters of a mail's subject and text, and of its name alone. Systems refuse long addresses. */
const longestMail = 1700
const longestMailName = 600

const filesWords = (files: number): string => (files === 1 ? '1 file' : `${files} files`)

/** Returns the notification of one run. @param account the account's name */
export function notificationOfRun(
  { name, files, isLate, reason }: RunNews,
  account: string,
): DeskNotification {
  const isSkipped = reason !== null
  const title = isSkipped
    ? name === ''
      ? 'A scheduled file was skipped'
      : `${name} was skipped`
    : name === ''
      ? 'A scheduled file is ready'
      : `${name}: ${filesWords(files)} ready`
  const body = isSkipped ? `${account} · ${reason}` : `${account}${isLate ? ' · Late' : ''}`
  return { title, body, actions: [], urgent: false }
}

/** Returns one notification for many runs. @param accounts name of each run's account */
export function summaryOfRuns(runs: readonly RunNews[], accounts: readonly string[]): DeskNotification {
  const skipped = runs.filter(({ reason }) => reason !== null).length
  const files = runs.reduce((sum, run) => sum + run.files, 0)
  return {
    title:
      files === 0
        ? `${skipped} scheduled runs were skipped`
        : `${filesWords(files)} ready${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    body: [...new Set(accounts)].slice(0, 3).join(' · '),
    actions: [],
    urgent: false,
  }
}

const encodedLength = (text: string): number => encodeURIComponent(text).length

/** Cuts a text to a number of encoded characters. */
function cut(text: string, most: number): string {
  let kept = ''
  for (const letter of text) {
    if (encodedLength(`${kept}${letter}…`) > most) return `${kept}…`
    kept += letter
  }
  return kept
}

/**
 * Returns subject and text of a mail about a run's files, which the user attaches.
 * @param name the schedule's name
 */
export function mailOfRun(
  name: string,
  day: Day,
  files: readonly string[],
): { readonly subject: string; readonly text: string } {
  const subject = `${cut(name, longestMailName)} ${day}`
  const textWith = (named: number) => {
    const others = files.length - named
    const more =
      others > 0 ? [named > 0 ? `- and ${filesWords(others)} more` : `- ${filesWords(others)}`] : []
    return ['Files:', ...files.slice(0, named).map((file) => `- ${file}`), ...more, ''].join('\r\n')
  }
  let named = files.length
  while (named > 0 && encodedLength(subject) + encodedLength(textWith(named)) > longestMail) named -= 1
  return { subject, text: textWith(named) }
}
