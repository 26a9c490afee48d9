import { existsSync, readFileSync } from 'node:fs'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inCheckout, projectNode } from '../common/checkout.mjs'
import { cacheFolder } from '../common/folders.mjs'
import { ended, signalGroup, start } from '../common/processes.mjs'
import { step, wordsDescriptor } from '../common/say.mjs'

/** How long to wait for a first answer from the download's host, in ms. */
const knockLimit = 6_000
/** How long the download itself may take, in ms. */
const downloadLimit = 10 * 60_000
/** For how long a failed attempt is not repeated, in ms. */
const memory = 24 * 60 * 60_000

const packageFolder = inCheckout('node_modules', 'electron')

/** The version that package.json pins. */
export function officialVersion() {
  return String(JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version)
}

/**
 * The folder of the official runtime, if it was downloaded whole: the installer writes `path.txt` last.
 *
 * @returns {{ dist: string, executable: string } | undefined}
 */
export function officialRuntime() {
  const pathFile = join(packageFolder, 'path.txt')
  if (!existsSync(pathFile)) return undefined
  const dist = join(packageFolder, 'dist')
  const executable = join(dist, readFileSync(pathFile, 'utf8'))
  return existsSync(executable) ? { dist, executable } : undefined
}

const failureNote = () => join(cacheFolder, `electron-${officialVersion()}-not-reachable`)

/** Whether a download failed not long ago. */
export async function failedLately() {
  const note = await stat(failureNote()).catch(() => undefined)
  return note !== undefined && Date.now() - note.mtimeMs < memory
}

/**
 * Lets Electron's own installer download its runtime, and remembers where that fails.
 */
export async function downloadOfficial() {
  await step(`Fetching Electron ${officialVersion()}`, async () => {
    if ((await hostAnswers()) && (await install())) return
    await mkdir(cacheFolder, { recursive: true })
    await writeFile(failureNote(), '')
  })
}

/** With a proxy or a mirror of one's own, knocking at the usual host says nothing. */
async function hostAnswers() {
  const detours = [
    'HTTPS_PROXY',
    'https_proxy',
    'ELECTRON_MIRROR',
    'npm_config_electron_mirror',
    'ELECTRON_GET_USE_PROXY',
  ]
  if (detours.some((name) => process.env[name])) return true
  try {
    await fetch('https://github.com/electron/electron/releases', {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(knockLimit),
    })
    return true
  } catch {
    return false
  }
}

async function install() {
  const env = { ...process.env }
  delete env['ELECTRON_OVERRIDE_DIST_PATH']
  const child = start(projectNode, [join(packageFolder, 'install.js')], {
    stdio: ['ignore', wordsDescriptor(), 2],
    env,
  })
  const limit = setTimeout(() => signalGroup(child, 'SIGKILL'), downloadLimit)
  const code = await ended(child).finally(() => clearTimeout(limit))
  return code === 0 && officialRuntime() !== undefined
}
