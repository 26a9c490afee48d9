/**
 * `node scripts/icons.mjs`: draws resources/icons/<size>.png from resources/icon.svg, puts them together as Windows and macOS want
 * an app's icon, and draws the tray's icons in its states from resources/tray/. Needs `rsvg-convert` (on Debian in the package librsvg2-bin). The pictures are kept with the sources,
 * so only who changes a drawing needs it.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inCheckout } from './common/checkout.mjs'
import { Failure, main } from './common/failure.mjs'
import { run } from './common/processes.mjs'
import { icnsOf, icoOf } from './packaging/icon-files.mjs'
import { onPath } from './setup/libraries.mjs'

const sizes = [16, 32, 48, 64, 128, 256, 512]
const states = ['idle', 'working', 'ready', 'attention']
/** Electron finds the picture for dense screens by its mark `@2x`, macOS what it may colour by the ending `Template`. */
const trayKinds = [
  { style: 'colour.css', ending: '', size: 24, from: 0 },
  { style: 'template.css', ending: 'Template', size: 18, from: 4 },
]

/** How wide the tray's drawings are. */
const trayWidth = 24

const icons = inCheckout('resources', 'icons')
const drawings = inCheckout('resources', 'tray')

/**
 * Draws a square picture.
 * @param {string} from
 * @param {string} to
 * @param {number} size
 * @param {readonly string[]} [options]
 */
async function draw(from, to, size, options = []) {
  const args = [...options, '--width', String(size), '--height', String(size), '--output', to, from]
  if ((await run('rsvg-convert', args)) !== 0) throw new Failure(`${to} could not be drawn.`)
}

await main(async () => {
  if (!onPath('rsvg-convert')) throw new Failure('Install rsvg-convert first (on Debian: librsvg2-bin).')
  mkdirSync(join(icons, 'tray'), { recursive: true })
  for (const size of sizes) {
    await draw(inCheckout('resources', 'icon.svg'), join(icons, `${size}.png`), size)
  }
  writeFileSync(join(icons, 'app.ico'), icoOf(icons))
  writeFileSync(join(icons, 'app.icns'), icnsOf(icons))
  for (const state of states) {
    for (const { style, ending, size, from } of trayKinds) {
      for (const [mark, scale] of /** @type {const} */ ([
        ['', 1],
        ['@2x', 2],
      ])) {
        const picture = join(icons, 'tray', `${state}${ending}${mark}.png`)
        // A part of the drawing may be cut out: a unit of it is a whole pixel all the same.
        const cut = [`--left=${-from * scale}px`, `--top=${-from * scale}px`]
        const page = [`--page-width=${size * scale}px`, `--page-height=${size * scale}px`]
        const options = ['--stylesheet', join(drawings, style), ...cut, ...page]
        await draw(join(drawings, `${state}.svg`), picture, trayWidth * scale, options)
      }
    }
  }
  return 0
})
