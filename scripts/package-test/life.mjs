import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { inCheckout } from '../common/checkout.mjs'
import { ended } from '../common/processes.mjs'
import { say } from '../common/say.mjs'
import { examine, inWords } from '../packaging/artefact/examine.mjs'
import { openArtefact } from '../packaging/artefact/open.mjs'
import { refusalOf } from '../../src-main/shell/switches.ts'
import { coreLimitOf } from '../../test/e2e/helpers/core-file.ts'
import { keepsToItsLimits } from '../../test/e2e/helpers/page-limits.ts'
import { appProcesses, sandboxFaults } from './chromium-sandbox.mjs'
import { doorFaults, letItBeDriven, outcome } from './doors.mjs'
import { connect, pageOf, startService } from './drive.mjs'
import {
  apt,
  install,
  installedFiles,
  installedVersion,
  isRemembered,
  remove,
  stillThere,
  versionSaid,
} from './installed.mjs'
import { expectInPlace, same } from './in-place.mjs'
import { until, within } from './until.mjs'
import { digests, digestsOfOurs, makeNewer, relabelled } from './versions.mjs'

/**
 * @typedef {import('./checks.mjs').Checks} Checks
 * @typedef {import('./ordinary-user.mjs').OrdinaryUser} OrdinaryUser
 */

/** @param {readonly string[]} faults */
function none(faults) {
  if (faults.length > 0) throw new Error(faults.join('; '))
}

/**
 * Opens what was made, and says how large each part of it is.
 *
 * @param {Checks} checks
 * @param {readonly string[]} files
 */
export async function lookInto(checks, files) {
  for (const file of files)
    await checks.check(`${basename(file)} holds what it should, for this system`, async () => {
      const workshop = await mkdtemp(join(tmpdir(), 'traffic-desk-artefact-'))
      try {
        const facts = await examine(await openArtefact(file, workshop))
        say(inWords(basename(file), facts))
        none(facts.faults)
      } finally {
        await rm(workshop, { recursive: true, force: true })
      }
    })
}

/**
 * A package's life on a person's computer.
 *
 * @param {Checks} checks
 * @param {OrdinaryUser} user
 * @param {string} deb
 */
export async function liveWith(checks, user, deb) {
  const state = () => join(user.profile, 'state.sqlite')
  /** @type {readonly string[]} */
  let files = []
  let earlier = ''
  /** @type {Readonly<Record<string, string>>} */
  let stored = {}
  /** @type {import('playwright-core').Page} */
  let page

  await checks.check('an earlier version installs, and a person has the data of 0.2.0', async () => {
    earlier = await relabelled(deb, '0.2.0')
    await install(earlier)
    await user.create()
    user.give(inCheckout('test', 'fixtures', 'profile-0.2.0', 'profile'), user.profile)
  })
  await checks.check('the new version installs over it, and touches no data', async () => {
    const before = digests(user.profile)
    await install(deb)
    if (installedVersion() === '0.2.0') throw new Error('the earlier version is still installed')
    same(digests(user.profile), before, 'the profile changed')
    files = installedFiles()
  })
  await checks.check('--version names version, commit and runtime, without a screen', async () => {
    const { code, said } = user.runWithoutScreen(['traffic-desk', '--version'])
    if (code !== 0 || !versionSaid.test(said)) throw new Error(`it ended with ${code} and said: ${said}`)
  })
  await checks.check('its launcher says by its name where it is not for people', async () => {
    const launcher = readFileSync('/usr/share/applications/traffic-desk.desktop', 'utf8')
    const marked = installedVersion().includes('not-for-people')
    const name = `Traffic Desk${marked ? ' (not for people)' : ''}`
    same(/^Name=(.*)$/m.exec(launcher)?.[1], name, 'it has another name')
  })
  await checks.check('its fuses stand as they should, and nothing in its surroundings opens it', async () => {
    none(await doorFaults(user))
  })
  await checks.check('it opens what 0.2.0 stored, sandboxed, and makes a backup', async () => {
    await letItBeDriven()
    const page = await pageOf(user.startApp(['--remote-debugging-port=0']))
    await page.getByText('Brücke & Söhne').first().waitFor()
    none(sandboxFaults(appProcesses(user.id)))
    const backups = join(user.profile, 'backups')
    await until('a backup', () => existsSync(backups) && readdirSync(backups).length > 0)
    await quit(user)
    expectInPlace(user.profile)
  })
  await checks.check(
    'a first run connects and shows its overview, sandboxed; a crash would leave no core file',
    async () => {
      rmSync(user.profile, { recursive: true })
      const service = await startService()
      page = await pageOf(user.startApp(['--remote-debugging-port=0']))
      await connect(page, service)
      const processes = appProcesses(user.id)
      none(sandboxFaults(processes))
      const main = processes.find(({ type }) => type === '')
      same(main && coreLimitOf(main.pid), '1', 'its main process may leave one')
    },
  )
  await checks.check('its window keeps to what came with the app, whatever runs in it', async () => {
    const log = join(user.profile, 'logs', 'traffic-desk.log')
    await keepsToItsLimits({ page, log: () => (existsSync(log) ? readFileSync(log, 'utf8') : '') })
    await quit(user)
  })
  await checks.check('apt goes back to an earlier version only when it is told to', async () => {
    if ((await apt(earlier)) === 0) throw new Error('it went back without a word')
    await install(earlier, ['--allow-downgrades'])
    same(installedVersion(), '0.2.0', 'another version is installed')
  })
  await checks.check(
    'an earlier version refuses data of a newer one, in words, and leaves it unharmed',
    async () => {
      await makeNewer(state())
      const before = digestsOfOurs(user.profile)
      await letItBeDriven()
      const page = await pageOf(user.startApp(['--remote-debugging-port=0']))
      await page.getByText('Saved by a newer version').first().waitFor()
      await quit(user)
      same(digestsOfOurs(user.profile), before, 'the profile changed')
      stored = digests(user.profile)
    },
  )
  await checks.always('the package is removed, and what is the person’s stays', async () => {
    await remove('remove')
    none(stillThere(files))
    // It has no settings of its own that dpkg would keep.
    if (isRemembered()) throw new Error('dpkg still remembers it')
    same(digests(user.profile), stored, 'the profile changed')
  })
  await checks.check('purging it instead leaves no more behind, and what is the person’s stays', async () => {
    await install(deb)
    await remove('purge')
    none(stillThere(files))
    if (isRemembered()) throw new Error('dpkg still remembers it')
    same(digests(user.profile), stored, 'the profile changed')
  })
  if (earlier !== '') await rm(join(earlier, '..'), { recursive: true, force: true })
}

/**
 * The AppImage, unpacked by itself: where it could be mounted is not asked.
 *
 * @param {Checks} checks
 * @param {OrdinaryUser} user
 * @param {string} image
 */
export async function runTheAppImage(checks, user, image) {
  const program = () => join(user.home, 'traffic-desk.AppImage')
  const environment = { APPIMAGE_EXTRACT_AND_RUN: '1' }
  await checks.check('the AppImage says its version, and refuses a door', async () => {
    user.give(image, program())
    const told = user.runWithoutScreen([program(), '--version'], environment)
    if (told.code !== 0 || !told.said.includes('Traffic Desk ')) throw new Error(JSON.stringify(told))
    const refused = await outcome(user, ['--remote-debugging-port=0'], environment, program())
    if (refused.code !== 1 || !refused.said.includes(refusalOf('--remote-debugging-port')))
      throw new Error(JSON.stringify(refused))
  })
  await checks.check('the AppImage runs for an ordinary user, sandboxed, and quits when asked', async () => {
    rmSync(user.profile, { recursive: true, force: true })
    const app = user.startApp([], environment, program())
    let said = ''
    app.stdout?.resume()
    app.stderr?.on('data', (data) => (said += String(data)))
    const faults = () => sandboxFaults(appProcesses(user.id))
    await until('it to run', () => faults().length === 0).catch((error) => {
      throw new Error(`${error.message}: ${faults().join('; ')}; it said: ${said}`)
    })
    await until('its state', () => existsSync(join(user.profile, 'state.sqlite')))
    await quit(user)
  })
}

/** @param {OrdinaryUser} user */
async function quit(user) {
  const main = appProcesses(user.id).find(({ type }) => type === '')
  if (main === undefined || user.app === undefined) throw new Error('the app is not running')
  const gone = ended(user.app)
  process.kill(main.pid, 'SIGTERM')
  const code = await within('its end', gone)
  if (code !== 0) throw new Error(`it ended with ${code}`)
}
