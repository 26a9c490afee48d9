import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { checkout, inCheckout } from '../common/checkout.mjs'
import { Failure } from '../common/failure.mjs'
import { say, step } from '../common/say.mjs'
import { nameOf } from '../runtime/choose.mjs'
import { packingFault } from '../runtime/support.mjs'
import { onPath } from '../setup/libraries.mjs'
import { prepare } from '../setup/prepare.mjs'

/**
 * Makes the Debian package in dist/ and says with which runtime. Throws a Failure where nobody should be given it.
 *
 * @param {{ fallbackForTests?: boolean }} [options] `fallbackForTests`: takes the fallback where there is nothing else, and
 *   marks the package as not for people
 * @returns {Promise<string>} its path
 */
export async function makePackage({ fallbackForTests = false } = {}) {
  if (!onPath('dpkg-deb'))
    throw new Failure('A .deb can be made on Debian and its kin only: dpkg-deb is missing.')
  const runtime = await prepare([])
  const fault = packingFault(runtime, { fallbackForTests, today: new Date() })
  if (fault !== undefined) throw new Failure(fault)
  // Only now: these need the project's packages.
  const { makeBundle } = await import('./bundle.mjs')
  const { makeDeb } = await import('./deb.mjs')
  const workshop = await mkdtemp(join(tmpdir(), 'traffic-desk-package-'))
  try {
    const bundle = await step('Putting the app together', () => makeBundle(runtime, workshop))
    await mkdir(inCheckout('dist'), { recursive: true })
    const deb = await step('Making the package', () => makeDeb(runtime, bundle, inCheckout('dist')))
    const size = Math.round((await stat(deb)).size / 1e6)
    say(`${relative(checkout, deb)} (${size} MB), with ${nameOf(runtime)}`)
    return deb
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}
