/**
 * `npm run test:package`: makes the package, installs it, uses the app as an ordinary user with Chromium's sandbox on,
 * removes it again. Changes this machine while it runs, so it wants root and Debian.
 */
import { Failure, main } from './common/failure.mjs'
import { ended, stopAll } from './common/processes.mjs'
import { say } from './common/say.mjs'
import { onLeaving } from './common/signals.mjs'
import { Checks } from './package-test/checks.mjs'
import { appProcesses, sandboxFaults } from './package-test/chromium-sandbox.mjs'
import { install, installedFiles, isInstalled, remove, stillThere } from './package-test/installed.mjs'
import { OrdinaryUser } from './package-test/ordinary-user.mjs'
import { makePackage } from './packaging/make.mjs'
import { ensureLibraries } from './setup/libraries.mjs'
import { lastLine } from './testing/tally.mjs'

await main(async () => {
  if (process.getuid?.() !== 0)
    throw new Failure('Installing a package takes root: run this where you are root.')
  if (isInstalled())
    throw new Failure('traffic-desk is installed here already, and this test would remove it.')
  const checks = new Checks()
  const user = new OrdinaryUser()
  const cleanUp = async () => {
    await user.remove().catch(() => undefined)
    if (isInstalled()) await remove()
    await stopAll()
  }
  onLeaving(cleanUp)
  try {
    await useThePackage(checks, user)
  } finally {
    await cleanUp()
  }
  say(lastLine(checks.total))
  return checks.total.failed === 0 ? 0 : 1
})

/**
 * @param {Checks} checks
 * @param {OrdinaryUser} user
 */
async function useThePackage(checks, user) {
  /** @type {string[]} */
  let files = []
  await ensureLibraries(['display', 'bus', 'keyring'])
  await checks.check('the package is made and installs', async () => {
    await install(await makePackage({ fallbackForTests: true }))
    files = installedFiles()
  })
  await checks.check('an ordinary user is there', () => user.create())
  await checks.check('its fuses stand as they should, and nothing in its surroundings opens it', async () => {
    const { doorFaults } = await import('./package-test/doors.mjs')
    const faults = await doorFaults(user)
    if (faults.length > 0) throw new Error(faults.join('; '))
  })
  await checks.check('the installed app starts, connects and shows its overview', async () => {
    const { connect, pageOf, startService } = await import('./package-test/drive.mjs')
    const service = await startService()
    const { letItBeDriven } = await import('./package-test/doors.mjs')
    await letItBeDriven()
    await connect(await pageOf(user.startApp(['--remote-debugging-port=0'])), service)
  })
  await checks.check("Chromium's sandbox is on", async () => {
    const faults = sandboxFaults(appProcesses(user.id))
    if (faults.length > 0) throw new Error(faults.join('; '))
  })
  await checks.check('the app quits when asked', () => quit(user))
  await checks.always('the package is removed and nothing of it stays', async () => {
    if (isInstalled()) await remove()
    const left = stillThere(files)
    if (left.length > 0) throw new Error(`still there: ${left.join(', ')}`)
  })
}

/** @param {OrdinaryUser} user */
async function quit(user) {
  const main = appProcesses(user.id).find(({ type }) => type === '')
  if (main === undefined || user.app === undefined) throw new Error('the app is not running')
  const gone = ended(user.app)
  process.kill(main.pid, 'SIGTERM')
  const code = await gone
  if (code !== 0) throw new Error(`it ended with ${code}`)
}
