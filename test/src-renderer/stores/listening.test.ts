import { describe, expect, it, vi } from 'vitest'
import { listeningOnce } from '#renderer/stores/listening.ts'
import { FakeDesk } from '../helpers/fake-desk.ts'

const event = { notices: [] }

describe('a bridge that is listened to once', () => {
  it('tells every listener, and none that has left', () => {
    const desk = new FakeDesk()
    const across = vi.spyOn(desk.bridge, 'on')
    const bridge = listeningOnce(desk.bridge)
    const [stays, leaves, other] = [vi.fn(), vi.fn(), vi.fn()]
    bridge.on('notices/changed', stays)
    const stop = bridge.on('notices/changed', leaves)
    bridge.on('accounts/changed', other)
    desk.emit('notices/changed', event)
    stop()
    desk.emit('notices/changed', event)
    expect(stays.mock.calls).toEqual([[event], [event]])
    expect(leaves).toHaveBeenCalledTimes(1)
    expect(other).not.toHaveBeenCalled()
    expect(across.mock.calls.map(([name]) => name)).toEqual(['notices/changed', 'accounts/changed'])
  })

  it('lets a listener leave while it is told', () => {
    const desk = new FakeDesk()
    const bridge = listeningOnce(desk.bridge)
    const after = vi.fn()
    const stop = bridge.on('notices/changed', () => stop())
    bridge.on('notices/changed', after)
    desk.emit('notices/changed', event)
    expect(after).toHaveBeenCalledTimes(1)
  })
})
