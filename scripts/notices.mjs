/**
 * `npm run notices`: writes what the app is made of beside its own sources, for people (`notices.txt`) and for programs
 * (`sbom.cdx.json`, CycloneDX). Fails where a licence is not on the list. To be run when a package changes.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout, inCheckout } from './common/checkout.mjs'
import { main } from './common/failure.mjs'
import { say } from './common/say.mjs'
import { billOf, noticesOf, partsOf } from './notices/third-party.mjs'

await main(async () => {
  const folder = inCheckout(join('resources', 'third-party'))
  mkdirSync(folder, { recursive: true })
  const parts = partsOf(checkout)
  const { version } = JSON.parse(readFileSync(inCheckout('package.json'), 'utf8'))
  writeFileSync(join(folder, 'notices.txt'), noticesOf(parts))
  writeFileSync(join(folder, 'sbom.cdx.json'), billOf(parts, version))
  say(`${parts.length} packages; their licences are on the list.`)
  return 0
})
