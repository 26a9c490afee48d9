/**
 * `npm run check:runtime`: fails when the Electron that package.json pins gets no repairs any more. Asks no network.
 * `-- --today YYYY-MM-DD` asks for another day.
 */
import { parseArgs } from 'node:util'
import { Failure, main } from './common/failure.mjs'
import { say } from './common/say.mjs'
import { pinnedVersion, supportFault, supportedUntil } from './runtime/support.mjs'

await main(async () => {
  const { today } = parseArgs({ options: { today: { type: 'string' } } }).values
  const fault = supportFault(pinnedVersion(), today ? new Date(today) : new Date(), supportedUntil())
  if (fault !== undefined) throw new Failure(fault)
  say(`Electron ${pinnedVersion()} is in support.`)
  return 0
})
