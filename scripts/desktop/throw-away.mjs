import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runWithin } from './surroundings.mjs'

/**
 * Runs a command on a screen, a bus and a keyring that are made for it and thrown away after it, whatever the
 * machine has: so that every run finds the same, and leaves nothing. Elsewhere than on Linux the machine's own serve.
 *
 * @param {readonly [string, ...string[]]} command
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} the command's exit code
 */
export async function onThrowAwayDesktop(command, env) {
  if (process.platform !== 'linux')
    return runWithin({ screen: false, bus: false, keyring: undefined }, command, env)
  const keyring = mkdtempSync(join(tmpdir(), 'traffic-desk-desktop-'))
  const remove = () => rmSync(keyring, { recursive: true, force: true })
  process.once('exit', remove)
  const rest = { ...env }
  // Xvfb's screen is the one to use, and its bus comes after it.
  delete rest['WAYLAND_DISPLAY']
  try {
    return await runWithin({ screen: true, bus: true, keyring }, command, rest)
  } finally {
    remove()
    process.off('exit', remove)
  }
}
