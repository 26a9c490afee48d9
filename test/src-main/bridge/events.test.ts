import { describe, expect, it } from 'vitest'
import { notifierOf } from '#main/bridge/events.ts'
import { eventChannel } from '#shared/bridge/channels.ts'

function window(destroyed: boolean) {
  const sent: unknown[][] = []
  return { sent, isDestroyed: () => destroyed, send: (...carried: unknown[]) => void sent.push(carried) }
}

const noLock = () => undefined

describe('telling the windows', () => {
  it('tells every window that is open at that moment', () => {
    const open = [window(false)]
    const tell = notifierOf(() => open, noLock)
    open.push(window(false))
    tell('notices/changed', { notices: [] })
    expect(open.map(({ sent }) => sent)).toEqual(
      Array.from({ length: 2 }, () => [[eventChannel, 'notices/changed', { notices: [] }]]),
    )
  })

  it('leaves out a window that has gone', () => {
    const gone = window(true)
    notifierOf(() => [gone], noLock)('notices/changed', { notices: [] })
    expect(gone.sent).toEqual([])
  })
  it('leaves out the window that shows the lock', () => {
    const [desk, lock] = [window(false), window(false)]
    const tell = notifierOf(
      () => [desk, lock],
      () => lock,
    )
    tell('notices/changed', { notices: [] })
    tell('lock/changed', { locked: true, after: 5, waitsUntil: null })
    expect(desk.sent).toHaveLength(2)
    expect(lock.sent).toEqual([])
  })
})
