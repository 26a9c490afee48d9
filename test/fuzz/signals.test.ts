import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { createBusNotifier } from '#main/shell/desktop/notifier.ts'
import { busOf } from '#main/shell/desktop/session-bus.ts'
import type { RawBus } from '#main/shell/desktop/session-bus.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { mutateValue } from './mutate.ts'

const owner = ':1.7'
const other = ':1.8'
const invoked = {
  type: 4,
  sender: owner,
  path: '/org/freedesktop/Notifications',
  interface: 'org.freedesktop.Notifications',
  member: 'ActionInvoked',
  body: [1, 'save'],
}
const changedTo = (now: string) => ({
  type: 4,
  sender: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
  member: 'NameOwnerChanged',
  body: ['org.freedesktop.Notifications', owner, now],
})
/** What a daemon may name, and what becomes of it: nothing where it was not offered. */
const offered: Readonly<Record<string, string>> = { default: 'open', save: 'save' }
const details = [...Object.keys(offered), 'open', 'show-in-folder']

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
  const random = randomFrom(seed)
  const messages = runs(5000, 100_000)
  /** Whether another daemon has the name: the first one is not believed then. */
  let isAway = false
  let heard = 0
  for (let made = 0; made < messages; made += 1) {
    // However little is left of it, there is a daemon again, and something that it shows.
    if (made % 20 === 0) {
      connection.emit('message', changedTo(owner))
      await show()
      isAway = false
    }
    const detail = details[Math.floor(random() * details.length)] ?? ''
    const sound = random() < 0.95 ? { ...invoked, body: [1, detail] } : changedTo(other)
    let message: unknown = sound
    for (let times = Math.floor(random() * 3); times > 0; times -= 1) message = mutateValue(message, random)
    // The library hands on objects, whatever is in them.
    if (typeof message !== 'object' || message === null) continue
    if (message === sound && sound.member === 'NameOwnerChanged') isAway = true
    const before = acts.length
    connection.emit('message', message)
    if (acts.length === before) continue
    heard += 1
    const { sender, path, interface: of, member, body } = message as typeof invoked
    expect([sender, path, of, member]).toEqual([owner, invoked.path, invoked.interface, 'ActionInvoked'])
    expect(isAway).toBe(false)
    expect(acts.slice(before)).toEqual([offered[String(body[1])]])
  }
  console.log(`${heard} of ${messages} signals heard`)
  expect(heard).toBeGreaterThan(messages / 10)
}, 900_000)
