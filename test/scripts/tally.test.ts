import { describe, expect, it } from 'vitest'
import { lastLine, sum, tallyOfOne, tallyOfVitest } from '../../scripts/testing/tally.mjs'

const report = (passed: number, failed: number, pending: number, todo: number) =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: pending,
    numTodoTests: todo,
  })

describe('tallyOfVitest', () => {
  it('counts what is pending and what is still to do as skipped', () => {
    expect(tallyOfVitest(report(5, 0, 2, 1), 0)).toEqual({ passed: 5, failed: 0, skipped: 3 })
  })

  it('counts failed tests once', () => {
    expect(tallyOfVitest(report(5, 2, 0, 0), 1)).toEqual({ passed: 5, failed: 2, skipped: 0 })
  })

  it.each([
    ['a run that failed without a failed test', report(5, 0, 0, 0), { passed: 5, failed: 1, skipped: 0 }],
    ['a run without a report', undefined, { passed: 0, failed: 1, skipped: 0 }],
    ['a report cut short', '{"numPassedTests":', { passed: 0, failed: 1, skipped: 0 }],
    ['a report of another form', '{"tests":3}', { passed: 0, failed: 1, skipped: 0 }],
  ])('never lets %s look like success', (_what, given, expected) => {
    expect(tallyOfVitest(given, 1)).toEqual(expected)
  })

  it('takes a missing report for a failure even after a good end', () => {
    expect(tallyOfVitest(undefined, 0).failed).toBe(1)
  })
})

describe('the last line', () => {
  it('is the sum of all parts', () => {
    const total = sum([tallyOfOne(0), tallyOfOne(2), { passed: 10, failed: 3, skipped: 4 }])
    expect(lastLine(total)).toBe('11 passed, 4 failed, 4 skipped')
  })

  it('is there without any part', () => {
    expect(lastLine(sum([]))).toBe('0 passed, 0 failed, 0 skipped')
  })
})
