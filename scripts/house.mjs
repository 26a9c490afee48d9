/** `npm run house [-- <name> | --record]`: counts what keeps the code in shape; with a name, where each place is. */
import { inCheckout, projectNode } from './common/checkout.mjs'
import { main } from './common/failure.mjs'
import { run, stopAll } from './common/processes.mjs'
import { onLeaving } from './common/signals.mjs'
import { ensurePackages } from './setup/packages.mjs'

await main(async () => {
  onLeaving(stopAll)
  await ensurePackages()
  return run(projectNode, [inCheckout('scripts', 'house', 'main.ts'), ...process.argv.slice(2)])
})
