import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { electronArguments } from '../common/arguments.mjs'
import { checkout, inCheckout } from '../common/checkout.mjs'
import { say, step } from '../common/say.mjs'
import { runWithin } from '../desktop/surroundings.mjs'
import { environmentFor } from '../runtime/choose.mjs'

/**
 * Keeps what V8 compiled during one start of the app, for all later ones (src-main/start.ts). V8 takes it only from the
 * Electron that runs it. A build empties its folder, so a cache is never older than its scripts.
 *
 * @param {import('../runtime/choose.mjs').Runtime} runtime
 */
export async function ensureCodeCache(runtime) {
  const scripts = inCheckout('out', 'main')
  const cache = join(scripts, 'code-cache', `${runtime.version}-${process.platform}-${process.arch}`)
  if (existsSync(cache)) return
  const part = `${cache}.part`
  const profile = mkdtempSync(join(tmpdir(), 'traffic-desk-code-cache-'))
  const onLinux = process.platform === 'linux'
  const args = electronArguments({
    folder: checkout,
    root: process.getuid?.() === 0,
    rest: [`--user-data-dir=${profile}`],
  })
  const recorder = inCheckout('scripts', 'setup', 'record-code.cjs')
  const env = {
    ...process.env,
    ...environmentFor(runtime),
    // The screen that is made for it is the one to use.
    WAYLAND_DISPLAY: undefined,
    TRAFFIC_DESK_CODE_CACHE: JSON.stringify({ from: scripts, to: part }),
  }
  try {
    const code = await step('Keeping what V8 compiles at a start', () =>
      runWithin(
        { screen: onLinux, bus: onLinux, keyring: undefined },
        [runtime.executable, '-r', recorder, ...args],
        env,
      ),
    )
    if (code === 0 && existsSync(part)) renameSync(part, cache)
    else say(`The app will compile its scripts at every start: the one to learn from ended with ${code}.`)
  } finally {
    rmSync(part, { recursive: true, force: true })
    rmSync(profile, { recursive: true, force: true })
  }
}
