import { createPackageWithOptions } from '@electron/asar'
import { readFileSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inCheckout } from '../common/checkout.mjs'
import { Failure } from '../common/failure.mjs'
import { fuseFaults, setFuses } from './fuses.mjs'
import { copyNativeModules } from './native-modules.mjs'

/** @typedef {import('../runtime/choose.mjs').Runtime} Runtime */

/** What lies beside the archive: the system loads libraries from files alone. */
export const unpacked = '{*.node,*.so*}'

/**
 * Makes the folder that is installed: the runtime under the app's name, the app in it as one archive, and every
 * door for developers shut.
 *
 * @param {Runtime} runtime
 * @param {string} workshop an empty folder
 * @returns {Promise<string>} the bundle's folder
 */
export async function makeBundle(runtime, workshop) {
  const bundle = join(workshop, 'bundle')
  const resources = join(bundle, 'resources')
  const description = packedDescription(runtime)
  await cp(runtime.dist, bundle, { recursive: true })
  await rm(join(resources, 'app'), { recursive: true, force: true })
  await rm(join(resources, 'default_app.asar'), { force: true })
  await rename(join(bundle, 'electron'), join(bundle, description.name))

  const app = join(workshop, 'app')
  await mkdir(app)
  await writeFile(join(app, 'package.json'), JSON.stringify(description, undefined, 2))
  await cp(inCheckout('out'), join(app, 'out'), {
    recursive: true,
    filter: (file) => !file.endsWith('.inputs'),
  })
  for (const folder of [join('resources', 'icons', 'tray'), join('resources', 'third-party')])
    await cp(inCheckout(folder), join(app, folder), { recursive: true })
  await copyNativeModules(runtime, app)
  await createPackageWithOptions(app, join(resources, 'app.asar'), { unpack: unpacked })

  const executable = join(bundle, description.name)
  await setFuses(executable)
  const faults = await fuseFaults(executable)
  if (faults.length > 0) throw new Failure(`These fuses do not stand as they should: ${faults.join(', ')}.`)
  await usualModes(bundle)
  return bundle
}

/**
 * What the installed app needs to know about itself. One on the fallback says in its version what it is, and so in its
 * file's name and under About: its Electron gets no repairs any more.
 *
 * @param {Pick<Runtime, 'kind'>} runtime
 */
export function packedDescription({ kind }) {
  const { name, productName, version, description, author, license, main } = JSON.parse(
    readFileSync(inCheckout('package.json'), 'utf8'),
  )
  const desktopName = `${name}.desktop`
  const marked = kind === 'fallback' ? `${version}-not-for-people` : String(version)
  return { name, productName, version: marked, description, author, license, main, desktopName }
}

/**
 * Everybody may read, the owner alone may write: whatever the umask was when the parts were made.
 *
 * @param {string} folder
 */
async function usualModes(folder) {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await usualModes(path)
    else await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
}
