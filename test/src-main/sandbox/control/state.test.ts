import { describe, expect, it } from 'vitest'
import { createClock, createFaults, createRequestLog } from '#main/sandbox/control/state.ts'
import { day } from '#shared/values/day.ts'

describe('the sandbox clock', () => {
  it('starts at noon UTC and goes on with real time', () => {
    let elapsed = 5_000
    const clock = createClock(day('2026-11-20'), () => elapsed)
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T12:00:00.000Z')
    elapsed += 1_500.7
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T12:00:01.500Z')
  })

  it('is moved on, over midnight too, and never back', () => {
    const clock = createClock(day('2026-11-20'), () => 0)
    clock.advance(12 * 3_600_000 - 1)
    expect(clock.today()).toBe('2026-11-20')
    clock.advance(1)
    expect(clock.today()).toBe('2026-11-21')
    expect(() => clock.advance(-1)).toThrow(RangeError)
    expect(() => clock.advance(Number.NaN)).toThrow(RangeError)
  })
})

const html = { kind: 'html' } as const
const reset = { kind: 'reset' } as const

describe('the faults', () => {
  it('hands a fault out as often as it says, only at its path', () => {
    const faults = createFaults()
    faults.add({ path: 'direct/browsers', times: 2, does: html })
    expect(faults.take('script/browsers')).toBeUndefined()
    expect(faults.take('direct/browsers')?.does).toEqual(html)
    expect(faults.waiting()).toEqual([{ path: 'direct/browsers', times: 1, does: html }])
    expect(faults.take('direct/browsers')?.does).toEqual(html)
    expect(faults.take('direct/browsers')).toBeUndefined()
  })

  it('takes the oldest first, at any path where none is named, without end where no times are', () => {
    const faults = createFaults()
    faults.add({ path: null, times: 1, does: html })
    faults.add({ path: null, times: null, does: reset })
    expect(['a', 'b', 'c', 'd'].map((path) => faults.take(path)?.does.kind)).toEqual([
      'html',
      'reset',
      'reset',
      'reset',
    ])
    faults.clear()
    expect(faults.take('e')).toBeUndefined()
  })
})

describe('the request log', () => {
  it('never holds a token', () => {
    const log = createRequestLog(() => 12)
    log.add({ path: 'raw/table', status: 200, parameters: { token: 'secret', page: 2 } })
    expect(log.list()).toEqual([{ path: 'raw/table', status: 200, time: 12, parameters: { page: 2 } }])
    log.clear()
    expect(log.list()).toEqual([])
  })

  it('lets the oldest go', () => {
    const log = createRequestLog(() => 0)
    for (let count = 1; count <= 12_000; count += 1)
      log.add({ path: String(count), status: 200, parameters: {} })
    const paths = log.list().map((each) => each.path)
    expect(paths).toHaveLength(5_000)
    expect([paths.at(0), paths.at(-1)]).toEqual(['7001', '12000'])
  })
})
