import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { projectNode } from '../common/checkout.mjs'
import { Failure } from '../common/failure.mjs'
import { onThrowAwayDesktop } from './throw-away.mjs'

const stay = fileURLToPath(new URL('stay.mjs', import.meta.url))

/**
 * Makes several throw-away desktops (see throw-away.mjs) that are there at once, for work whose parts run side by side
 * and must not meet: each has a screen, a bus, a keyring and folders of its own. They go when the work is done.
 *
 * @template T
 * @param {number} count
 * @param {NodeJS.ProcessEnv} env
 * @param {(desktops: readonly Environment[]) => Promise<T>} work is given the environment of each
 * @returns {Promise<T>}
 */
export async function onDesktopsSideBySide(count, env, work) {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-side-by-side-'))
  const path = join(folder, 'socket')
  const server = createServer()
  /** @type {import('node:net').Socket[]} */
  const sockets = []
  /** @type {Promise<Environment[]>} */
  const ready = new Promise((resolve) => {
    server.on('connection', (socket) => {
      sockets.push(socket)
      if (sockets.length === count) resolve(Promise.all(sockets.map(firstLine)))
    })
  })
  await once(server.listen(path), 'listening')
  const desktops = Array.from({ length: count }, () => onThrowAwayDesktop([projectNode, stay, path], env))
  const endings = desktops.map(async (desktop) => {
    throw new Failure(`A desktop ended with code ${await desktop} before it was needed no more.`)
  })
  try {
    return await work(await Promise.race([ready, ...endings]))
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
    await Promise.allSettled(endings)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The variables that programs on a desktop find. @typedef {Readonly<Record<string, string>>} Environment */

/** @param {import('node:net').Socket} socket @returns {Promise<Environment>} */
async function firstLine(socket) {
  const [line] = await once(createInterface({ input: socket }), 'line')
  return JSON.parse(line)
}
