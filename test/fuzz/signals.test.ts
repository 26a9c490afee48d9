import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { createBusNotifier } from '../../src-main/shell/desktop/bus-notifier.ts'
import { busOf } from '../../src-main/shell/desktop/session-bus.ts'
import type { RawBus } from '../../src-main/shell/desktop/session-bus.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { mutateValue } from './mutate.ts'

const owner = ':1.7'
const invoked = {
  type: 4,
  sender: owner,
  path: '/org/freedesktop/Notifications',
  interface: 'org.freedesktop.Notifications',
  member: 'ActionInvoked',
  body: [1, 'save'],
}
const changed = {
  type: 4,
  sender: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
  member: 'NameOwnerChanged',
  body: ['org.freedesktop.Notifications', owner, ':1.8'],
}

it('signals of anybody do nothing but what was offered, and only where the daemon itself says so', async () => {
  const connection = new EventEmitter()
  const answers: Readonly<Record<string, unknown>> = {
    GetNameOwner: owner,
    GetCapabilities: ['actions'],
    Notify: 1,
  }
  const raw = {
    connection,
    invoke: ({ member = '' }) => Promise.resolve(answers[member]),
    addMatch: () => Promise.resolve(),
    sendSignal: () => undefined,
    close: () => Promise.resolve(),
  } as unknown as RawBus
  const acts: string[] = []
  const notifier = createBusNotifier(busOf(raw), '')
  const show = () =>
    notifier.show(
      { title: 'Ready', body: '', actions: ['save'], urgent: false },
      { handing: () => undefined, act: (action) => acts.push(action) },
    )
  await show()
  const random = randomFrom(seed)
  let heard = 0
  for (let made = 0; made < runs(5000, 100_000); made += 1) {
    let message: unknown = random() < 0.95 ? invoked : changed
    for (let times = Math.floor(random() * 3); times > 0; times -= 1) message = mutateValue(message, random)
    // The library hands on objects, whatever is in them.
    if (typeof message !== 'object' || message === null) continue
    const before = acts.length
    connection.emit('message', message)
    if (acts.length === before) continue
    heard += 1
    const { sender, path, interface: of, member } = message as typeof invoked
    expect([sender, path, of, member]).toEqual([owner, invoked.path, invoked.interface, 'ActionInvoked'])
    expect(['open', 'save', 'show-in-folder']).toContain(acts.at(-1))
  }
  expect(heard).toBeGreaterThan(0)
}, 900_000)
