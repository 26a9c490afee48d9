/** `npm run modules`: counts, from a run, the modules that a report query enters. */
import { inCheckout, projectNode } from './common/checkout.mjs'
import { main } from './common/failure.mjs'
import { run, stopAll } from './common/processes.mjs'
import { onLeaving } from './common/signals.mjs'
import { ensurePackages } from './setup/packages.mjs'

await main(async () => {
  onLeaving(stopAll)
  await ensurePackages()
  return run(projectNode, [inCheckout('test', 'bench', 'modules-entered', 'main.ts')])
})
