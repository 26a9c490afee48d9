import { inCheckout, projectNode } from '../common/checkout.mjs'
import { main } from '../common/failure.mjs'
import { onLeaving } from '../common/signals.mjs'
import { environmentForTests } from '../runtime/choose.mjs'
import { prepare } from '../setup/prepare.mjs'
import { leaveSurroundings } from './surroundings.mjs'
import { onThrowAwayDesktop } from './throw-away.mjs'

/**
 * A whole script: prepares everything, then runs one file of the project on a throw-away desktop, with the runtime
 * named in its environment and all arguments handed on.
 *
 * @param {...string} file its path within the checkout
 */
export async function runOnDesktop(...file) {
  await main(async () => {
    onLeaving(leaveSurroundings)
    const runtime = await prepare(['app', 'display', 'bus', 'keyring', 'tests'])
    const env = { ...process.env, ...environmentForTests(runtime) }
    return onThrowAwayDesktop([projectNode, inCheckout(...file), ...process.argv.slice(2)], env)
  })
}
