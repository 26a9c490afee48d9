import { describe, expect, it, vi } from 'vitest'
import { runParts } from '../../scripts/testing/run-parts.mjs'

const part = (title: string, failures: readonly string[]) => ({
  title,
  run: () =>
    Promise.resolve({ tally: { passed: 2, failed: failures.length, skipped: 0 }, failures: [...failures] }),
})

describe('the parts of a test run', () => {
  it('are counted together, and what failed is named last', async () => {
    const written: string[] = []
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      written.push(String(text))
      return true
    })
    const total = await runParts([
      [part('Lint', ['a.ts: no'])],
      [],
      [part('Types', []), part('Unit tests', ['b.test.ts: a table sorts: 1 is not 2'])],
    ]).finally(() => write.mockRestore())
    expect(total).toEqual({ passed: 6, failed: 2, skipped: 0 })
    expect(written.join('').trimEnd().split('\n').slice(-5)).toEqual([
      'ok      Types: 2 passed, 0 failed, 0 skipped',
      'FAILED  Lint: 2 passed, 1 failed, 0 skipped',
      '        a.ts: no',
      'FAILED  Unit tests: 2 passed, 1 failed, 0 skipped',
      '        b.test.ts: a table sorts: 1 is not 2',
    ])
  })

  it('run one stage after the other, and those of a stage at once', async () => {
    const order: string[] = []
    const taking = (title: string) => ({
      title,
      run: async () => {
        order.push(`${title} begins`)
        await Promise.resolve()
        order.push(`${title} ends`)
        return { tally: { passed: 1, failed: 0, skipped: 0 }, failures: [] }
      },
    })
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    await runParts([[taking('A'), taking('B')], [taking('C')]]).finally(() => write.mockRestore())
    expect(order).toEqual(['A begins', 'B begins', 'A ends', 'B ends', 'C begins', 'C ends'])
  })
})
