/**
 * `node scripts/with-desktop.mjs <command> [argument …]`: runs a command on a virtual screen, in a D-Bus session and
 * with an unlocked keyring, all thrown away afterwards.
 */
import { Failure, main } from './common/failure.mjs'
import { onLeaving } from './common/signals.mjs'
import { leaveSurroundings } from './desktop/surroundings.mjs'
import { onThrowAwayDesktop } from './desktop/throw-away.mjs'
import { ensureLibraries } from './setup/libraries.mjs'

await main(async () => {
  onLeaving(leaveSurroundings)
  const [command, ...args] = process.argv.slice(2)
  if (command === undefined) throw new Failure('Name a command to run.')
  await ensureLibraries(['display', 'bus', 'keyring'])
  return onThrowAwayDesktop([command, ...args], process.env)
})
