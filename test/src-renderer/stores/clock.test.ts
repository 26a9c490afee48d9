import { expect, it } from 'vitest'
import { WindowClock } from '#renderer/stores/clock.svelte.ts'
import type { ClockWindow } from '#renderer/stores/clock.svelte.ts'

/** A window whose time passes by hand: timers ring at their time, or a millisecond too early. */
function view(start: string, early = 0) {
  let now = Date.parse(start)
  let timers: { readonly at: number; readonly ring: () => void }[] = []
  let look: () => void = () => undefined
  const window = {
    setTimeout: (ring: () => void, wait: number) =>
      timers.push({ at: now + Math.max(1, wait - early), ring }),
    addEventListener: (_: string, listener: () => void) => (look = listener),
  } as unknown as ClockWindow
  return {
    clock: new WindowClock(window, () => now),
    pass: (milliseconds: number) => {
      const end = now + milliseconds
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)
        if (!next) break
        timers = timers.filter((each) => each !== next)
        now = next.at
        next.ring()
      }
      now = end
    },
    /** The machine slept: no timer rang meanwhile. */
    sleep: (milliseconds: number) => (now += milliseconds),
    look: () => look(),
  }
}

it.each([
  ['UTC', '2026-11-20T23:59:13.250Z', 46_750, '2026-11-20', '2026-11-21'],
  ['Asia/Kathmandu', '2026-11-20T18:14:59.999Z', 1, '2026-11-20', '2026-11-21'],
  ['America/New_York', '2026-11-01T03:59:00Z', 60_000, '2026-10-31', '2026-11-01'],
  ['Pacific/Chatham', '2026-11-20T10:14:30Z', 30_000, '2026-11-20', '2026-11-21'],
])('is another day in %s within a second of its midnight', (zone, start, until, before, after) => {
  for (const early of [0, 1]) {
    const { clock, pass } = view(start, early)
    expect(clock.today(zone)).toBe(before)
    pass(until - 1)
    expect(clock.today(zone)).toBe(before)
    pass(1_000)
    expect(clock.today(zone)).toBe(after)
  }
})

it('is right at once when the window is looked at after a sleep', () => {
  const { clock, sleep, look } = view('2026-11-20T23:00:00Z')
  sleep(3 * 3_600_000)
  expect(clock.today('UTC')).toBe('2026-11-20')
  look()
  expect(clock.today('UTC')).toBe('2026-11-21')
})

it('says the day in UTC where the machine does not know the zone', () => {
  expect(view('2026-11-20T23:00:00Z').clock.today('Nowhere/At_All')).toBe('2026-11-20')
})
