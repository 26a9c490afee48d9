import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inCheckout, projectNode } from '../common/checkout.mjs'
import { failuresIn } from './failures.mjs'
import { tallyOfVitest } from './tally.mjs'

/**
 * Runs Vitest on the project's Node, counts its tests and names those that failed.
 *
 * @param {readonly string[]} args
 * @param {(command: [string, ...string[]]) => Promise<number>} run runs a command and resolves to its exit code
 * @returns {Promise<import('./parts.mjs').Outcome>}
 */
export async function vitest(args, run) {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-tests-'))
  const report = join(folder, 'report.json')
  try {
    const code = await run([
      projectNode,
      inCheckout('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...args,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ])
    const written = read(report)
    return { tally: tallyOfVitest(written, code), said: [], failed: failuresIn(written) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
