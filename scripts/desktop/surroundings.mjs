import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { projectNode } from '../common/checkout.mjs'
import { ended, signalGroup, start, stop, stopAll } from '../common/processes.mjs'
import { say } from '../common/say.mjs'
import { mark, sweep } from './sweep.mjs'

const inside = fileURLToPath(new URL('inside.mjs', import.meta.url))

/**
 * @typedef {object} Surroundings
 * @property {boolean} screen whether to make a virtual screen
 * @property {boolean} bus whether to make a session bus
 * @property {string} [address] the bus to use where none is made
 * @property {string | undefined} keyring the folder of a keyring to start; undefined starts none
 */

/**
 * Runs a command within the surroundings asked for and waits for its end. The screen comes first: services that the
 * bus starts need one.
 *
 * @param {Surroundings} surroundings
 * @param {readonly [string, ...string[]]} command
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} the command's exit code
 */
export async function runWithin({ screen, bus, address, keyring }, command, env) {
  const [first = '', ...rest] = [
    ...(screen ? ['xvfb-run', '-a', '-s', '-screen 0 1440x900x24'] : []),
    ...(bus ? ['dbus-run-session', '--'] : []),
    projectNode,
    inside,
    keyring ?? '',
    ...command,
  ]
  const desktop = randomUUID()
  const child = start(first, rest, {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    env: {
      ...env,
      ...(address && { DBUS_SESSION_BUS_ADDRESS: address }),
      // A screen made here has no graphics card, and GTK would load Mesa and LLVM at each start to find that out.
      ...(screen && { GDK_GL: 'disable' }),
      [mark]: desktop,
    },
  })
  leavers.add(child)
  try {
    return await ended(child)
  } finally {
    await sweep(desktop)
    signalGroup(child, 'SIGKILL')
    leavers.delete(child)
  }
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const leavers = new Set()

/**
 * Ends all that this script started. Commands within surroundings are asked first, then their surroundings are taken
 * away.
 */
export async function leaveSurroundings() {
  await Promise.all([...leavers].map((child) => stop(child, { ask: cutLifeline, timeoutMs: 12_000 })))
  await stopAll()
}

/** @param {import('node:child_process').ChildProcess} child */
function cutLifeline(child) {
  const lifeline = child.stdio[3]
  if (lifeline && 'destroy' in lifeline) lifeline.destroy()
}

/** @param {Surroundings} surroundings */
export function describe({ screen, bus, keyring }) {
  if (screen && bus)
    say('No display: the app runs on a virtual screen (Xvfb) and in a D-Bus session of its own.')
  else if (screen) say('No display: the app runs on a virtual screen (Xvfb).')
  else if (bus) say('No session bus: the app runs in a D-Bus session of its own.')
  if (keyring !== undefined) say(`No keyring service: one of its own keeps tokens, in ${keyring}.`)
}
