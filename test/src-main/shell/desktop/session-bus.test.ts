import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createBusNotifier } from '#main/shell/desktop/notifier.ts'
import { busOf } from '#main/shell/desktop/session-bus.ts'
import type { RawBus } from '#main/shell/desktop/session-bus.ts'

const name = 'org.freedesktop.Notifications'
const path = '/org/freedesktop/Notifications'
const bus = {
  sender: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
}
const signal = 4

/** A bus on which `:1.7` shows notifications, and on which anybody may say anything. */
function desktop() {
  const connection = new EventEmitter()
  let shown = 0
  const answers: Readonly<Record<string, () => unknown>> = {
    GetNameOwner: () => ':1.7',
    GetCapabilities: () => ['actions'],
    Notify: () => (shown += 1),
  }
  const raw = {
    connection,
    invoke: ({ member = '' }) => Promise.resolve(answers[member]?.()),
    addMatch: () => Promise.resolve(),
    sendSignal: () => undefined,
    close: () => Promise.resolve(),
  } as unknown as RawBus
  const notifier = createBusNotifier(busOf(raw), '')
  const acts: string[] = []
  const show = () =>
    notifier.show(
      { title: 'Ready', body: '', actions: ['save'], urgent: false },
      { handing: () => undefined, act: (action) => acts.push(action) },
    )
  const say = (message: object) => connection.emit('message', { type: signal, ...message })
  const invoked = { sender: ':1.7', path, interface: name, member: 'ActionInvoked', body: [1, 'save'] }
  return { acts, show, say, invoked }
}

describe('signals of the session bus', () => {
  it('are heard from the owner of the service’s name', async () => {
    const { acts, show, say, invoked } = desktop()
    await show()
    say(invoked)
    expect(acts).toEqual(['save'])
  })

  it.each([
    ['by another program', { sender: ':1.66' }],
    ['by nobody', { sender: undefined }],
    ['at another path', { path: '/elsewhere' }],
    ['on another interface', { interface: 'org.example' }],
    ['as a call', { type: 1 }],
    ['for a notification that is not ours', { body: [99, 'save'] }],
    ['for no notification at all', { body: [] }],
  ])('are not heard where they were sent %s', async (_, change) => {
    const { acts, show, say, invoked } = desktop()
    await show()
    say({ ...invoked, ...change })
    expect(acts).toEqual([])
  })

  it('say who owns a name only where the bus itself says so', async () => {
    const { acts, show, say, invoked } = desktop()
    await show()
    const taken = { ...bus, member: 'NameOwnerChanged', body: [name, ':1.7', ':1.66'] }
    say({ ...taken, sender: ':1.66' })
    say({ ...invoked, sender: ':1.66' })
    expect(acts).toEqual([])
    say(invoked)
    expect(acts).toEqual(['save'])
  })

  it('of another program that has taken the name over are not about what was shown before', async () => {
    const { acts, show, say, invoked } = desktop()
    await show()
    say({ ...bus, member: 'NameOwnerChanged', body: [name, ':1.7', ':1.8'] })
    say({ ...invoked, sender: ':1.8' })
    say(invoked)
    expect(acts).toEqual([])
    await show()
    say({ ...invoked, sender: ':1.8', body: [2, 'save'] })
    expect(acts).toEqual(['save'])
  })
})
