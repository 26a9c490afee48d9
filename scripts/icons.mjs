/**
 * `node scripts/icons.mjs`: draws resources/icons/<size>.png from resources/icon.svg. Needs `rsvg-convert` (on Debian
 * in the package librsvg2-bin). The pictures are kept with the sources, so only who changes the drawing needs it.
 */
import { mkdirSync } from 'node:fs'
import { inCheckout } from './common/checkout.mjs'
import { Failure, main } from './common/failure.mjs'
import { run } from './common/processes.mjs'
import { onPath } from './setup/libraries.mjs'

const sizes = [16, 32, 48, 64, 128, 256, 512]

await main(async () => {
  if (!onPath('rsvg-convert')) throw new Failure('Install rsvg-convert first (on Debian: librsvg2-bin).')
  mkdirSync(inCheckout('resources', 'icons'), { recursive: true })
  for (const size of sizes) {
    const out = inCheckout('resources', 'icons', `${size}.png`)
    const args = [
      '--width',
      String(size),
      '--height',
      String(size),
      '--output',
      out,
      inCheckout('resources', 'icon.svg'),
    ]
    if ((await run('rsvg-convert', args)) !== 0)
      throw new Failure(`The icon of ${size} pixels could not be drawn.`)
  }
  return 0
})
