/**
 * `npm run package`: makes dist/traffic-desk_<version>_<architecture>.deb. `-- --fallback-for-tests` makes one also where the
 * official Electron cannot be had; it says that it is not for people.
 */
import { parseArgs } from 'node:util'
import { main } from './common/failure.mjs'
import { stopAll } from './common/processes.mjs'
import { onLeaving } from './common/signals.mjs'
import { makePackage } from './packaging/make.mjs'

await main(async () => {
  onLeaving(stopAll)
  const options = /** @type {const} */ ({ 'fallback-for-tests': { type: 'boolean' } })
  await makePackage({ fallbackForTests: parseArgs({ options }).values['fallback-for-tests'] === true })
  return 0
})
