/**
 * `npm run sandbox -- --port 0 --seed 7 --today 20261120`: the stand-in service as a process of its own. Standard
 * output is its own; what has to be installed first is told on standard error.
 */
import { argumentsForTheApp } from './common/arguments.mjs'
import { inCheckout, projectNode } from './common/checkout.mjs'
import { main } from './common/failure.mjs'
import { run, stopAll } from './common/processes.mjs'
import { sayOnStandardError } from './common/say.mjs'
import { onLeaving } from './common/signals.mjs'
import { ensurePackages } from './setup/packages.mjs'

const file = inCheckout('src-main', 'sandbox', 'main.ts')
const args = argumentsForTheApp(process.argv.slice(2))

await main(async () => {
  sayOnStandardError()
  onLeaving(stopAll)
  await ensurePackages()
  if (!process.features.typescript) return run(projectNode, [file, ...args], { stdio: 'inherit' })
  // This Node can be the service itself: then killing this process kills the service, however it is done.
  process.argv.splice(1, process.argv.length, file, ...args)
  await import('../src-main/sandbox/main.ts')
  return Number(process.exitCode ?? 0)
})
