import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { checkout, inCheckout } from '../common/checkout.mjs'
import { Failure } from '../common/failure.mjs'
import { say, step } from '../common/say.mjs'
import { nameOf } from '../runtime/choose.mjs'
import { packingFault } from '../runtime/support.mjs'
import { ensureLibraries } from '../setup/libraries.mjs'
import { prepare } from '../setup/prepare.mjs'
import { appImageRuntime } from './appimage-runtime.mjs'
import { commitOfSources, packedDescription } from './description.mjs'
import { missingInputs, releaseFault } from './inputs.mjs'

/**
 * @typedef {object} Wish
 * @property {boolean} [fallbackForTests] takes the fallback where there is nothing else, and marks the package as not for
 *   people
 * @property {boolean} [release] fails unless everything is there that people may be given it with
 * @property {string} [arch] for another processor than this one
 */

/**
 * Makes what is installed, in dist/, by Electron Forge, and looks into each file. Throws a Failure where nobody should be
 * given it.
 *
 * @param {Wish} [wish]
 * @param {typeof prepareHere} [prepared] gives the runtime, once everything is there that packages are made of
 * @returns {Promise<readonly string[]>} the files' paths
 */
export async function makePackages(wish = {}, prepared = prepareHere) {
  const { fallbackForTests = false, release = false, arch = process.arch } = wish
  const target = targetOf(arch)
  const onLinux = target.platform === 'linux'
  const runtime = await prepared(target)
  const commit = commitOfSources()
  const fault =
    packingFault(runtime, { fallbackForTests, today: new Date() }) ??
    (release ? releaseFault(target.platform, process.env, { kind: runtime.kind, commit }) : undefined)
  if (fault !== undefined) throw new Failure(fault)
  const ofFallback = runtime.kind === 'fallback'
  const description = packedDescription({ kind: runtime.kind, commit })
  const unsigned = !onLinux && missingInputs(target.platform, process.env).length > 0
  const workshop = await mkdtemp(join(tmpdir(), 'traffic-desk-package-'))
  process.umask(0o022)
  try {
    // Only now: these need the project's packages.
    const { forgeConfig } = await import('./forge-config.mjs')
    const { writeMsixParts } = await import('./msix.mjs')
    const { api, utils } = await import('@electron-forge/core')
    const config = forgeConfig({
      ...{ target, runtime, description, workshop, environment: process.env },
      electronZips: ofFallback ? await zipOfRuntime(runtime, join(workshop, 'electron')) : undefined,
      appImageRuntime: onLinux
        ? await appImageRuntime(process.env, ofFallback).catch(withoutAppImage(release))
        : undefined,
      msix:
        target.platform === 'win32'
          ? await writeMsixParts(workshop, {
              ...{ ...description, arch: target.arch, author: description.author.name },
              publisher: process.env['WINDOWS_PUBLISHER'] ?? `CN=${description.author.name}`,
            })
          : undefined,
    })
    utils.registerForgeConfigForDirectory(checkout, config)
    const made = await step('Making the packages', () =>
      api.make({ dir: checkout, outDir: join(workshop, 'made'), ...target }),
    )
    const files = await toDist(
      made.flatMap(({ artifacts }) => artifacts),
      { ...target, version: description.version, unsigned },
    )
    for (const file of files) {
      const size = Math.round((await stat(file)).size / 1e6)
      say(`${relative(checkout, file)} (${size} MB), with ${nameOf(runtime)}`)
    }
    return files
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

/** @param {import('./native-modules.mjs').Target} target */
async function prepareHere({ platform }) {
  if (platform === 'linux') await ensureLibraries(['packaging'])
  return prepare(['app', 'display', 'bus'])
}

/**
 * @param {string} arch
 * @returns {import('./native-modules.mjs').Target}
 */
function targetOf(arch) {
  const { platform } = process
  if (platform !== 'linux' && platform !== 'win32' && platform !== 'darwin')
    throw new Failure(`There is no package for ${platform}.`)
  if (arch !== 'x64' && arch !== 'arm64') throw new Failure(`There is no package for ${arch}.`)
  return { platform, arch }
}

/**
 * Without its runtime there is no AppImage, and the .deb all the same; a release needs both.
 *
 * @param {boolean} release
 */
const withoutAppImage = (release) => (/** @type {unknown} */ error) => {
  if (release || !(error instanceof Failure)) throw error
  say(`No AppImage: ${error.message}`)
  return undefined
}

/**
 * The fallback as the packager wants an Electron: as an archive, without the app that stands in for one in a checkout.
 *
 * @param {import('../runtime/choose.mjs').Runtime} runtime
 * @param {string} folder
 */
async function zipOfRuntime({ dist, version }, folder) {
  const { ZipFile } = await import('yazl')
  const { glob } = await import('node:fs/promises')
  await mkdir(folder)
  const zip = new ZipFile()
  for await (const entry of glob('**', { cwd: dist, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const place = relative(dist, path)
    if (entry.isDirectory() || place.startsWith(join('resources', 'app'))) continue
    zip.addFile(path, place, { compress: false, mode: (await stat(path)).mode })
  }
  zip.end()
  const name = `electron-v${version}-${process.platform}-${process.arch}.zip`
  await pipeline(zip.outputStream, createWriteStream(join(folder, name)))
  return folder
}

/**
 * Takes what was made to dist/, under names that say for what it is. Debian has a form of its own for them.
 *
 * @param {readonly string[]} artifacts
 * @param {{ platform: string, arch: string, version: string, unsigned: boolean }} named
 */
async function toDist(artifacts, { platform, arch, version, unsigned }) {
  await mkdir(inCheckout('dist'), { recursive: true })
  const system = { linux: 'linux', win32: 'windows', darwin: 'macos' }[platform]
  return Promise.all(
    artifacts.map(async (file) => {
      const ending = extname(file)
      const name = `traffic-desk-${version}-${system}-${arch}${unsigned ? '-unsigned' : ''}${ending}`
      const to = inCheckout('dist', ending === '.deb' ? basename(file) : name)
      await rename(file, to).catch(async () => {
        // Another disk.
        const { cp } = await import('node:fs/promises')
        await cp(file, to)
      })
      return to
    }),
  )
}
