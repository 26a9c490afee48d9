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
import { endGroup, ended, start, stop, stopAll } from '../common/processes.mjs'
import { startKeyring } from './keyring.mjs'
import { mark, sweep } from './sweep.mjs'

const [keyring = '', command = '', ...args] = process.argv.slice(2)

await main(async () => {
  const desktop = randomUUID()
  process.env[mark] = desktop
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child
  let left = false
  const leave = async () => {
    if (left) return
    left = true
    if (child !== undefined) await stop(child)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void leave())
  const lifeline = new Socket({ fd: 3, readable: true, writable: false })
  lifeline
    .on('close', () => void leave())
    .on('error', () => void leave())
    .resume()
  try {
    if (keyring !== '') await startKeyring(keyring)
    if (left) return 1
    child = start(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
    return await ended(child)
  } finally {
    lifeline.destroy()
    await stopAll()
    sweep(desktop)
    if (child !== undefined) await endGroup(child)
  }
})
process.exit()
