/**
 * `npm test`: sets up, then lint, format, types, unit and end-to-end tests. `node scripts/test.mjs <part> [filter …]`
 * runs one part alone. With `--long` first, whatever is done many times over is done in full (test/helpers/long.ts).
 */
import { inCheckout } from './common/checkout.mjs'
import { Failure, main } from './common/failure.mjs'
import { say } from './common/say.mjs'
import { onLeaving } from './common/signals.mjs'
import { leaveSurroundings } from './desktop/surroundings.mjs'
import { prepare } from './setup/prepare.mjs'
import { onDemand, stages } from './testing/parts.mjs'
import { runParts } from './testing/run-parts.mjs'
import { lastLine, tallyOfOne } from './testing/tally.mjs'

const long = process.argv[2] === '--long'
if (long) process.env['TEST_LONG'] = '1'
const [asked, ...filters] = process.argv.slice(long ? 3 : 2)

await main(async () => {
  onLeaving(leaveSurroundings)
  const chosen =
    asked === undefined
      ? stages
      : [...stages, onDemand].map((stage) => stage.filter(({ name }) => name === asked))
  if (chosen.flat().length === 0) {
    const names = [...stages, onDemand].flat().map(({ name }) => name)
    throw new Failure(`There is no part ${asked}: ${names.join(', ')}.`)
  }
  const total = await runAll(chosen).catch((error) => {
    process.stderr.write(`${error instanceof Failure ? error.message : String(error)}\n`)
    return tallyOfOne(1)
  })
  say(lastLine(total))
  return total.failed === 0 ? 0 : 1
})

/** @param {typeof stages} chosen */
async function runAll(chosen) {
  const runtime = await prepare(['app', 'display', 'bus', 'keyring', 'tests'])
  // Tests start hundreds of processes from the same few modules: each is compiled once.
  process.env['NODE_COMPILE_CACHE'] ??= inCheckout('.cache', 'compiled')
  return runParts(
    chosen.map((stage) => stage.map(({ title, run }) => ({ title, run: () => run({ runtime, filters }) }))),
  )
}
