import { spawnSync } from 'node:child_process'
import { versionOfSources } from '../description.mjs'

/** How long a program may take to say its version, in milliseconds: a computer looks through a new one first. */
const longest = 120_000

/**
 * Starts a program with `--version`, which needs no screen and leaves nothing behind.
 *
 * @param {string} program
 * @param {{ version: string, commit: string | null }} facts what its package says of itself
 * @returns {readonly string[]} what is wrong: with how it ended, with what it said, with its version beside the sources'
 */
export function startFaults(program, { version, commit }) {
  const { status, signal, error, stdout } = spawnSync(program, ['--version'], {
    encoding: 'utf8',
    timeout: longest,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (error !== undefined) return [`it did not start: ${error.message}`]
  const faults = []
  if (status !== 0) faults.push(`it ended with ${status ?? signal}`)
  const said = stdout.split('\n')[0] ?? ''
  const wanted = `Traffic Desk ${version}, commit ${commit?.slice(0, 12) ?? ''}`
  if (!said.startsWith(wanted)) faults.push(`it says “${said}”, not “${wanted}”`)
  const sources = versionOfSources()
  // One that is not for people says so behind the version.
  if (version !== sources && !version.startsWith(`${sources}-`))
    faults.push(`it is ${version}, the sources are ${sources}`)
  return faults
}
