import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sessionBus } from 'dbus-native'
import type { MessageBus } from 'dbus-native'
import * as v from 'valibot'
import { expect, onTestFinished } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { patience } from './patience.ts'

const run = promisify(execFile)
const name = 'org.freedesktop.Notifications'

/** What is chosen from the menu that the daemon offers for its notifications: the first line that has these words. */
const choosing = (file: string) => `#!/bin/sh\nexec grep -m 1 -F -f '${file}'\n`

const configuration = (menu: string) => `[global]
history_length = 1000
notification_limit = 0
stack_duplicates = false
dmenu = ${menu}
[urgency_normal]
timeout = 0
[urgency_critical]
timeout = 0
`

/** A notification as the daemon has it. */
export type Told = { readonly title: string; readonly body: string }

const text = v.object({ data: v.string() })
const history = v.object({
  data: v.tuple([v.array(v.object({ appname: text, summary: text, body: text }))]),
})

/** A real notification daemon (dunst) that forgets nothing and takes nothing off the screen by itself. */
export type Daemon = {
  /** How many are on the screen. */
  readonly displayed: () => Promise<number>
  /** How many wait until the person may be disturbed again. */
  readonly waiting: () => Promise<number>
  /** Clicks the only notification that is on the screen. */
  readonly click: () => Promise<void>
  /** Presses a button of the notification whose title begins so; a click is “Open”. */
  readonly press: (button: string, title: string) => Promise<void>
  readonly disturb: (may: boolean) => Promise<void>
  /** Takes all of them off the screen, and gives every one of ours that there ever was, the oldest first. */
  readonly all: () => Promise<readonly Told[]>
}

/** Puts a daemon in the place of the session's; it goes with the test. @param bus the address of another session bus */
export async function startDaemon(bus = process.env['DBUS_SESSION_BUS_ADDRESS'] ?? ''): Promise<Daemon> {
  const folder = temporaryFolder('dunst')
  const [menu, wanted, file] = ['menu', 'wanted', 'dunstrc'].map((each) => join(folder, each)) as [
    string,
    string,
    string,
  ]
  writeFileSync(menu, choosing(wanted), { mode: 0o755 })
  writeFileSync(file, configuration(menu))
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: bus }
  const ear = sessionBus({ busAddress: bus })
  const before = await ownerOf(ear)
  if (before !== null) process.kill(before)
  await expect.poll(() => ownerOf(ear), patience).toBeNull()
  const child = spawn('dunst', ['-conf', file], { stdio: 'ignore', env })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await ear.close()
  })
  await expect.poll(() => ownerOf(ear), patience).toBe(child.pid)
  const ask = async (...given: readonly string[]) => (await run('dunstctl', given, { env })).stdout

  const displayed = async () => Number(await ask('count', 'displayed'))

  return {
    displayed,
    waiting: async () => Number(await ask('count', 'waiting')),
    click: async () => {
      expect(await displayed()).toBe(1)
      await ask('action', '0')
    },
    press: async (button, title) => {
      writeFileSync(wanted, `#${button} (${title}`)
      await ask('context')
    },
    disturb: async (may) => void (await ask('set-paused', String(!may))),
    all: async () => {
      await ask('close-all')
      const [found] = v.parse(history, JSON.parse(await ask('history'))).data
      return found
        .filter(({ appname }) => appname.data === 'Traffic Desk')
        .map(({ summary, body }) => ({ title: summary.data, body: body.data }))
        .reverse()
    },
  }
}

const names = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
}

/** The process that shows notifications now; null where none does. */
async function ownerOf(bus: MessageBus): Promise<number | null> {
  const ask = (member: string) =>
    bus.invoke<unknown>({ ...names, member, signature: 's', body: [name] }, { timeout: 10_000 })
  if ((await ask('NameHasOwner')) !== true) return null
  return Number(await ask('GetConnectionUnixProcessID'))
}
