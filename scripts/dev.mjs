/**
 * `npm run dev [-- <arguments for the app>]`: opens the app and keeps building. A change of the window reloads it; any other
 * change restarts the app.
 */
import { rmSync } from 'node:fs'
import { argumentsForTheApp, electronArguments } from './common/arguments.mjs'
import { checkout, inCheckout, projectNode } from './common/checkout.mjs'
import { main } from './common/failure.mjs'
import { onLeaving } from './common/signals.mjs'
import { surroundingsOfThePerson } from './desktop/of-the-person.mjs'
import { displayPresent } from './desktop/present.mjs'
import { describe, leaveSurroundings, runWithin } from './desktop/surroundings.mjs'
import { chooseRuntime, environmentFor } from './runtime/choose.mjs'
import { ensureLibraries } from './setup/libraries.mjs'
import { ensurePackages } from './setup/packages.mjs'

await main(async () => {
  onLeaving(leaveSurroundings)
  await ensurePackages()
  await ensureLibraries(['app', 'bus', ...(displayPresent() ? [] : /** @type {const} */ (['display']))])
  const runtime = await chooseRuntime()
  // What is built from here on is no build that `npm start` may take for its own, and has no code cache.
  rmSync(inCheckout('out', '.inputs'), { force: true })
  rmSync(inCheckout('out', 'main', 'code-cache'), { recursive: true, force: true })
  const surroundings = surroundingsOfThePerson()
  if (surroundings.keyring !== undefined) await ensureLibraries(['keyring'])
  describe(surroundings)
  const rest = ['--remote-debugging-port=0', ...argumentsForTheApp(process.argv.slice(2))]
  const args = electronArguments({ folder: checkout, root: process.getuid?.() === 0, rest })
  const watching = [inCheckout('scripts', 'dev', 'watch.mjs'), runtime.executable, ...args]
  return runWithin(surroundings, [projectNode, ...watching], { ...process.env, ...environmentFor(runtime) })
})
