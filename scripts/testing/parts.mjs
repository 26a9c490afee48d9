import { checkout, inCheckout } from '../common/checkout.mjs'
import { run } from '../common/processes.mjs'
import { onDesktopsSideBySide } from '../desktop/side-by-side.mjs'
import { environmentForTests } from '../runtime/choose.mjs'
import { check } from './checks.mjs'
import { vitest } from './vitest.mjs'

/**
 * What came of a part: its count, the tests that failed, and the last lines of a check that failed.
 *
 * @typedef {object} Outcome
 * @property {import('./tally.mjs').Tally} tally
 * @property {readonly import('./failures.mjs').FailedTest[]} failed
 * @property {readonly string[]} said
 */

/**
 * What parts run with: which Electron; where some files alone are asked for, parts of their paths; and whether files run
 * side by side or one after the other.
 *
 * @typedef {object} Circumstances
 * @property {import('../runtime/choose.mjs').Runtime} runtime
 * @property {readonly string[]} filters
 * @property {boolean} sideBySide
 */

/**
 * A part of `npm test`.
 *
 * @typedef {object} Part
 * @property {string} name what a person asks for to run it alone
 * @property {string} title
 * @property {(circumstances: Circumstances) => Promise<Outcome>} run
 */

/**
 * How many files of end-to-end tests run at once. One alone leaves more than half of two processors idle, for it waits
 * for windows, services and what is due later; three keep them busy. A fourth slows all of them down:
 * five files take 105 s with four at a time, and 91 s with three.
 */
const SIDE_BY_SIDE = 3

/**
 * In the order in which their stages run. Each stage has the processors to itself: end-to-end tests and tests of the window
 * beside each other took longer together than one after the other, and some then failed for want of time.
 * @type {readonly (readonly Part[])[]}
 */
export const stages = [
  [
    { name: 'lint', title: 'Lint', run: () => check('lint') },
    { name: 'format', title: 'Format', run: () => check('format:check') },
    { name: 'types', title: 'Types', run: () => check('types') },
    { name: 'runtime', title: 'Electron in support', run: () => check('check:runtime') },
  ],
  [
    {
      name: 'e2e',
      title: 'End-to-end tests',
      run: (circumstances) => endToEnd(circumstances),
    },
  ],
  [
    {
      name: 'window',
      title: 'Unit tests of the window',
      run: (circumstances) => unitTests(['--project=window'], circumstances),
    },
  ],
  [
    {
      name: 'unit',
      title: 'Unit tests',
      run: (circumstances) => unitTests(['--project=!window'], circumstances),
    },
  ],
]

/** What runs where it is asked for alone: it takes most of an hour on purpose. @type {readonly Part[]} */
export const onDemand = [
  {
    name: 'soak',
    title: 'Soak',
    run: (circumstances) => onDesktops(circumstances, inCheckout('test', 'soak', 'vitest.config.ts'), 1),
  },
]

/**
 * What is looked at after each change, in less than a minute: of the unit tests those that what is not committed yet
 * can break, without those that do a thing many times over.
 *
 * @type {readonly (readonly import('./run-parts.mjs').Runnable[])[]}
 */
export const quickStages = [
  [
    {
      title: 'Lint',
      run: () => check('lint', ['--cache', '--cache-location', inCheckout('.cache', 'eslint')]),
    },
    {
      title: 'Format',
      run: () => check('format:check', ['--cache', '--cache-location', inCheckout('.cache', 'prettier')]),
    },
    { title: 'Types', run: () => check('types') },
    {
      title: 'Unit tests of what changed',
      run: (files) =>
        files === undefined
          ? // Files are left out by naming the others: projects with a list of their own hear of no `--exclude`. What
            // follows `--changed` would be taken for a commit.
            unitTests(['test/src-', 'test/scenarios/', 'test/scripts/', 'test/security/', '--changed'])
          : unitTests([], { filters: files, sideBySide: false }),
    },
  ],
]

/**
 * @param {readonly string[]} args
 * @param {Pick<Circumstances, 'filters' | 'sideBySide'>} [circumstances]
 * @param {NodeJS.ProcessEnv} [env] added to the surroundings
 */
export function unitTests(args, { filters, sideBySide } = { filters: [], sideBySide: true }, env = {}) {
  const workers = sideBySide ? [] : ['--maxWorkers=1']
  return vitest(
    ['--config', inCheckout('vitest.config.ts'), ...args, ...workers, ...filters],
    ([command, ...rest]) => run(command, rest, { cwd: checkout, env: { ...process.env, ...env } }),
  )
}

/**
 * @param {Circumstances} circumstances
 * @param {readonly string[]} [before] a command that runs what follows it
 */
export function endToEnd(circumstances, before = []) {
  return onDesktops(circumstances, inCheckout('test', 'e2e', 'vitest.config.ts'), SIDE_BY_SIDE, before)
}

/**
 * Each of Vitest's workers takes the desktop of its number (test/e2e/helpers/take-desktop.ts). Elsewhere than on Linux
 * there is the machine's own alone.
 *
 * @param {Circumstances} circumstances
 * @param {string} config
 * @param {number} atOnce how many files run at once where they run side by side
 * @param {readonly string[]} [before] a command that runs what follows it
 */
function onDesktops({ runtime, filters, sideBySide }, config, atOnce, before = []) {
  const env = { ...process.env, ...environmentForTests(runtime) }
  return onDesktopsSideBySide(process.platform === 'linux' && sideBySide ? atOnce : 1, env, (desktops) =>
    vitest(['--config', config, `--maxWorkers=${desktops.length}`, ...filters], (node) => {
      const [command, ...rest] = /** @type {[string, ...string[]]} */ ([...before, ...node])
      return run(command, rest, {
        cwd: checkout,
        env: { ...env, WAYLAND_DISPLAY: undefined, TRAFFIC_DESK_DESKTOPS: JSON.stringify(desktops) },
      })
    }),
  )
}
