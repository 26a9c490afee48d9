import { describe, expect, it, vi } from 'vitest'
import { runParts } from '../../scripts/testing/run-parts.mjs'

const failing = (...tests: readonly string[]) =>
  tests.map((name) => {
    const [file = '', test = ''] = name.split(' ')
    return { file: `test/${file}.test.ts`, test, reason: '1 is not 2' }
  })

/** What came of a part in which two tests passed, and these failed, each named by its file and itself: `a sorts`. */
const outcome = (...tests: readonly string[]) => ({
  tally: { passed: 2, failed: tests.length, skipped: 0 },
  failed: failing(...tests),
  said: [],
})

/** A part that comes to one outcome after the other, and the files that each run of it was for. */
function part(title: string, ...outcomes: readonly ReturnType<typeof outcome>[]) {
  const runs: (readonly string[] | undefined)[] = []
  const run = async (files?: readonly string[]) => {
    runs.push(files)
    const came = outcomes[runs.length - 1]
    if (came === undefined) throw new Error(`${title} ran more often than it should`)
    return Promise.resolve(came)
  }
  return { title, run, runs }
}

async function said(...stages: Parameters<typeof runParts>[0]) {
  const written: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text))
    return true
  })
  const total = await runParts(stages).finally(() => write.mockRestore())
  const lines = written.join('').trimEnd().split('\n')
  return { total, lines: lines.slice(lines.findLastIndex((line) => line.startsWith('  done in')) + 1) }
}

describe('the parts of a test run', () => {
  it('are counted together, and what failed is named last', async () => {
    const lint = {
      title: 'Lint',
      run: () =>
        Promise.resolve({ tally: { passed: 0, failed: 1, skipped: 0 }, failed: [], said: ['a.ts: no'] }),
    }
    const units = part('Unit tests', outcome('b sorts'), outcome('b sorts'))
    expect(await said([lint], [], [part('Types', outcome()), units])).toEqual({
      total: { passed: 4, failed: 2, skipped: 0 },
      lines: [
        'ok      Types: 2 passed, 0 failed, 0 skipped',
        'FAILED  Lint: 0 passed, 1 failed, 0 skipped',
        '        a.ts: no',
        'FAILED  Unit tests: 2 passed, 1 failed, 0 skipped',
        '        test/b.test.ts: sorts: 1 is not 2',
      ],
    })
  })

  it('run one stage after the other, and those of a stage at once', async () => {
    const order: string[] = []
    const taking = (title: string) => ({
      title,
      run: async () => {
        order.push(`${title} begins`)
        await Promise.resolve()
        order.push(`${title} ends`)
        return outcome()
      },
    })
    await said([taking('A'), taking('B')], [taking('C')])
    expect(order).toEqual(['A begins', 'B begins', 'A ends', 'B ends', 'C begins', 'C ends'])
  })
})

describe('a test that failed', () => {
  it('runs once more when all else has ended, with its file alone', async () => {
    const order: string[] = []
    const watched = (title: string, first: readonly string[]) => ({
      title,
      run: (files?: readonly string[]) => {
        order.push(`${title}: ${files?.join(', ') ?? 'whole'}`)
        return Promise.resolve(files === undefined ? outcome(...first) : outcome())
      },
    })
    await said(
      [watched('A', ['a sorts', 'a pages', 'b sorts'])],
      [watched('B', ['c sorts']), watched('C', [])],
    )
    expect(order).toEqual([
      'A: whole',
      'B: whole',
      'C: whole',
      'A: test/a.test.ts, test/b.test.ts',
      'B: test/c.test.ts',
    ])
  })

  it('is flaky where it passes then, and counts as passed', async () => {
    expect(await said([part('Unit tests', outcome('a sorts', 'b pages'), outcome())])).toEqual({
      total: { passed: 4, failed: 0, skipped: 0 },
      lines: [
        'ok      Unit tests: 4 passed, 0 failed, 0 skipped',
        'flaky: test/a.test.ts sorts 1 is not 2',
        'flaky: test/b.test.ts pages 1 is not 2',
      ],
    })
  })

  it('stays failed where any test of its file fails again', async () => {
    const run = part('Unit tests', outcome('a sorts', 'b pages', 'b ends'), outcome('b ends'))
    expect(await said([run])).toEqual({
      total: { passed: 3, failed: 2, skipped: 0 },
      lines: [
        'FAILED  Unit tests: 3 passed, 2 failed, 0 skipped',
        '        test/b.test.ts: pages: 1 is not 2',
        '        test/b.test.ts: ends: 1 is not 2',
        'flaky: test/a.test.ts sorts 1 is not 2',
      ],
    })
  })

  it.each([
    ['named no test', { ...outcome(), tally: { passed: 0, failed: 1, skipped: 0 } }],
    ['failed without a failed test', { ...outcome(), tally: { passed: 9, failed: 1, skipped: 0 } }],
    ['ran nothing', { ...outcome(), tally: { passed: 0, failed: 0, skipped: 2 } }],
  ])('stays failed where the second run %s', async (_what, second) => {
    const { total } = await said([part('Unit tests', outcome('a sorts'), second)])
    expect(total).toEqual({ passed: 2, failed: 1, skipped: 0 })
  })

  it('fails the run where more than three are flaky, in all parts together', async () => {
    const { total, lines } = await said(
      [part('A', outcome('a sorts', 'a pages'), outcome())],
      [part('B', outcome('b sorts', 'c sorts'), outcome())],
    )
    expect(total).toEqual({ passed: 4, failed: 4, skipped: 0 })
    expect(lines.slice(-5)).toEqual([
      'More than 3 tests are flaky: they count as failed.',
      'flaky: test/a.test.ts sorts 1 is not 2',
      'flaky: test/a.test.ts pages 1 is not 2',
      'flaky: test/b.test.ts sorts 1 is not 2',
      'flaky: test/c.test.ts sorts 1 is not 2',
    ])
  })

  it('does not run again where so many files failed that the code is to blame', async () => {
    const all = Array.from({ length: 13 }, (_, nth) => `file${nth} sorts`)
    const run = part('Unit tests', outcome(...all))
    expect((await said([run])).total.failed).toBe(13)
    expect(run.runs).toEqual([undefined])
  })
})

it('has no second chance for a check', async () => {
  let runs = 0
  const lint = {
    title: 'Lint',
    run: () => {
      runs += 1
      return Promise.resolve({ tally: { passed: 0, failed: 1, skipped: 0 }, failed: [], said: ['a.ts: no'] })
    },
  }
  expect((await said([lint])).total.failed).toBe(1)
  expect(runs).toBe(1)
})
