import { describe, expect, it } from 'vitest'
import { HeldEvents, notifierOf } from '#main/bridge/events.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { eventChannel } from '#shared/bridge/channels.ts'

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

describe('locked windows', () => {
  const [one, other] = ['one' as AccountId, 'other' as AccountId]

  it('are told nothing, and once they are open the newest of each', () => {
    const told: unknown[] = []
    let locked = true
    const { notify, release } = heldFor(told, () => locked)
    notify('raw/changed', { account: one })
    notify('notices/changed', { notices: [] })
    notify('raw/changed', { account: other })
    notify('raw/changed', { account: one })
    notify('reports/progress', { account: one, key: 'q', done: 1, of: 9, unit: 'days' })
    notify('reports/progress', { account: one, key: 'q', done: 2, of: 9, unit: 'days' })
    notify('downloads/changed', { changed: [], removed: [], reordered: false })
    notify('desk/command', { command: 'refresh' })
    expect(told).toEqual([])
    locked = false
    release()
    expect(told).toEqual([
      ['notices/changed', { notices: [] }],
      ['raw/changed', { account: other }],
      ['raw/changed', { account: one }],
      ['reports/progress', { account: one, key: 'q', done: 2, of: 9, unit: 'days' }],
      // What changed of it meanwhile is asked for.
      ['downloads/changed', { changed: [], removed: [], reordered: true }],
    ])
    release()
    expect(told).toHaveLength(5)
  })

  it('are told of the lock itself', () => {
    const told: unknown[] = []
    heldFor(told, () => true).notify('lock/changed', { locked: true, after: 5, waitsUntil: null })
    expect(told).toHaveLength(1)
  })
})

function heldFor(told: unknown[], locked: () => boolean) {
  const held = new HeldEvents((name, carried) => void told.push([name, carried]), locked)
  return { notify: held.notify, release: () => held.release() }
}
