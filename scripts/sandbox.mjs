/**
 * `npm run sandbox -- --port 0 --seed 7 --today 20261120`: the stand-in service as a process of its own. Standard
 * output is its own; what has to be installed first is told on standard error.
 */
import { inCheckout, projectNode } from './common/checkout.mjs'
import { argumentsForTheApp } from './common/arguments.mjs'
import { main } from './common/failure.mjs'
import { run, stopAll } from './common/processes.mjs'
import { sayOnStandardError } from './common/say.mjs'
import { onLeaving } from './common/signals.mjs'
import { ensurePackages } from './setup/packages.mjs'

await main(async () => {
  sayOnStandardError()
  onLeaving(stopAll)
  await ensurePackages()
  const file = inCheckout('src-main', 'sandbox', 'main.ts')
  return run(projectNode, [file, ...argumentsForTheApp(process.argv.slice(2))], { stdio: 'inherit' })
})
