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

/**
 * Starts the built app with a way to press keys in its window as the system does. Keys that a driver of the page
 * presses stay in the page; these reach the keys of the app's menu.
 */
export async function startDeskWithKeys(
  env: Readonly<Record<string, string>> = {},
): Promise<RunningDesk & { readonly pressOwn: PressOwn; readonly folder: string }> {
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
  const pressOwn: PressOwn = async (keyCode, ...modifiers) => {
    socket.write(`${JSON.stringify({ keyCode, modifiers })}\n`)
    await once(lines, 'line')
  }
  return { ...desk, pressOwn, folder }
}
