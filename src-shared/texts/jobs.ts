import type { Formats } from './formats.ts'
import type { Job, JobKind } from '../app/jobs.ts'

type Running = Extract<Job['state'], { kind: 'running' }>

/** How far a job is: `14 of 31 days`, `12,000 of 50,000 rows`, `12,000 rows`, `3 MB of 80 MB`. */
function progressWords({ done, total, unit }: Running, { count, size }: Formats): string {
  if (unit === 'bytes' && done > 0) return total === null ? size(done) : `${size(done)} of ${size(total)}`
  if (total !== null) return `${count(done)} of ${count(total)} ${unit}`
  return done === 0 ? 'Preparing…' : `${count(done)} ${unit}`
}

/** What is said once of how an export stands, for those who do not see the list. */
export function announcement({ title, state }: Job): string {
  switch (state.kind) {
    case 'queued':
    case 'paused':
    case 'running':
      return `${title} is being exported.`
    case 'done':
      return state.file === null
        ? `${title} is copied to the clipboard.`
        : `${title} is saved as ${state.file}.`
    case 'failed':
      return `${title} was not exported. ${state.failure.message}`
    case 'cancelled':
      return `The export of ${title} was cancelled.`
  }
}

/** What stands under the name of one that went well. */
function doneWords({ file, rows }: Extract<Job['state'], { kind: 'done' }>, { count }: Formats): string {
  const counted = rows === null ? '' : `${count(rows)} ${rows === 1 ? 'row' : 'rows'}`
  if (file === null) return `Copied ${counted}`.trim()
  const saved = `Saved as ${file}`
  return counted === '' ? saved : `${saved} · ${counted}`
}

/** What a job of a kind is called before what it is of. */
const kindWords: { readonly [K in JobKind]: string } = {
  export: 'Export',
  publish: 'Publishing',
  backup: 'Backup',
  view: 'Refresh',
  look: 'Saved days',
  import: 'Import',
  download: 'Download',
  update: 'Download',
}

/** What the progress of a job is called: "Export of Script by browser". */
export const jobLabel = ({ kind, title }: Job): string => `${kindWords[kind]} of ${title}`

/** Why a job waits that others of its kind keep waiting. */
const waitWords: { readonly [K in JobKind]: string } = {
  export: 'Waiting for other exports',
  publish: 'Waiting for another account',
  backup: 'Waiting for another backup',
  view: 'Waiting for other views',
  look: 'Waiting until nothing else is loading',
  import: 'Waiting for another archive',
  download: 'Waiting for other downloads',
  update: 'Waiting for another update',
}

/** How a job stands, in one line under its name. */
export function stateWords({ kind, state }: Job, formats: Formats): string {
  switch (state.kind) {
    case 'queued':
      return waitWords[kind]
    case 'running':
      return progressWords(state, formats)
    case 'paused':
      return state.failure === null ? 'Paused' : `Resumes automatically. ${state.failure.message}`
    case 'done':
      return kind === 'export' || state.file !== null ? doneWords(state, formats) : 'Done'
    case 'failed':
      return kind === 'export' ? `Not exported. ${state.failure.message}` : state.failure.message
    case 'cancelled':
      return 'Cancelled'
  }
}
