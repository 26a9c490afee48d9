import { describe, expect, it } from 'vitest'
import { Semaphore } from '#main/lib/semaphore.ts'
import { settled } from '../reports/clock.ts'

describe('places', () => {
  it('are taken in the order in which they were asked for, as soon as one is free', async () => {
    const places = new Semaphore(2)
    const entered: number[] = []
    const leaves = [1, 2, 3, 4].map((who) =>
      places.acquire().then((leave) => {
        entered.push(who)
        return leave
      }),
    )
    await settled()
    expect(entered).toEqual([1, 2])
    const leave = await leaves[1]
    leave?.()
    leave?.()
    await settled()
    expect(entered).toEqual([1, 2, 3])
  })

  it('are free again after work that failed', async () => {
    const places = new Semaphore(1)
    await expect(places.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await places.run(() => Promise.resolve('done'))).toBe('done')
  })
})
