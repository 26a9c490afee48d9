import { expect, it } from 'vitest'
import type { Job, JobId } from '#shared/app/jobs.ts'
import { announcement, cutWords, stateWords } from '#shared/texts/jobs.ts'
import type { Formats } from '#shared/texts/formats.ts'

const formats = { count: (value) => value?.toLocaleString('de') ?? '–' } as Formats

const job = (cut: Parameters<typeof cutWords>[0]): Job => ({
  ...{ id: 'j' as JobId, kind: 'export', account: null, subject: null, title: 'Raw rows' },
  state: { kind: 'done', file: 'Rows.xlsx', rows: 12, ...(cut.length > 0 && { cut }) },
  ...{ endedAt: null, seen: false },
})

it('says which cells were cut, with the saved file and in its announcement', () => {
  const cut = [{ column: 'PAGE', cells: 2 }]
  const words = '2 cells in PAGE were cut to 32.767 characters, the most an Excel cell holds.'
  expect(stateWords(job(cut), formats)).toBe(`Saved as Rows.xlsx · 12 rows · ${words}`)
  expect(announcement(job(cut), formats)).toBe(`Raw rows is saved as Rows.xlsx. ${words}`)
})

it('says nothing of it where none was', () => {
  expect(stateWords(job([]), formats)).toBe('Saved as Rows.xlsx · 12 rows')
  expect(announcement(job([]), formats)).toBe('Raw rows is saved as Rows.xlsx.')
  expect(cutWords([{ column: 'A', cells: 0 }], formats)).toBe('')
})

it('names a few columns in one line, whatever they are called, and counts the others', () => {
  const columns = Array.from({ length: 7 }, (_, nth) => ({ column: `C\n${nth}\u202e`, cells: nth + 1 }))
  expect(cutWords(columns, formats, 'before')).toBe(
    '28 cells in C 0 (1), C 1 (2), C 2 (3), C 3 (4), C 4 (5) and 2 more columns will be cut to 32.767 characters, ' +
      'the most an Excel cell holds.',
  )
  expect(cutWords([{ column: 'x'.repeat(100), cells: 1 }], formats)).toMatch(/^1 cell in x{59}… was cut to /)
})
