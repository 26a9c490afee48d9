import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { run } from '../common/processes.mjs'

const name = 'traffic-desk'

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

/** @param {string} deb an absolute path, by which apt knows a file from a name */
export async function install(deb) {
  await aptGet(['install', '--no-install-recommends', deb])
}

export async function remove() {
  await aptGet(['purge', name])
}

/** @param {readonly string[]} args */
async function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const code = await run('apt-get', ['--quiet', '--yes', ...args], { env })
  if (code !== 0) throw new Error(`apt-get ended with ${code}`)
}

/** @param {readonly string[]} files */
export function stillThere(files) {
  return [...files, `/opt/${name}`, `/usr/lib/${name}`].filter((file) => existsSync(file))
}
