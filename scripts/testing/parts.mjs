import { checkout, inCheckout } from '../common/checkout.mjs'
import { run } from '../common/processes.mjs'
import { onThrowAwayDesktop } from '../desktop/throw-away.mjs'
import { environmentForTests } from '../runtime/choose.mjs'
import { npm } from '../setup/npm.mjs'
import { tallyOfOne } from './tally.mjs'
import { vitest } from './vitest.mjs'

/**
 * What came of a part, and a line about each test of it that failed.
 *
 * @typedef {{ tally: import('./tally.mjs').Tally, failures: readonly string[] }} Outcome
 */

/**
 * A part of `npm test`.
 *
 * @typedef {object} Part
 * @property {string} name what a person asks for to run it alone
 * @property {string} title
 * @property {(runtime: import('../runtime/choose.mjs').Runtime, filters: readonly string[]) => Promise<Outcome>} run
 */

/** In the order in which they run: what fails fast comes first. @type {readonly Part[]} */
export const parts = [
  {
    name: 'lint',
    title: 'Lint and format',
    run: () => check('lint'),
  },
  { name: 'types', title: 'Types', run: () => check('types') },
  { name: 'runtime', title: 'Electron in support', run: () => check('check:runtime') },
  {
    name: 'unit',
    title: 'Unit tests',
    run: (_runtime, filters) =>
      vitest(['--config', inCheckout('vitest.config.ts'), ...filters], ([command, ...args]) =>
        run(command, args, { cwd: checkout }),
      ),
  },
  {
    name: 'e2e',
    title: 'End-to-end tests',
    run: (runtime, filters) =>
      vitest(['--config', inCheckout('test', 'e2e', 'vitest.config.ts'), ...filters], (command) =>
        onThrowAwayDesktop(command, { ...process.env, ...environmentForTests(runtime) }),
      ),
  },
]

/** A check of npm's that says itself what is wrong. @param {string} script @returns {Promise<Outcome>} */
async function check(script) {
  return { tally: tallyOfOne(await npm(['run', '--silent', script])), failures: [] }
}
