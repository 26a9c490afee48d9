import { describe, expect, it } from 'vitest'
import { withSignal, withTimeout } from '#main/lib/async.ts'
import { HandClock } from '../reports/clock.ts'

const never = () => new Promise<never>(() => undefined)
const handClock = () => new HandClock('2026-11-20T09:00:00Z')

describe('with a signal', () => {
  it('gives what comes of the work', async () => {
    expect(await withSignal(new AbortController().signal, () => Promise.resolve(7))).toBe(7)
  })

  it('ends with the signal, whether or not the work heeds it', async () => {
    const left = new AbortController()
    const waiting = withSignal(left.signal, never)
    left.abort()
    await expect(waiting).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  })

  it('does not begin where the signal is aborted already', async () => {
    let begun = false
    const work = () => Promise.resolve((begun = true))
    await expect(withSignal(AbortSignal.abort(), work, () => new Error('left'))).rejects.toThrow('left')
    expect(begun).toBe(false)
  })
})

describe('with a timeout', () => {
  it('gives what comes in time, and lets go of the clock', async () => {
    const clock = handClock()
    expect(await withTimeout({ milliseconds: 50, clock }, () => Promise.resolve(7))).toBe(7)
    expect(clock.waiting()).toEqual([])
  })

  it('aborts the work when the time is up, and says so', async () => {
    const clock = handClock()
    let seen: AbortSignal | undefined
    const waiting = withTimeout({ milliseconds: 50, clock }, (signal) => {
      seen = signal
      return never()
    })
    const refused = expect(waiting).rejects.toMatchObject({ failure: { kind: 'timed-out' } })
    await clock.move(49)
    expect(seen?.aborted).toBe(false)
    await clock.move(1)
    await refused
    expect(seen?.aborted).toBe(true)
  })

  it('is cancelled with the signal that it was given', async () => {
    const left = new AbortController()
    const limit = { milliseconds: 50, clock: handClock(), signal: left.signal, late: () => new Error('late') }
    const waiting = withTimeout(limit, never)
    left.abort()
    await expect(waiting).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  })

  it('says when the time is up as it is told to', async () => {
    const clock = handClock()
    const waiting = withTimeout({ milliseconds: 50, clock, late: () => new Error('late') }, never)
    const refused = expect(waiting).rejects.toThrow('late')
    await clock.move(50)
    await refused
  })
})
