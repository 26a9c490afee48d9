/**
 * `npm run test:package`: makes the packages, looks into them, and goes through a package's life as an ordinary user with
 * Chromium's sandbox on: an upgrade from 0.2.0 with its data, a first run, a downgrade, removal, purge; then the AppImage.
 * Changes this machine while it runs, so it wants root and Debian.
 */
import { Failure, main } from './common/failure.mjs'
import { stopAll } from './common/processes.mjs'
import { say, step } from './common/say.mjs'
import { onLeaving } from './common/signals.mjs'
import { Checks } from './package-test/checks.mjs'
import { isInstalled, remove } from './package-test/installed.mjs'
import { OrdinaryUser } from './package-test/ordinary-user.mjs'
import { makePackages } from './packaging/make.mjs'
import { ensureLibraries } from './setup/libraries.mjs'
import { againOnProjectNode } from './setup/project-node.mjs'
import { lastLine } from './testing/tally.mjs'

await main(async () => {
  if (process.getuid?.() !== 0)
    throw new Failure('Installing a package takes root: run this where you are root.')
  if (isInstalled())
    throw new Failure('traffic-desk is installed here already, and this test would remove it.')
  const code = await againOnProjectNode()
  if (code !== undefined) return code
  const checks = new Checks()
  const user = new OrdinaryUser()
  const cleanUp = async () => {
    await user.remove().catch(() => undefined)
    if (isInstalled()) await remove('purge')
    await stopAll()
  }
  onLeaving(cleanUp)
  try {
    await ensureLibraries(['display', 'bus', 'keyring'])
    const files = await step('Making what is to be tried', () => makePackages({ fallbackForTests: true }))
    const { lookInto, liveWith, runTheAppImage } = await import('./package-test/life.mjs')
    await lookInto(checks, files)
    await liveWith(checks, user, ending(files, '.deb'))
    await runTheAppImage(checks, user, ending(files, '.AppImage'))
  } finally {
    await cleanUp()
  }
  say(lastLine(checks.total))
  return checks.total.failed === 0 ? 0 : 1
})

/**
 * @param {readonly string[]} files
 * @param {string} end
 */
function ending(files, end) {
  const file = files.find((each) => each.endsWith(end))
  if (file === undefined) throw new Failure(`No ${end} was made.`)
  return file
}
