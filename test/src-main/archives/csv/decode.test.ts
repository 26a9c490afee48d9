import { expect, it } from 'vitest'
import { encodingOf } from '#main/archives/csv/decode.ts'

it('skips the byte order marks at the start of a file, however many', () => {
  const marks = 100_000
  const start = Buffer.from(`${'\ufeff'.repeat(marks)}Date`)
  expect(encodingOf(start)).toEqual({ encoding: 'utf-8', mark: 3 * marks })
  expect(encodingOf(Buffer.from('\ufeffDate', 'utf16le')).mark).toBe(2)
})
