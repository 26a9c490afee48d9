import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionBus } from 'dbus-native'
import type { MessageBus } from 'dbus-native'
import { expect, onTestFinished } from 'vitest'
import { temporaryFolder } from './folders.ts'
import { pollOptions } from './poll-options.ts'

const name = 'org.freedesktop.Notifications'
const names = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
}

/** Every notification is kept, two that say the same are two, and nothing goes off the screen by itself. */
const configuration = (settings: string) => `[global]
history_length = 10000
stack_duplicates = false
${settings}
[urgency_low]
timeout = 0
[urgency_normal]
timeout = 0
[urgency_critical]
timeout = 0
`

const ask = (bus: MessageBus, member: string) =>
  bus.invoke<unknown>({ ...names, member, signature: 's', body: [name] }, { timeout: 10_000 })

/** The process that shows notifications now; null where none does. */
async function ownerOf(bus: MessageBus): Promise<number | null> {
  if ((await ask(bus, 'NameHasOwner')) !== true) return null
  return Number(await ask(bus, 'GetConnectionUnixProcessID'))
}

/** The bus that a test itself was started on. */
export const ownBus = (): string => process.env['DBUS_SESSION_BUS_ADDRESS'] ?? ''

/**
 * Puts a notification daemon (dunst) in the place of the one that a session bus has, which remembers all that it was ever
 * handed; it goes with the test.
 * @param settings further lines of its `[global]` section
 * @param address the bus
 */
export async function startOwnDaemon(settings = '', address = ownBus()): Promise<void> {
  const bus = sessionBus({ busAddress: address })
  const file = join(temporaryFolder('dunst'), 'dunstrc')
  writeFileSync(file, configuration(settings))
  onTestFinished(() => bus.close())
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: address }
  // The bus starts the desktop's own one whenever somebody asks for it and there is none.
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const before = await ownerOf(bus)
    if (before !== null) process.kill(before)
    await expect.poll(() => ownerOf(bus), pollOptions).toBeNull()
    const child = spawn('dunst', ['-conf', file], { stdio: 'ignore', env })
    const ended = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
    })
    await expect.poll(() => ownerOf(bus), pollOptions).not.toBeNull()
    if ((await ownerOf(bus)) === child.pid) return
  }
  throw new Error('There is always another daemon')
}
