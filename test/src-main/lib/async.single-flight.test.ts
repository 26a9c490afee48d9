import { describe, expect, it } from 'vitest'
import { singleFlight } from '#main/lib/async.ts'
import type { Flights } from '#main/lib/async.ts'

function work() {
  const flights: Flights<string, number> = new Map()
  const begun: { signal: AbortSignal; tell: (progress: number) => void; end: (text: string) => void }[] = []
  const join = (controller: AbortController, onFetchProgress?: (progress: number) => void) =>
    singleFlight(
      flights,
      'one',
      { signal: controller.signal, onFetchProgress },
      (signal, tell) => new Promise((end) => begun.push({ signal, tell, end })),
    )
  return { join, begun }
}

describe('single flight', () => {
  it('is done once for all who wait, and all hear how far it is', async () => {
    const { join, begun } = work()
    const heard: number[] = []
    const both = [1, 2].map((who) => join(new AbortController(), (progress) => heard.push(who * progress)))
    begun[0]?.tell(10)
    begun[0]?.end('done')
    expect(await Promise.all(both)).toEqual(['done', 'done'])
    expect(heard).toEqual([10, 20])
    expect(begun).toHaveLength(1)
  })

  it('goes on while somebody waits, and is broken off when the last one leaves', async () => {
    const { join, begun } = work()
    const [one, other] = [new AbortController(), new AbortController()]
    const [first, second] = [join(one), join(other)]
    one.abort()
    await expect(first).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    expect(begun[0]?.signal.aborted).toBe(false)
    other.abort()
    await expect(second).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    expect(begun[0]?.signal.aborted).toBe(true)
    void join(new AbortController())
    expect(begun).toHaveLength(2)
  })

  it('is not begun for who has left already', async () => {
    const { join, begun } = work()
    const left = new AbortController()
    left.abort()
    await expect(join(left)).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    expect(begun).toHaveLength(0)
  })
})
