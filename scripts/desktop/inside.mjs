/**
 * Runs within the surroundings that surroundings.mjs laid: starts a keyring if it is told to, then the command, and
 * ends both when its starter goes. Reads descriptor 3, which the starter holds open for as long as it lives: so even
 * a starter that was killed with force leaves nothing behind.
 *
 *     inside.mjs <keyring folder, or empty> <command> [argument …]
 */
import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { main } from '../common/failure.mjs'
import { ended, signalGroup, start, stop, stopAll } from '../common/processes.mjs'
import { startKeyring } from './keyring.mjs'
import { mark, sweep } from './sweep.mjs'

const [keyring = '', command = '', ...args] = process.argv.slice(2)

await main(async () => {
  const desktop = randomUUID()
  process.env[mark] = desktop
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child
  /** @type {Promise<void> | undefined} */
  let leaving
  const leave = () => {
    leaving ??= child === undefined ? Promise.resolve() : stop(child)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, leave)
  const lifeline = new Socket({ fd: 3, readable: true, writable: false })
  lifeline.on('close', leave).on('error', leave).resume()
  try {
    if (keyring !== '') await startKeyring(keyring)
    if (leaving) return 1
    child = start(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
    return await ended(child)
  } finally {
    await leaving
    await stopAll()
    await sweep(desktop)
    if (child !== undefined) signalGroup(child, 'SIGKILL')
  }
})
process.exit()
