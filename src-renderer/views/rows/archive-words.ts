import type { RowsFile } from '#shared/archives/rows-file.ts'
import { count, size } from '#renderer/components/formats.ts'
import { daysIn } from './moments.ts'

/** How far reading in is, 0 to 100; null where nobody knows. */
export function percentOf({ state }: RowsFile): number | null {
  if (state.kind !== 'reading') return null
  return state.of === null || state.of <= 0 ? null : Math.min(100, Math.floor((state.done / state.of) * 100))
}

const notReadWords = {
  there: 'Not read in yet',
  gone: 'Not read in, and the file is not there any more',
  away: 'Not read in, and the folder of the file does not answer',
} as const

const damagedWords = {
  there: 'The saved rows were damaged. They can be read in again',
  gone: 'The saved rows were damaged, and their file is not there any more',
  away: 'The saved rows were damaged, and the folder of their file does not answer',
} as const

/** What is said beside rows that can be looked into. */
export const fileWords = {
  there: '',
  gone: ' · the file itself is gone',
  away: ' · the folder of the file does not answer',
} as const

/** How the rows of an archive stand: `48,120 rows · Nov 13 – 19, 2026 · 1.2 MB`. */
export function stateWords(file: RowsFile, zone: string): string {
  const { state } = file
  switch (state.kind) {
    case 'not-read':
      return notReadWords[file.archive]
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
      return damagedWords[file.archive]
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
