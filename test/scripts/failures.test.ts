import { describe, expect, it } from 'vitest'
import { inCheckout } from '../../scripts/common/checkout.mjs'
import { failuresIn } from '../../scripts/testing/failures.mjs'

const file = (
  name: string,
  message: string,
  tests: readonly [status: string, fullName: string, reason?: string][],
) => ({
  name: inCheckout('test', name),
  message,
  assertionResults: tests.map(([status, fullName, reason]) => ({
    status,
    fullName,
    failureMessages: reason === undefined ? [] : [reason],
  })),
})

const report = (...testResults: readonly unknown[]) => JSON.stringify({ testResults })

describe('failuresIn', () => {
  it('names each test that failed, with the first line of its reason', () => {
    const given = report(
      file('a.test.ts', '', [['passed', 'stands']]),
      file('b.test.ts', '', [
        ['failed', 'a table sorts', 'expected 1 to be 2\n    at b.test.ts:3'],
        ['passed', 'a table pages'],
        ['failed', 'a table ends'],
      ]),
    )
    expect(failuresIn(given)).toEqual([
      { file: 'test/b.test.ts', test: 'a table sorts', reason: 'expected 1 to be 2' },
      { file: 'test/b.test.ts', test: 'a table ends', reason: 'no reason given' },
    ])
  })

  it('names a file whose process was lost', () => {
    const given = report(file('c.test.ts', 'Worker exited unexpectedly', []))
    expect(failuresIn(given)).toEqual([
      { file: 'test/c.test.ts', test: 'the file as a whole', reason: 'Worker exited unexpectedly' },
    ])
  })

  it.each([undefined, '', '{"testResults":', '{"tests":3}'])('has nothing to tell from %j', (given) => {
    expect(failuresIn(given)).toEqual([])
  })
})
