import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { expect } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { ownBus, startOwnDaemon } from '../helpers/own-daemon.ts'

const run = promisify(execFile)

/** What is chosen from the menu that the daemon offers for its notifications: the first line that has these words. */
const choosing = (file: string) => `#!/bin/sh\nexec grep -m 1 -F -f '${file}'\n`

const settings = (menu: string) => `notification_limit = 0\ndmenu = ${menu}`

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
export async function startDaemon(bus = ownBus()): Promise<Daemon> {
  const folder = temporaryFolder('dunst')
  const [menu, wanted] = [join(folder, 'menu'), join(folder, 'wanted')]
  writeFileSync(menu, choosing(wanted), { mode: 0o755 })
  await startOwnDaemon(settings(menu), bus)
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: bus }
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
