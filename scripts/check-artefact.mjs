/**
 * `npm run check:artefact -- <file or folder> …`: opens what people install and says what it is: version, commit, system,
 * native parts, fuses, sizes. Fails where a part is missing or made for another system. With `--start` first, the program is
 * started too, and has to say the version that package.json names.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Failure, main } from './common/failure.mjs'
import { say } from './common/say.mjs'
import { againOnProjectNode } from './setup/project-node.mjs'

await main(async () => {
  const given = process.argv.slice(2)
  const toStart = given[0] === '--start'
  const paths = toStart ? given.slice(1) : given
  if (paths.length === 0) throw new Failure('Name what is to be checked: npm run check:artefact -- dist/…')
  const code = await againOnProjectNode()
  if (code !== undefined) return code
  let faults = 0
  for (const path of paths) faults += await check(path, toStart)
  return faults === 0 ? 0 : 1
})

/**
 * @param {string} path
 * @param {boolean} toStart
 */
async function check(path, toStart) {
  const { examine, inWords } = await import('./packaging/artefact/examine.mjs')
  const { openArtefact } = await import('./packaging/artefact/open.mjs')
  const { startFaults } = await import('./packaging/artefact/start.mjs')
  const workshop = await mkdtemp(join(tmpdir(), 'traffic-desk-artefact-'))
  try {
    const found = await examine(await openArtefact(path, workshop))
    const faults = toStart ? [...found.faults, ...startFaults(found.program, found)] : found.faults
    say(inWords(basename(path), { ...found, faults }))
    return faults.length
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}
