/**
 * `npm test`: sets up, then lint, types, unit and end-to-end tests. A part that fails does not keep the next from
 * running. `node scripts/test.mjs <part> [filter …]` runs one part alone.
 */
import { Failure, main } from './common/failure.mjs'
import { say, step } from './common/say.mjs'
import { onLeaving } from './common/signals.mjs'
import { leaveSurroundings } from './desktop/surroundings.mjs'
import { prepare } from './setup/prepare.mjs'
import { parts } from './testing/parts.mjs'
import { lastLine, sum, tallyOfOne } from './testing/tally.mjs'

const [asked, ...filters] = process.argv.slice(2)

await main(async () => {
  onLeaving(leaveSurroundings)
  const chosen = parts.filter(({ name }) => asked === undefined || name === asked)
  if (chosen.length === 0)
    throw new Failure(`There is no part ${asked}: ${parts.map(({ name }) => name).join(', ')}.`)
  const tallies = await runAll(chosen).catch((error) => {
    process.stderr.write(`${error instanceof Failure ? error.message : String(error)}\n`)
    return [tallyOfOne(1)]
  })
  const total = sum(tallies)
  say(lastLine(total))
  return total.failed === 0 ? 0 : 1
})

/** @param {readonly import('./testing/parts.mjs').Part[]} chosen */
async function runAll(chosen) {
  const runtime = await prepare(['app', 'display', 'bus', 'keyring', 'tests'])
  const outcomes = []
  for (const part of chosen) {
    outcomes.push({ part, ...(await step(part.title, () => part.run(runtime, filters))) })
  }
  for (const { part, tally, failures } of outcomes) {
    say(`${tally.failed > 0 ? 'FAILED' : 'ok    '}  ${part.title}: ${lastLine(tally)}`)
    for (const failure of failures) say(`        ${failure}`)
  }
  return outcomes.map(({ tally }) => tally)
}
