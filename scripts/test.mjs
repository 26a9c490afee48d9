/**
 * `npm test`: sets up, then lint, format, types, end-to-end and unit tests; what failed runs once more by itself. `node scripts/test.mjs <part> [filter …]`
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
  const parts = [...stages.flat(), ...onDemand]
  const chosen = parts.filter(({ name }) => name === asked)
  if (asked !== undefined && chosen.length === 0)
    throw new Failure(`There is no part ${asked}: ${parts.map(({ name }) => name).join(', ')}.`)
  const total = await (asked === undefined ? runAll(stages) : runAll([chosen])).catch((error) => {
    process.stderr.write(`${error instanceof Failure ? error.message : String(error)}\n`)
    return tallyOfOne(1)
  })
  say(lastLine(total))
  return total.failed === 0 ? 0 : 1
})

/** @param {typeof stages} chosen */
async function runAll(chosen) {
  const runtime = await prepare(['app', 'display', 'bus', 'keyring', 'tests'])
  // From here on tests begin the app's threads as they were built (test/helpers/app-threads.ts).
  process.env['TRAFFIC_DESK_BUILT'] = inCheckout('out', 'main')
  // Tests start hundreds of processes from the same few modules: each is compiled once.
  process.env['NODE_COMPILE_CACHE'] ??= inCheckout('.cache', 'compiled')
  return runParts(
    chosen.map((parts) =>
      parts.map(({ title, run }) => ({
        title,
        run: (files) => run({ runtime, filters: files ?? filters, sideBySide: files === undefined }),
      })),
    ),
  )
}
