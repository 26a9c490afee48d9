import { chooseRuntime } from '../runtime/choose.mjs'
import { ensureBuild } from './build.mjs'
import { ensureCodeCache } from './code-cache.mjs'
import { ensureLibraries } from './libraries.mjs'
import { ensurePackages } from './packages.mjs'

/**
 * Everything that must be there before the app can run: system libraries, packages, a runtime, a build. What is
 * there already costs milliseconds.
 *
 * @param {readonly import('./library-names.mjs').Purpose[]} purposes what the system is needed for
 * @returns {Promise<import('../runtime/choose.mjs').Runtime>}
 */
export async function prepare(purposes) {
  // Each of a pair waits for other things than the other: the network, the disk, a processor.
  await Promise.all([ensureLibraries(purposes), ensurePackages()])
  const [runtime] = await Promise.all([chooseRuntime(), ensureBuild()])
  // It opens a window, so it needs a virtual display.
  if (purposes.includes('display')) await ensureCodeCache(runtime)
  return runtime
}
