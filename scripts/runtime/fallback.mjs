import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inCheckout } from '../common/checkout.mjs'
import { cacheFolder } from '../common/folders.mjs'
import { step } from '../common/say.mjs'
import { placeOf } from './fallback-layout.mjs'
import { fetchSource } from './fallback-source.mjs'
import { unzip } from './unzip.mjs'

export const fallbackVersion = '33.2.1'

/** Counted up when the folder is made differently, so that one made by an older checkout is not taken for it. */
const recipe = 1

const folder = join(cacheFolder, `electron-${fallbackVersion}-recipe-${recipe}`)

/** The parts of the fallback runtime. */
export const fallback = {
  dist: join(folder, 'dist'),
  executable: join(folder, 'dist', 'electron'),
  /** Loaded into every process of the runtime by NODE_OPTIONS. */
  remap: join(folder, 'remap.cjs'),
  /** Holds the better-sqlite3 that runs on it, and what that needs. */
  modules: join(folder, 'modules', 'node_modules'),
}

/** The fallback exists for this kind of machine alone. */
export function fallbackSuitsThisMachine() {
  return process.platform === 'linux' && process.arch === 'x64'
}

/** Makes the fallback runtime unless it is there. It appears whole or not at all. */
export async function ensureFallback() {
  if (existsSync(fallback.executable)) return
  await mkdir(cacheFolder, { recursive: true })
  const workshop = await mkdtemp(join(cacheFolder, 'making-'))
  try {
    const download = join(workshop, 'download')
    const made = join(workshop, 'made')
    await mkdir(download)
    const archive = await step(`Fetching the fallback, Electron ${fallbackVersion} (190 MB)`, () =>
      fetchSource(download),
    )
    await step('Making the fallback runtime', () => make(archive, made))
    await rename(made, folder).catch((error) => {
      // Somebody else was quicker; theirs is as good.
      if (!existsSync(fallback.executable)) throw error
    })
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

/**
 * @param {string} archive
 * @param {string} made
 */
async function make(archive, made) {
  await unzip(archive, made, placeOf)
  const dist = join(made, 'dist')
  await writeFile(join(dist, 'version'), fallbackVersion)
  await cp(inCheckout('scripts', 'runtime', 'default-app'), join(dist, 'resources', 'app'), {
    recursive: true,
  })
  await cp(inCheckout('scripts', 'runtime', 'remap.cjs'), join(made, 'remap.cjs'))
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses')
  await flipFuses(join(dist, 'electron'), {
    version: FuseVersion.V1,
    // Its snapshot holds another program's start-up code and was left out.
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    // The end-to-end tests attach to the main process.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  })
}
