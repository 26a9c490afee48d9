import { describe, expect, it } from 'vitest'
import { forwardEvents, notifierOf } from '#main/bridge/events.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { usualSettings } from '#shared/app/settings.ts'
import { eventChannel } from '#shared/bridge/channels.ts'
import type { AccountId } from '#shared/values/ids.ts'

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

it('tells windows what they may hear, as the bridge has it, and nothing that is for modules alone', () => {
  const events = new AppEvents()
  const told: unknown[] = []
  forwardEvents(events, (name, carried) => told.push([name, carried]))
  const account = 'one' as AccountId
  events.emit({ kind: 'rows/changed', account })
  events.emit({ kind: 'settings/changed', settings: usualSettings, changed: ['theme'] })
  events.emit({ kind: 'updates/changed', state: { kind: 'without-feed' } })
  events.emit({ kind: 'raw/list-stored', account })
  events.emit({ kind: 'worker/ended', worker: 'engine', cause: new Error('out of memory') })
  expect(told).toEqual([
    ['rows/changed', { account }],
    ['settings/changed', usualSettings],
    ['updates/changed', { kind: 'without-feed' }],
  ])
})
