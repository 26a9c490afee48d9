import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { say } from '../common/say.mjs'
import { npm } from '../setup/npm.mjs'
import { tallyOfOne } from './tally.mjs'

/** So many lines, the last ones, are said again at the end of a run for a check that failed. */
const LINES_AGAIN = 15

/**
 * Runs a script of package.json that checks the sources: it counts as one test. Several run at once, so what each says
 * is said in one piece when it has ended.
 *
 * @param {string} script
 * @param {readonly string[]} [args]
 * @returns {Promise<import('./parts.mjs').Outcome>}
 */
export async function check(script, args = []) {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-check-'))
  const file = join(folder, 'said.txt')
  const output = openSync(file, 'w')
  try {
    const code = await npm(['run', '--silent', script, '--', ...args], {
      stdio: ['ignore', output, output],
    })
    const said = readFileSync(file, 'utf8').trimEnd()
    if (said !== '') say(said)
    const lines = code === 0 || said === '' ? [] : said.split('\n').slice(-LINES_AGAIN)
    return { tally: tallyOfOne(code), said: lines, failed: [] }
  } finally {
    closeSync(output)
    rmSync(folder, { recursive: true, force: true })
  }
}
