import { oneLine } from './formats.ts'
import type { Formats } from './formats.ts'
import type { CutCells, Job, JobKind } from '../app/jobs.ts'
import { maxCellOfSheet } from '../archives/rows.ts'

type Running = Extract<Job['state'], { kind: 'running' }>

/** Returns a job's progress: `14 of 31 days`, `12,000 of 50,000 rows`, `12,000 rows`, `3 MB of 80 MB`. */
function progressWords({ done, total, unit }: Running, { count, size }: Formats): string {
  if (unit === 'bytes' && done > 0) return total === null ? size(done) : `${size(done)} of ${size(total)}`
  if (total !== null) return `${count(done)} of ${count(total)} ${unit}`
  return done === 0 ? 'Preparing…' : `${count(done)} ${unit}`
}

/** Limits of what `cutWords` names: columns, and characters of each name. */
const maxColumnsNamed = 5
const longestName = 60

/** `2 cells in PAGE were cut to 32,767 characters, the most an Excel cell holds.` Empty if no cell was cut. */
export function cutWords(
  cut: CutCells,
  { count }: Pick<Formats, 'count'>,
  when: 'before' | 'after' = 'after',
): string {
  const cells = cut.reduce((sum, { cells: own }) => sum + own, 0)
  if (cells === 0) return ''
  const columns = cut.filter(({ cells: own }) => own > 0)
  const named = columns.slice(0, maxColumnsNamed).map(({ column, cells: own }) => {
    const name = oneLine(column, longestName)
    return columns.length === 1 ? name : `${name} (${count(own)})`
  })
  const more = columns.length - named.length
  const where = `${named.join(', ')}${more > 0 ? ` and ${count(more)} more columns` : ''}`
  const verb = { before: 'will be', after: cells === 1 ? 'was' : 'were' }[when]
  return `${count(cells)} ${cells === 1 ? 'cell' : 'cells'} in ${where} ${verb} cut to ${count(maxCellOfSheet)} characters, the most an Excel cell holds.`
}

/** Follows `cutWords`, in a sheet and before it is saved. */
export const wholeElsewhere = 'CSV and JSON have them whole.'

/** Returns the message for an export's state, for screen readers. */
export function announcement({ title, state }: Job, formats: Pick<Formats, 'count'>): string {
  switch (state.kind) {
    case 'queued':
    case 'paused':
    case 'running':
      return `${title} is being exported.`
    case 'done':
      return state.file === null
        ? `${title} is copied to the clipboard.`
        : `${title} is saved as ${state.file}. ${cutWords(state.cut ?? [], formats)}`.trim()
    case 'failed':
      return `${title} was not exported. ${state.failure.message}`
    case 'cancelled':
      return `The export of ${title} was cancelled.`
  }
}

/** Returns the state of a finished job. */
function doneWords(
  { file, rows, cut = [] }: Extract<Job['state'], { kind: 'done' }>,
  formats: Formats,
): string {
  const { count } = formats
  const counted = rows === null ? '' : `${count(rows)} ${rows === 1 ? 'row' : 'rows'}`
  if (file === null) return `Copied ${counted}`.trim()
  return [`Saved as ${file}`, counted, cutWords(cut, formats)].filter(Boolean).join(' · ')
}

/** Prefixes of a job's title, by kind. */
const kindWords: { readonly [K in JobKind]: string } = {
  export: 'Export',
  publish: 'Publishing',
  backup: 'Backup',
  view: 'Refresh',
  look: 'Saved days',
  import: 'Import',
  download: 'Download',
}

/** Returns the label of a job's progress: "Export of Script by browser". */
export const jobLabel = ({ kind, title }: Job): string => `${kindWords[kind]} of ${title}`

/** Why a job is queued, by kind. */
const waitWords: { readonly [K in JobKind]: string } = {
  export: 'Waiting for other exports',
  publish: 'Waiting for another account',
  backup: 'Waiting for another backup',
  view: 'Waiting for other views',
  look: 'Waiting until nothing else is loading',
  import: 'Waiting for another archive',
  download: 'Waiting for other downloads',
}

/** Returns a job's state in one line. */
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
