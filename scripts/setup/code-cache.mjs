import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { electronArguments } from '../common/arguments.mjs'
import { checkout, inCheckout } from '../common/checkout.mjs'
import { say, step } from '../common/say.mjs'
import { runWithin } from '../desktop/surroundings.mjs'
import { environmentFor } from '../runtime/choose.mjs'

/**
 * The name of a code cache: only the Electron that made it can use it (src-main/start.ts).
 *
 * @param {{ version: string, platform: string, arch: string }} runtime
 */
export const codeCacheName = ({ version, platform, arch }) => `${version}-${platform}-${arch}`

/**
 * Starts the app once and stores V8's code cache of the scripts that ran. A build empties its folder, so a cache is never older
 * than its scripts. The app starts without one, so that a failure is only reported.
 *
 * @param {import('../runtime/choose.mjs').Runtime} runtime
 */
export async function ensureCodeCache(runtime) {
  const scripts = inCheckout('out', 'main')
  const caches = join(scripts, 'code-cache')
  const { platform, arch } = process
  const cache = join(caches, codeCacheName({ version: runtime.version, platform, arch }))
  if (existsSync(cache)) return
  mkdirSync(caches, { recursive: true })
  const part = mkdtempSync(join(caches, 'part-'))
  const profile = mkdtempSync(join(tmpdir(), 'traffic-desk-code-cache-'))
  const recorder = inCheckout('scripts', 'setup', 'record-code.cjs')
  const args = electronArguments({
    folder: checkout,
    root: process.getuid?.() === 0,
    rest: [`--user-data-dir=${profile}`],
  })
  const env = {
    ...process.env,
    ...environmentFor(runtime),
    // The app must use the screen that is made for it.
    WAYLAND_DISPLAY: undefined,
    TRAFFIC_DESK_CODE_CACHE: JSON.stringify({ from: scripts, to: part }),
  }
  const isMade = platform === 'linux'
  const surroundings = { screen: isMade, bus: isMade, keyring: undefined }
  try {
    const code = await step('Storing the code cache', () =>
      runWithin(surroundings, [runtime.executable, '-r', recorder, ...args], env),
    )
    if (code !== 0) say(`No code cache: the app ended with ${code}. It compiles its scripts at every start.`)
    // Another command may have stored one meanwhile.
    else if (!existsSync(cache)) renameSync(part, cache)
  } finally {
    rmSync(part, { recursive: true, force: true })
    rmSync(profile, { recursive: true, force: true })
  }
}
