import { existsSync, readFileSync } from 'node:fs'
import { inCheckout, projectNode } from '../common/checkout.mjs'
import { Failure } from '../common/failure.mjs'
import { step, wordsDescriptor } from '../common/say.mjs'
import { outdatedPackages } from './installed-packages.mjs'
import { npm } from './npm.mjs'

/** The oldest Node on which tools and tests run. */
export const OLDEST_NODE = 24

/**
 * Installs the project's packages where they are missing or not those of the lock file.
 * @throws {Failure} where they cannot be installed, or bring no Node for this system and this one is too old
 */
export async function ensurePackages() {
  if (projectNode === process.execPath && Number.parseInt(process.versions.node) < OLDEST_NODE)
    throw new Failure(
      `npm has no Node for this system: install Node ${OLDEST_NODE} or newer, and run this again with it.`,
    )
  if (packagesAreCurrent()) return
  await step('Installing the packages of package-lock.json', async () => {
    const code = await npm(['ci', '--loglevel=error'], { stdio: ['ignore', wordsDescriptor(), 2] })
    if (code !== 0) throw new Failure('The packages could not be installed: npm says why above.')
  })
}

function packagesAreCurrent() {
  if (!existsSync(projectNode)) return false
  try {
    const wanted = JSON.parse(readFileSync(inCheckout('package-lock.json'), 'utf8'))
    const installed = JSON.parse(readFileSync(inCheckout('node_modules', '.package-lock.json'), 'utf8'))
    return outdatedPackages(wanted, installed).length === 0
  } catch {
    return false
  }
}
