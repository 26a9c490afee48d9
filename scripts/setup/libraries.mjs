import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Failure } from '../common/failure.mjs'
import { run } from '../common/processes.mjs'
import { step, wordsDescriptor } from '../common/say.mjs'
import { debianNames, installCommand, missingDebianPackages, otherNames } from './library-names.mjs'

/** @typedef {import('./library-names.mjs').Purpose} Purpose */

/**
 * Sees to it that the system has what the given purposes need. As root on Debian and its kin it installs; elsewhere
 * it names the one command that does, and fails. macOS and Windows bring everything along.
 *
 * @param {readonly Purpose[]} purposes
 */
export async function ensureLibraries(purposes) {
  if (process.platform !== 'linux') return
  if (onPath('dpkg-query') && onPath('apt-get')) await ensureOnDebian(purposes)
  else ensureElsewhere(purposes)
}

/** @param {readonly Purpose[]} purposes */
async function ensureOnDebian(purposes) {
  const missing = missingDebianPackages(purposes, queryDpkg(purposes))
  if (missing.length === 0) return
  if (process.getuid?.() !== 0) throw askFor(installCommand('apt-get', missing.map(nameHere)))
  await step(`Installing system packages: ${missing.map((names) => names.at(-1)).join(' ')}`, async () => {
    if ((await install(missing)) === 0) return
    if ((await aptGet(['update'])) !== 0)
      throw new Failure('The lists of system packages could not be fetched.')
    if ((await install(missing)) !== 0) throw new Failure('The system packages could not be installed.')
  })
}

/** @param {readonly (readonly string[])[]} missing */
async function install(missing) {
  const names = missing.map(nameHere)
  return aptGet(['install', '--yes', '--no-install-recommends', ...names])
}

/** @param {readonly string[]} args */
function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return run('apt-get', ['--quiet', ...args], { stdio: ['ignore', wordsDescriptor(), 2], env })
}

/**
 * dpkg-query fails when it does not know a name, and still lists the others.
 *
 * @param {readonly Purpose[]} purposes
 */
function queryDpkg(purposes) {
  const names = purposes.flatMap((purpose) => debianNames[purpose]).flat()
  try {
    return execFileSync('dpkg-query', ['-W', '-f', '${Package}\t${db:Status-Abbrev}\n', ...names], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : ''
  }
}

/**
 * The first name that this release really has; with empty package lists, the oldest.
 *
 * @param {readonly string[]} names
 */
function nameHere(names) {
  return names.find((name) => names.length > 1 && aptKnows(name)) ?? names.at(-1) ?? ''
}

/** @param {string} name */
function aptKnows(name) {
  try {
    return execFileSync('apt-cache', ['show', name], { stdio: ['ignore', 'pipe', 'ignore'] }).length > 0
  } catch {
    return false
  }
}

/** @param {readonly Purpose[]} purposes */
function ensureElsewhere(purposes) {
  const shared = execFileSync('sh', ['-c', 'PATH="$PATH:/sbin:/usr/sbin" ldconfig -p || true'], {
    encoding: 'utf8',
  })
  const missing = purposes
    .flatMap((purpose) => otherNames[purpose])
    .filter(({ sign }) => (sign.includes('.so') ? !shared.includes(`${sign} `) : !onPath(sign)))
  if (missing.length === 0) return
  if (onPath('dnf'))
    throw askFor(
      installCommand(
        'dnf',
        missing.map(({ dnf }) => dnf),
      ),
    )
  if (onPath('pacman'))
    throw askFor(
      installCommand(
        'pacman',
        missing.map(({ pacman }) => pacman),
      ),
    )
  throw new Failure(
    `The system lacks ${missing.map(({ sign }) => sign).join(', ')}. Install them, then start again.`,
  )
}

/** @param {string} command */
function askFor(command) {
  return new Failure(`Some system libraries are missing. Run this once, then start again:\n\n  ${command}\n`)
}

/** @param {string} command */
export function onPath(command) {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)))
}
