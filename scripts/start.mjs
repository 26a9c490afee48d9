/**
 * `npm start [-- <arguments for the app>]`: installs what is missing, builds what has changed, opens the app.
 */
import { argumentsForTheApp, electronArguments } from './common/arguments.mjs'
import { checkout } from './common/checkout.mjs'
import { main } from './common/failure.mjs'
import { onLeaving } from './common/signals.mjs'
import { surroundingsOfThePerson } from './desktop/of-the-person.mjs'
import { displayPresent } from './desktop/present.mjs'
import { describe, leaveSurroundings, runWithin } from './desktop/surroundings.mjs'
import { environmentFor } from './runtime/choose.mjs'
import { ensureLibraries } from './setup/libraries.mjs'
import { prepare } from './setup/prepare.mjs'

await main(async () => {
  const launched = Date.now()
  onLeaving(leaveSurroundings)
  const runtime = await prepare([
    'app',
    'bus',
    ...(displayPresent() ? [] : /** @type {const} */ (['display'])),
  ])
  const surroundings = surroundingsOfThePerson()
  if (surroundings.keyring !== undefined) await ensureLibraries(['keyring'])
  describe(surroundings)
  const rest = argumentsForTheApp(process.argv.slice(2))
  const args = electronArguments({ folder: checkout, root: process.getuid?.() === 0, rest })
  return runWithin(surroundings, [runtime.executable, ...args], {
    ...process.env,
    ...environmentFor(runtime),
    TRAFFIC_DESK_LAUNCHED_AT: String(launched),
  })
})
