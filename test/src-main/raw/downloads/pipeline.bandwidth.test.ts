import { describe, expect, it } from 'vitest'
import { DownloadRate } from '#main/raw/downloads/pipeline.ts'
import { Speed } from '#main/raw/downloads/download-list.ts'

/** A clock on which waiting is what makes time pass. */
function steppingClock() {
  let now = 1_000_000
  return {
    now: () => now,
    pass: (milliseconds: number) => (now += milliseconds),
    wait: (milliseconds: number, signal: AbortSignal) => {
      signal.throwIfAborted()
      now += milliseconds
      return Promise.resolve()
    },
  }
}
const never = new AbortController().signal

describe('the bandwidth of all downloads', () => {
  it('is what was set, in thousand bytes a second, and saves nothing up', async () => {
    const clock = steppingClock()
    const bandwidth = new DownloadRate(clock)
    bandwidth.limit(50)
    const began = clock.now()
    for (let piece = 0; piece < 100; piece += 1) await bandwidth.take(10_000, never)
    expect(clock.now() - began).toBe(20_000)
    clock.pass(60_000)
    const later = clock.now()
    await bandwidth.take(50_000, never)
    expect(clock.now() - later).toBe(1000)
  })

  it('is shared by those who take at once: each waits after the other', async () => {
    const waits: number[] = []
    const bandwidth = new DownloadRate({
      now: () => 0,
      wait: (milliseconds) => {
        waits.push(milliseconds)
        return Promise.resolve()
      },
    })
    bandwidth.limit(10)
    await Promise.all([
      bandwidth.take(10_000, never),
      bandwidth.take(10_000, never),
      bandwidth.take(5000, never),
    ])
    expect(waits).toEqual([1000, 1000, 500])
  })

  it('goes on as before where the clock is set back', async () => {
    const clock = steppingClock()
    const bandwidth = new DownloadRate(clock)
    bandwidth.limit(1000)
    for (let piece = 0; piece < 3; piece += 1) expect(await bandwidth.portion(never)).toBe(250_000)
    clock.pass(-3_600_000)
    const later = clock.now()
    for (let piece = 0; piece < 4; piece += 1) await bandwidth.portion(never)
    expect(clock.now() - later).toBe(1000)
  })

  it('is without end until it is set, and again when the limit is taken away', async () => {
    const clock = steppingClock()
    const bandwidth = new DownloadRate(clock)
    await bandwidth.take(1e12, never)
    bandwidth.limit(1)
    bandwidth.limit(null)
    await bandwidth.take(1e12, never)
    expect(clock.now()).toBe(1_000_000)
  })
})

describe('the speed of a download', () => {
  it('is that of the last seconds', () => {
    const speed = new Speed()
    expect(speed.perSecond(0, 0)).toBeNull()
    for (let at = 0; at <= 10_000; at += 250) speed.add(at < 5000 ? at * 10 : 50_000 + (at - 5000), at)
    expect(speed.perSecond(55_000, 10_000)).toBe(1000)
  })

  it('begins anew with the file, and with a clock that was put back', () => {
    const speed = new Speed()
    speed.add(5000, 10_000)
    speed.add(100, 11_000)
    expect(speed.perSecond(1100, 12_000)).toBe(1000)
    speed.add(2000, 2000)
    expect(speed.perSecond(4000, 4000)).toBe(1000)
  })
})
