import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { checkout, inCheckout } from '../common/checkout.mjs'

/** The name under which systems know the app beside its title: macOS' bundle identifier, Windows' identity. */
export const appId = 'example.traffic-desk'

/**
 * What the installed app needs to know about itself. One on the fallback says in its version what it is, and so in its
 * file's name and under About: its Electron gets no repairs any more.
 *
 * @param {{ kind: 'official' | 'fallback', commit?: string | null }} packed
 */
export function packedDescription({ kind, commit = null }) {
  const { name, productName, version, description, author, license, main } = JSON.parse(
    readFileSync(inCheckout('package.json'), 'utf8'),
  )
  const marked = kind === 'fallback' ? `${version}-not-for-people` : version
  const desktopName = `${name}.desktop`
  return {
    ...{ name, productName, version: String(marked), commit, description },
    ...{ author, license, main, desktopName },
  }
}

/** @returns {string} the version that package.json names */
export const versionOfSources = () => JSON.parse(readFileSync(inCheckout('package.json'), 'utf8')).version

/** Of what the sources are: git's commit, with `+` where they were changed since; null where git does not know. */
export function commitOfSources() {
  const ask = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: checkout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    return `${ask('rev-parse', 'HEAD')}${ask('status', '--porcelain') === '' ? '' : '+'}`
  } catch {
    return null
  }
}
