import type { RowsFile } from '../../../src-shared/rows/rows-file.ts'
import { count, size } from '../../parts/formats.ts'
import { daysIn } from './moments.ts'

/** How far reading in is, 0 to 100; null where nobody knows. */
export function percentOf({ state }: RowsFile): number | null {
  if (state.as !== 'reading') return null
  return state.of === null || state.of <= 0 ? null : Math.min(100, Math.floor((state.done / state.of) * 100))
}

/** How the rows of an archive stand: `48,120 rows · Nov 13 – 19, 2026 · 1.2 MB`. */
export function stateWords(file: RowsFile, zone: string): string {
  const { state } = file
  switch (state.as) {
    case 'not-read':
      return file.archive === 'there' ? 'Not read in yet' : 'Not read in, and the file is not there any more'
    case 'reading':
      return [
        state.replaced ? 'The file was replaced by another one. It is being read in' : 'Being read in',
        ...(state.of === null ? [] : [`${size(state.done)} of ${size(state.of)}`]),
      ].join(': ')
    case 'whole': {
      const { rows, first, last, bytes } = state.facts
      const days = first !== null && last !== null ? [daysIn(first, last, zone)] : []
      return [`${count(rows)} ${rows === 1 ? 'row' : 'rows'}`, ...days, size(bytes)].join(' · ')
    }
    case 'damaged':
      return file.archive === 'there'
        ? 'The saved rows were damaged. They can be read in again'
        : 'The saved rows were damaged, and their file is not there any more'
    case 'failed':
      return `Not read in. ${state.failure.message}`
  }
}

const typeWords = { request: 'requests', response: 'responses', direct: 'direct' } as const

/** What an archive is: its type, and where it is from. */
export function kindWords({ type, report }: RowsFile): string {
  const from = report === null ? 'Added file' : 'Raw report'
  return type === null ? from : `${from} · ${typeWords[type]}`
}
