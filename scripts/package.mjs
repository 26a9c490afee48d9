/**
 * `npm run package`: makes in dist/ what people install: .deb and AppImage on Linux, MSIX on Windows, dmg and zip on macOS.
 * `-- --fallback-for-tests` makes them also where the official Electron cannot be had; they say that they are not for people.
 * `-- --release` fails unless everything is signed and named that a release needs (docs/releasing.md). `-- --arch arm64`
 * makes them for another processor than this one.
 */
import { parseArgs } from 'node:util'
import { main } from './common/failure.mjs'
import { onLeaving } from './common/signals.mjs'
import { leaveSurroundings } from './desktop/surroundings.mjs'
import { makePackages } from './packaging/make.mjs'
import { againOnProjectNode } from './setup/project-node.mjs'

await main(async () => {
  onLeaving(leaveSurroundings)
  const code = await againOnProjectNode()
  if (code !== undefined) return code
  const options = /** @type {const} */ ({
    'fallback-for-tests': { type: 'boolean' },
    release: { type: 'boolean' },
    arch: { type: 'string' },
  })
  const { values } = parseArgs({ options })
  const { arch = process.arch, release = false, 'fallback-for-tests': fallbackForTests = false } = values
  await makePackages({ fallbackForTests, release, arch })
  return 0
})
