import type { DeskNotification } from './raw.ts'

/** A run to announce. An empty name: no names may be shown. */
export type RunNews = {
  readonly name: string
  readonly files: number
  readonly isLate: boolean
  readonly reason: string | null
}

/** Number of files that a mail names. Systems refuse long addresses. */
const mostNamed = 8

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
    title: `${filesWords(files)} ready${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    body: [...new Set(accounts)].slice(0, 3).join(' · '),
    actions: [],
    urgent: false,
  }
}

/** Returns subject and text of a mail about a run's files, which the user attaches. */
export function mailOfRun(
  name: string,
  files: readonly string[],
): { readonly subject: string; readonly text: string } {
  const lines = files.slice(0, mostNamed).map((file) => `- ${file}`)
  const others = files.length - lines.length
  const more = others > 0 ? [`- and ${filesWords(others)} more`] : []
  return { subject: name, text: ['Attached:', ...lines, ...more, ''].join('\r\n') }
}
