import { once } from 'node:events'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { startDesk } from './app.ts'
import type { RunningDesk } from './app.ts'
import { temporaryFolder } from './folders.ts'

/** A key as Electron calls it, with what is held down. */
export type PressOwn = (keyCode: string, ...modifiers: ('control' | 'alt' | 'shift')[]) => Promise<void>

/** A desk whose keys reach the menu, too. */
export type DeskWithKeys = RunningDesk & {
  readonly pressOwn: PressOwn
  /** Shows its window at a level of Chromium's zoom: each step of the menu is half a one, and 0 is 100 %. */
  readonly zoomTo: (level: number) => Promise<void>
  /** What was copied last. */
  readonly copied: () => Promise<string>
  /** What belongs to this desk alone lies in here. */
  readonly folder: string
}

/**
 * Starts the built app with a way to press keys in its window as the system does. Keys that a driver of the page
 * presses stay in the page; these reach the keys of the app's menu.
 */
export async function startDeskWithKeys(env: Readonly<Record<string, string>> = {}): Promise<DeskWithKeys> {
  const folder = temporaryFolder('keys')
  const path = join(folder, 'keys')
  const desk = await startDesk({
    profile: join(folder, 'profile'),
    require: join(import.meta.dirname, 'own-keys.cjs'),
    env: { OWN_KEYS: path, ...env },
  })
  const socket = createConnection(path)
  await once(socket, 'connect')
  onTestFinished(() => {
    socket.destroy()
  })
  const lines = createInterface({ input: socket })
  const ask = async (what: unknown): Promise<unknown> => {
    const answer = once(lines, 'line')
    socket.write(`${JSON.stringify(what)}\n`)
    const [line]: unknown[] = await answer
    return JSON.parse(String(line))
  }
  return {
    ...desk,
    folder,
    pressOwn: async (keyCode, ...modifiers) => void (await ask({ press: { keyCode, modifiers } })),
    zoomTo: async (zoom) => void (await ask({ zoom })),
    copied: async () => String(await ask({ read: 'clipboard' })),
  }
}
