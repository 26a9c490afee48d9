import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-desktop-'))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', remove)
  const rest = { ...env, ...foldersIn(folder) }
  // Xvfb's screen is the one to use, and its bus comes after it.
  delete rest['WAYLAND_DISPLAY']
  try {
    return await runWithin({ screen: true, bus: true, keyring: join(folder, 'keyring') }, command, rest)
  } finally {
    remove()
    process.off('exit', remove)
  }
}

/**
 * Where apps put what is passing, what they are set to, and downloads: an app that is killed leaves some of each, and
 * a person's own folders are not for tests to write to.
 *
 * @param {string} folder
 * @returns {NodeJS.ProcessEnv}
 */
function foldersIn(folder) {
  const passing = join(folder, 'tmp')
  const config = join(folder, 'config')
  const downloads = join(folder, 'Downloads')
  for (const each of [passing, config, downloads]) mkdirSync(each)
  writeFileSync(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${downloads}"\n`)
  return { TMPDIR: passing, XDG_CONFIG_HOME: config }
}
