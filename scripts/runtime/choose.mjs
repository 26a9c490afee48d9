import { requireOption } from '../common/arguments.mjs'
import { Failure } from '../common/failure.mjs'
import { say } from '../common/say.mjs'
import { ensureFallback, fallback, fallbackSuitsThisMachine, fallbackVersion } from './fallback.mjs'
import { downloadOfficial, failedLately, officialRuntime, officialVersion } from './official.mjs'

/**
 * @typedef {object} Runtime
 * @property {'official' | 'fallback'} kind
 * @property {string} version Electron's version
 * @property {string} dist the folder of Electron's distribution
 * @property {string} executable
 * @property {string | undefined} remap a file to load into each of its processes
 * @property {string | undefined} modules a node_modules folder with native packages built for it
 */

/**
 * The Electron to run on: the official one where it is or can be downloaded, the fallback otherwise. Says which.
 *
 * @returns {Promise<Runtime>}
 */
export async function chooseRuntime() {
  const runtime = await find()
  say(`Runtime: ${nameOf(runtime)}`)
  return runtime
}

/** @param {Runtime} runtime */
export function nameOf({ kind, version }) {
  return kind === 'official'
    ? `Electron ${version} (official)`
    : `Electron ${version} (fallback from the npm registry)`
}

/** @returns {Promise<Runtime>} */
async function find() {
  const there = officialRuntime()
  if (there !== undefined) return official(there)
  const skip = fallbackSuitsThisMachine() && (await failedLately())
  if (!skip) {
    await downloadOfficial()
    const fresh = officialRuntime()
    if (fresh !== undefined) return official(fresh)
    say(`Electron ${officialVersion()} cannot be downloaded from here.`)
  }
  if (!fallbackSuitsThisMachine()) {
    throw new Failure(
      `Electron ${officialVersion()} could not be downloaded, and there is no other for this machine.`,
    )
  }
  await ensureFallback()
  const { dist, executable, remap, modules } = fallback
  return { kind: 'fallback', version: fallbackVersion, dist, executable, remap, modules }
}

/**
 * @param {{ dist: string, executable: string }} found
 * @returns {Runtime}
 */
function official({ dist, executable }) {
  return {
    kind: 'official',
    version: officialVersion(),
    dist,
    executable,
    remap: undefined,
    modules: undefined,
  }
}

/**
 * The environment that a process of this runtime needs.
 *
 * @param {Runtime} runtime
 * @returns {Record<string, string>}
 */
export function environmentFor({ remap }) {
  return remap === undefined ? {} : { NODE_OPTIONS: requireOption(process.env['NODE_OPTIONS'], remap) }
}

/**
 * What tests and measurements that start the app themselves are told. NODE_OPTIONS is for the app alone: the tests
 * run on a Node that must not have it.
 *
 * @param {Runtime} runtime
 * @returns {Record<string, string>}
 */
export function environmentForTests(runtime) {
  return {
    ELECTRON_OVERRIDE_DIST_PATH: runtime.dist,
    ELECTRON_EXEC_PATH: runtime.executable,
    TRAFFIC_DESK_NODE_OPTIONS: environmentFor(runtime)['NODE_OPTIONS'] ?? '',
    TRAFFIC_DESK_RUNTIME: nameOf(runtime),
  }
}
