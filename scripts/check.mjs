/** `npm run check`: what is worth a look after each change, in less than a minute (see testing/parts.mjs). */
import { main } from './common/failure.mjs'
import { say } from './common/say.mjs'
import { onLeaving } from './common/signals.mjs'
import { leaveSurroundings } from './desktop/surroundings.mjs'
import { ensurePackages } from './setup/packages.mjs'
import { runParts } from './testing/run-parts.mjs'
import { quickStages } from './testing/parts.mjs'
import { lastLine } from './testing/tally.mjs'

await main(async () => {
  onLeaving(leaveSurroundings)
  await ensurePackages()
  const total = await runParts(quickStages)
  say(lastLine(total))
  return total.failed === 0 ? 0 : 1
})
