import { describe, expect, it } from 'vitest'
import { someAtATime } from '#main/reports/sync/some-at-a-time.ts'
import { settled } from '../clock.ts'

describe('some at a time', () => {
  it('does so many at once, in order, and begins none after one has failed', async () => {
    const begun: number[] = []
    const ends: (() => void)[] = []
    const fails: (() => void)[] = []
    const all = someAtATime(2, [1, 2, 3, 4], (item) => {
      begun.push(item)
      return new Promise<void>((resolve, reject) => {
        ends.push(resolve)
        fails.push(() => reject(new Error(`${item} failed`)))
      })
    })
    expect(begun).toEqual([1, 2])
    ends[0]?.()
    await settled()
    expect(begun).toEqual([1, 2, 3])
    fails[1]?.()
    await settled()
    ends[2]?.()
    await expect(all).rejects.toThrow('2 failed')
    expect(begun).toEqual([1, 2, 3])
  })
})
