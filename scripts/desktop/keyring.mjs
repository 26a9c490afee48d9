import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../common/failure.mjs'
import { start } from '../common/processes.mjs'
import { callBus } from './present.mjs'

/** How long the keyring may take to answer, in ms. */
const limit = 10_000

/**
 * Starts gnome-keyring on the session bus of this process, unlocked, with a keyring in a folder of its own. A
 * person's keyrings are never opened: the daemon looks for them in that folder. The same folder gives the same keyring
 * the next time.
 *
 * @param {string} folder made if it is missing; nobody else may look into it
 */
export async function startKeyring(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const control = mkdtempSync(join(tmpdir(), 'traffic-desk-keyring-'))
  process.once('exit', () => rmSync(control, { recursive: true, force: true }))
  const child = start(
    'gnome-keyring-daemon',
    ['--foreground', '--unlock', '--components=secrets', `--control-directory=${control}`],
    { stdio: ['pipe', 'ignore', 'ignore'], env: { ...process.env, XDG_DATA_HOME: join(folder, 'data') } },
  )
  child.stdin?.end(keyOf(folder))
  await answering(child)
}

/**
 * The keyring's password: made once, readable by its owner alone.
 *
 * @param {string} folder
 */
function keyOf(folder) {
  const file = join(folder, 'key')
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return readFileSync(file, 'utf8')
}

/** @param {import('node:child_process').ChildProcess} child */
async function answering(child) {
  const address = process.env['DBUS_SESSION_BUS_ADDRESS'] ?? ''
  const until = Date.now() + limit
  while (!callBus(address, 'NameHasOwner', 'string:org.freedesktop.secrets')?.endsWith('true')) {
    if (child.exitCode !== null || Date.now() > until) throw new Failure('gnome-keyring did not start.')
    await pause(15)
  }
}
