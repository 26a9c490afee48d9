import { delimiter } from 'node:path'
import { checkout } from '../common/checkout.mjs'
import { run } from '../common/processes.mjs'

/**
 * Runs npm with the system's Node. Inside an npm script the project's own Node comes first on the PATH, and npm
 * would run on it while replacing it.
 *
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>} npm's exit code
 */
export function npm(args, options = {}) {
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(checkout))
    .join(delimiter)
  return run('npm', args, {
    cwd: checkout,
    shell: process.platform === 'win32',
    ...options,
    env: { ...process.env, PATH: path },
  })
}
