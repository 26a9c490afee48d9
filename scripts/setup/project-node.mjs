import { projectNode } from '../common/checkout.mjs'
import { run } from '../common/processes.mjs'
import { ensurePackages, OLDEST_NODE } from './packages.mjs'

/**
 * Runs the script that calls it again on the project's own Node where it was begun on an older one: in a fresh clone npm
 * knows no other yet, and the packager wants a newer one.
 *
 * @returns {Promise<number | undefined>} the exit code; undefined where this Node will do
 */
export async function againOnProjectNode() {
  if (Number.parseInt(process.versions.node) >= OLDEST_NODE) return undefined
  await ensurePackages()
  return run(projectNode, process.argv.slice(1))
}
