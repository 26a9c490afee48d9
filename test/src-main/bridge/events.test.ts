import { describe, expect, it } from 'vitest'
import { notifierOf } from '../../../src-main/bridge/events.ts'
import { eventChannel } from '../../../src-shared/bridge/channels.ts'

function window(destroyed: boolean) {
  const sent: unknown[][] = []
  return { sent, isDestroyed: () => destroyed, send: (...carried: unknown[]) => void sent.push(carried) }
}

describe('telling the windows', () => {
  it('tells every window that is open at that moment', () => {
    const open = [window(false)]
    const tell = notifierOf(() => open)
    open.push(window(false))
    tell('notices/changed', { notices: [] })
    expect(open.map(({ sent }) => sent)).toEqual(
      Array.from({ length: 2 }, () => [[eventChannel, 'notices/changed', { notices: [] }]]),
    )
  })

  it('leaves out a window that has gone', () => {
    const gone = window(true)
    notifierOf(() => [gone])('notices/changed', { notices: [] })
    expect(gone.sent).toEqual([])
  })
})
