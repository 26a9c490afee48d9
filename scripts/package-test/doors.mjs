import { createPackageWithOptions, extractAll } from '@electron/asar'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ended, run, stop } from '../common/processes.mjs'
import { unpackedFiles } from '../packaging/native-modules.mjs'
import { fuseFaults } from '../packaging/fuses.mjs'
import { refusalOf } from '../../src-main/shell/switches.ts'

const folder = '/usr/lib/traffic-desk'

/** Each ends the app with words. */
const refusedSwitches = [
  '--remote-debugging-port=0',
  '--remote-debugging-pipe',
  '--inspect=0',
  '--no-sandbox',
  '--renderer-cmd-prefix=/bin/false',
  '--js-flags=--expose-gc',
  '--load-extension=/tmp',
  '--proxy-server=127.0.0.1:1',
  '--ignore-certificate-errors',
  '--host-rules=MAP * 127.0.0.1',
  '--disable-web-security',
  ' --js-flags=--expose-gc',
]

/**
 * What is open in the installed app that should be shut.
 *
 * @param {import('./ordinary-user.mjs').OrdinaryUser} user
 * @returns {Promise<readonly string[]>} empty where all is well
 */
export async function doorFaults(user) {
  const faults = (await fuseFaults(join(folder, 'traffic-desk'))).map(
    (name) => `the fuse ${name} stands otherwise`,
  )
  for (const given of refusedSwitches) {
    const { code, said } = await outcome(user, [given], {})
    const words = refusalOf(given.trim().replace(/=.*$/, ''))
    if (code !== 1 || !said.includes(words) || said.includes('listening on'))
      faults.push(`with ${given} it ended with ${code} and said: ${said.trim()}`)
  }
  const { code, said } = await outcome(user, [], { ELECTRON_DISABLE_SANDBOX: '1' })
  if (code !== 1 || !said.includes(refusalOf('--no-sandbox')))
    faults.push(`without the sandbox, by its environment, it ended with ${code} and said: ${said.trim()}`)
  faults.push(...(await openedByEnvironment(user)))
  return faults
}

/**
 * Node would load a file named in NODE_OPTIONS before anything of the app, and run any script as plain Node.
 *
 * @param {import('./ordinary-user.mjs').OrdinaryUser} user
 */
async function openedByEnvironment(user) {
  const trap = await mkdtemp(join(tmpdir(), 'traffic-desk-trap-'))
  const sprung = join(trap, 'sprung')
  const script = join(trap, 'trap.cjs')
  try {
    await writeFile(script, `require('node:fs').writeFileSync(${JSON.stringify(sprung)}, '')`)
    await run('chmod', ['-R', 'a+rwx', trap])
    // A switch that it refuses ends it soon.
    await outcome(user, ['--inspect=0'], { NODE_OPTIONS: `--require=${script}` })
    await outcome(user, ['--inspect=0', script], { ELECTRON_RUN_AS_NODE: '1' })
    return existsSync(sprung) ? ['its environment had it run a script'] : []
  } finally {
    await rm(trap, { recursive: true, force: true })
  }
}

/**
 * Starts the app and waits for its end, which has to come by itself within half a minute.
 *
 * @param {import('./ordinary-user.mjs').OrdinaryUser} user
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} environment
 * @param {string} [program] another than the installed one
 */
export async function outcome(user, args, environment, program) {
  const app = user.startApp(args, environment, program)
  let said = ''
  app.stderr?.on('data', (data) => (said += String(data)))
  app.stdout?.resume()
  const late = setTimeout(() => void stop(app), 30_000)
  const code = await ended(app).finally(() => clearTimeout(late))
  return { code, said }
}

/** Makes the installed app one that can be driven, as root alone can: its window is to be looked at. */
export async function letItBeDriven() {
  const archive = join(folder, 'resources', 'app.asar')
  const workshop = await mkdtemp(join(tmpdir(), 'traffic-desk-driven-'))
  try {
    extractAll(archive, workshop)
    const description = join(workshop, 'package.json')
    const read = JSON.parse(await readFile(description, 'utf8'))
    await writeFile(description, JSON.stringify({ ...read, madeToBeDriven: true }))
    await createPackageWithOptions(workshop, archive, { unpack: unpackedFiles })
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}
