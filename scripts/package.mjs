/** `npm run package`: makes dist/traffic-desk_<version>_<architecture>.deb. */
import { main } from './common/failure.mjs'
import { stopAll } from './common/processes.mjs'
import { onLeaving } from './common/signals.mjs'
import { makePackage } from './packaging/make.mjs'

await main(async () => {
  onLeaving(stopAll)
  await makePackage()
  return 0
})
