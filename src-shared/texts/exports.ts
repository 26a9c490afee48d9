import type { Formats } from './formats.ts'
import type { Job } from '../app/jobs.ts'

type Running = Extract<Job['state'], { kind: 'running' }>

/** How far an export is: `14 of 31 days`, `12,000 of 50,000 rows`, `12,000 rows`. */
export function progressWords({ done, of, unit }: Running, { count }: Formats): string {
  if (of !== null) return `${count(done)} of ${count(of)} ${unit}`
  return done === 0 ? 'Being prepared' : `${count(done)} ${unit}`
}

/** What is said once of how an export stands, for those who do not see the list. */
export function announcement({ title, state }: Job): string {
  switch (state.kind) {
    case 'queued':
    case 'paused':
    case 'running':
      return `${title} is being exported.`
    case 'done':
      return state.file === null ? `${title} is in the clipboard.` : `${title} is saved as ${state.file}.`
    case 'failed':
      return `${title} could not be exported. ${state.failure.message}`
    case 'cancelled':
      return `The export of ${title} was cancelled.`
  }
}

/** What stands under the name of one that went well. */
export function doneWords(
  { file, rows }: Extract<Job['state'], { kind: 'done' }>,
  { count }: Formats,
): string {
  const counted = rows === null ? '' : `${count(rows)} ${rows === 1 ? 'row' : 'rows'}`
  if (file === null) return `Copied ${counted}`.trim()
  return counted === '' ? file : `${file} · ${counted}`
}
