import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { checkout, inCheckout, projectNode } from '../common/checkout.mjs'
import { Failure } from '../common/failure.mjs'
import { run } from '../common/processes.mjs'
import { step, wordsDescriptor } from '../common/say.mjs'
import { manifestOf } from './manifest.mjs'

const inputs = [
  'src-main',
  'src-preload',
  'src-renderer',
  'src-shared',
  'resources',
  'electron.vite.config.ts',
  'svelte.config.js',
  'package.json',
  'package-lock.json',
]

/** What is built in besides (src-main/updates/source.ts). */
const variables = ['TRAFFIC_DESK_UPDATE_FEED', 'TRAFFIC_DESK_UPDATE_KEY']

const record = inCheckout('out', '.inputs')
const mainScript = inCheckout('out', 'main', 'index.cjs')

/** Builds the app unless nothing has changed since the last build. */
export async function ensureBuild() {
  const given = variables.map((name) => `${name}\t${process.env[name] ?? ''}\n`).join('')
  const manifest = manifestOf(checkout, inputs) + given
  if (isOf(manifest)) return
  rmSync(record, { force: true })
  await step('Building the app', async () => {
    const code = await run(
      projectNode,
      [inCheckout('node_modules', 'electron-vite', 'bin', 'electron-vite.js'), 'build'],
      {
        cwd: checkout,
        stdio: ['ignore', wordsDescriptor(), 2],
      },
    )
    if (code !== 0) throw new Failure('The app could not be built: the reason stands above.')
    writeFileSync(record, manifest)
  })
}

/**
 * Whether what is built was built of these inputs. Whoever builds by hand leaves an older record.
 * @param {string} manifest
 */
function isOf(manifest) {
  if (!existsSync(record) || !existsSync(mainScript)) return false
  return readFileSync(record, 'utf8') === manifest && statSync(record).mtimeMs >= statSync(mainScript).mtimeMs
}
