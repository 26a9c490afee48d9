import { constants } from 'node:os'
import { checkout, inCheckout } from '../common/checkout.mjs'
import { run } from '../common/processes.mjs'
import { onDesktopsSideBySide } from '../desktop/side-by-side.mjs'
import { environmentForTests } from '../runtime/choose.mjs'
import { check } from './checks.mjs'
import { vitest } from './vitest.mjs'

/**
 * What came of a part, and a line about each test of it that failed.
 *
 * @typedef {{ tally: import('./tally.mjs').Tally, failures: readonly string[] }} Outcome
 */

/**
 * What parts run with: which Electron, and, where a person asks for some files alone, parts of their paths.
 *
 * @typedef {{ runtime: import('../runtime/choose.mjs').Runtime, filters: readonly string[] }} Circumstances
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

/** Between end-to-end tests, which have the processors first, and what reads the sources, which nothing hurries. */
const WINDOW_PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL

/**
 * In the order in which their stages run. End-to-end tests wait most, for windows, services and what is due later: what reads
 * the sources runs in the time that they leave idle, and so do the unit tests of the window, which wait for no process and
 * no disk, and have all the patience that they need.
 * @type {readonly (readonly Part[])[]}
 */
export const stages = [
  [
    {
      name: 'e2e',
      title: 'End-to-end tests',
      run: (circumstances) =>
        onDesktops(circumstances, inCheckout('test', 'e2e', 'vitest.config.ts'), SIDE_BY_SIDE),
    },
    {
      name: 'window',
      title: 'Unit tests of the window',
      run: ({ filters }) => unitTests(['--project=window', ...filters], WINDOW_PRIORITY),
    },
    { name: 'lint', title: 'Lint', run: () => check('lint') },
    { name: 'format', title: 'Format', run: () => check('format:check') },
    { name: 'types', title: 'Types', run: () => check('types') },
    { name: 'runtime', title: 'Electron in support', run: () => check('check:runtime') },
  ],
  [
    {
      name: 'unit',
      title: 'Unit tests',
      run: ({ filters }) => unitTests(['--project=!window', ...filters]),
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
 * @type {readonly (readonly { title: string, run: () => Promise<Outcome> }[])[]}
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
      run: () =>
        // Files are left out by naming the others: projects with a list of their own hear of no `--exclude`. What follows
        // `--changed` would be taken for a commit.
        unitTests(['test/src-', 'test/scenarios/', 'test/scripts/', 'test/security/', '--changed']),
    },
  ],
]

/**
 * @param {readonly string[]} args
 * @param {number} [priority]
 */
function unitTests(args, priority) {
  return vitest(['--config', inCheckout('vitest.config.ts'), ...args], ([command, ...rest]) =>
    run(command, rest, { cwd: checkout, ...(priority !== undefined && { priority }) }),
  )
}

/**
 * Each of Vitest's workers takes the desktop of its number (test/e2e/helpers/take-desktop.ts). Elsewhere than on Linux
 * there is the machine's own alone.
 *
 * @param {Circumstances} circumstances
 * @param {string} config
 * @param {number} sideBySide how many files run at once
 */
function onDesktops({ runtime, filters }, config, sideBySide) {
  const env = { ...process.env, ...environmentForTests(runtime) }
  return onDesktopsSideBySide(process.platform === 'linux' ? sideBySide : 1, env, (desktops) =>
    vitest(['--config', config, `--maxWorkers=${desktops.length}`, ...filters], ([command, ...rest]) =>
      run(command, rest, {
        cwd: checkout,
        env: { ...env, WAYLAND_DISPLAY: undefined, TRAFFIC_DESK_DESKTOPS: JSON.stringify(desktops) },
      }),
    ),
  )
}
