import { describe, expect, it } from 'vitest'
import { readRange } from '#main/sandbox/raw/ranges.ts'

/** RFC 9110, 14.1.2 and 14.2, on a file of 100 bytes. */
describe('a Range header', () => {
  it.each([
    ['bytes=0-', { start: 0, end: 99 }],
    ['bytes=10-19', { start: 10, end: 19 }],
    ['bytes=99-', { start: 99, end: 99 }],
    ['bytes=50-1000', { start: 50, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=20-10', 'whole'],
    ['bytes=0-1,5-6', 'whole'],
    ['bytes=-', 'whole'],
    ['rows=0-1', 'whole'],
    ['', 'whole'],
    [undefined, 'whole'],
  ])('%s', (header, expected) => {
    expect(readRange(header, 100)).toEqual(expected)
  })
})
