import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { run } from '../common/processes.mjs'

const name = 'traffic-desk'

/** What `traffic-desk --version` answers. */
export const versionSaid = /^Traffic Desk \S+, commit [0-9a-f]{12}\+?\nElectron .*\nLicences are /m

/** The files that the package put on this machine; folders that others use too are left out. */
export function installedFiles() {
  return execFileSync('dpkg-query', ['-L', name], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path.includes(name))
}

/** Whether dpkg knows the package as installed. */
export function isInstalled() {
  try {
    const format = ['-W', '-f', '${db:Status-Abbrev}', name]
    return execFileSync('dpkg-query', format, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).startsWith('ii')
  } catch {
    return false
  }
}

/** The version that dpkg knows as installed. */
export function installedVersion() {
  return execFileSync('dpkg-query', ['-W', '-f', '${Version}', name], { encoding: 'utf8' })
}

/**
 * @param {string} deb an absolute path, by which apt knows a file from a name
 * @param {readonly string[]} [options] of apt
 * @returns {Promise<number>} apt's exit code
 */
export function apt(deb, options = []) {
  return aptGet(['install', '--no-install-recommends', ...options, deb])
}

/**
 * @param {string} deb
 * @param {readonly string[]} [options]
 */
export async function install(deb, options) {
  const code = await apt(deb, options)
  if (code !== 0) throw new Error(`apt-get ended with ${code}`)
}

/** @param {'remove' | 'purge'} how purging also takes what dpkg remembers of a package */
export async function remove(how) {
  const code = await aptGet([how, name])
  if (code !== 0) throw new Error(`apt-get ended with ${code}`)
}

/** Whether dpkg still remembers the package, installed or not. */
export function isRemembered() {
  return execFileSync('dpkg-query', ['-W', '-f', '${Package}\\n'], { encoding: 'utf8' })
    .split('\n')
    .includes(name)
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return run('apt-get', ['--quiet', '--yes', ...args], { env })
}

/** @param {readonly string[]} files */
export function stillThere(files) {
  return [...files, `/opt/${name}`, `/usr/lib/${name}`].filter((file) => existsSync(file))
}
