/**
 * `npm run check:artefact -- <file or folder> …`: opens what people install and says what it is: version, commit, system,
 * native parts, fuses, sizes. Fails where a part is missing or made for another system.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Failure, main } from './common/failure.mjs'
import { say } from './common/say.mjs'
import { againOnProjectNode } from './setup/project-node.mjs'

await main(async () => {
  const paths = process.argv.slice(2)
  if (paths.length === 0) throw new Failure('Name what is to be checked: npm run check:artefact -- dist/…')
  const code = await againOnProjectNode()
  if (code !== undefined) return code
  let faults = 0
  for (const path of paths) faults += await check(path)
  return faults === 0 ? 0 : 1
})

/** @param {string} path */
async function check(path) {
  const { examine, inWords } = await import('./packaging/artefact/examine.mjs')
  const { openArtefact } = await import('./packaging/artefact/open.mjs')
  const workshop = await mkdtemp(join(tmpdir(), 'traffic-desk-artefact-'))
  try {
    const facts = await examine(await openArtefact(path, workshop))
    say(inWords(basename(path), facts))
    return facts.faults.length
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}
