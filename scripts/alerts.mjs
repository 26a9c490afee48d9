/** `npm run alerts -- --days <CSV> --settled <days> --today <YYYYMMDD>`: what the app would have told, from a file of days. */
import { inCheckout, projectNode } from './common/checkout.mjs'
import { main } from './common/failure.mjs'
import { run, stopAll } from './common/processes.mjs'
import { sayOnStandardError } from './common/say.mjs'
import { onLeaving } from './common/signals.mjs'
import { ensurePackages } from './setup/packages.mjs'

await main(async () => {
  onLeaving(stopAll)
  sayOnStandardError()
  await ensurePackages()
  return run(projectNode, [inCheckout('scripts', 'alerts', 'main.ts'), ...process.argv.slice(2)])
})
