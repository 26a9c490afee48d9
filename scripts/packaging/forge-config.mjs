import { MakerDMG } from '@electron-forge/maker-dmg'
import { MakerMSIX } from '@electron-forge/maker-msix'
import { MakerZIP } from '@electron-forge/maker-zip'
import { MakerAppImage } from '@reforged/maker-appimage'
import { readFileSync } from 'node:fs'
import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { inCheckout } from '../common/checkout.mjs'
import { DebMaker } from './deb-maker.mjs'
import { appId } from './description.mjs'
import { setFuses } from './fuses.mjs'
import { codeCacheName } from '../setup/code-cache.mjs'
import { missingInputs, signingOptions, windowsSigning } from './inputs.mjs'
import { windowsKitVersion } from './msix.mjs'
import { copyNativeModules, nativeModules, unpackedFiles } from './native-modules.mjs'

/**
 * @typedef {object} Making
 * @property {import('./native-modules.mjs').Target} target
 * @property {import('../runtime/choose.mjs').Runtime} runtime
 * @property {ReturnType<typeof import('./description.mjs').packedDescription>} description
 * @property {string | undefined} electronZips the folder with Electron's archive; undefined where the packager fetches it
 * @property {string | undefined} appImageRuntime
 * @property {{ appManifest: string, packageAssets: string } | undefined} msix
 * @property {string} workshop an empty folder
 * @property {import('./inputs.mjs').Environment} environment
 */

/** What of the checkout goes into the archive; the modules with native parts are added. */
const packedPaths = ['package.json', 'out', 'resources/icons/tray', 'resources/third-party']

/**
 * @param {string} path from the checkout, as the packager names it: `` or `/…`
 * @param {string} cache name of the target's code cache; others are left out
 */
export const isPacked = (path, cache) =>
  !path.endsWith('.inputs') &&
  (!path.startsWith(`${codeCaches}/`) || `${path}/`.startsWith(`${codeCaches}/${cache}/`)) &&
  packedPaths.some((part) => `/${part}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`/${part}/`))

const codeCaches = '/out/main/code-cache'

/** Where the program lies in what was unpacked of Electron's archive. */
const programs = {
  linux: 'electron',
  win32: 'electron.exe',
  darwin: join('Electron.app', 'Contents', 'MacOS', 'Electron'),
}

/**
 * What Electron Forge is told.
 *
 * @param {Making} making
 * @returns {import('@electron-forge/shared-types').ForgeConfig}
 */
export function forgeConfig(making) {
  const { target, runtime, description, electronZips, workshop, environment } = making
  const { name, productName, version } = description
  return {
    packagerConfig: {
      executableName: target.platform === 'linux' ? name : productName,
      appBundleId: appId,
      appVersion: version,
      appCopyright: `Copyright (c) ${description.author.name}`,
      win32metadata: { CompanyName: description.author.name, FileDescription: productName },
      icon: inCheckout('resources', 'icons', 'app'),
      protocols: [{ name: productName, schemes: [name] }],
      asar: { unpack: unpackedFiles },
      extraResource: [inCheckout('LICENSE')],
      prune: false,
      ignore: (path) => !isPacked(path, codeCacheName({ version: runtime.version, ...target })),
      sanitizePackageJson: [() => description],
      tmpdir: workshop,
      ...(electronZips === undefined
        ? { download: { checksums: knownChecksums() } }
        : { electronZipDir: electronZips }),
      ...signingOptions(target.platform, environment),
    },
    // The modules with native parts come as they were built: for Node-API, which every Electron has.
    rebuildConfig: { onlyModules: [] },
    hooks: {
      readPackageJson: async (_, read) => ({
        ...read,
        version,
        devDependencies: { ...read['devDependencies'], electron: runtime.version },
      }),
      packageAfterExtract: (_, folder) => setFuses(join(folder, programs[target.platform]), target.platform),
      packageAfterCopy: (_, folder) => copyNativeModules(nativeModules(target, runtime.modules), folder),
      postPackage: async (_, { outputPaths }) => {
        if (target.platform === 'linux') for (const folder of outputPaths) await usualModes(folder)
      },
    },
    makers: makersOf(making),
  }
}

/** Electron's checksums, as its package on the npm registry knows them: its archive comes from elsewhere. */
const knownChecksums = () =>
  JSON.parse(readFileSync(inCheckout('node_modules', 'electron', 'checksums.json'), 'utf8'))

const iconSizes = [16, 32, 48, 64, 128, 256, 512]

/** @param {Making} making */
function makersOf({ runtime, description, appImageRuntime, msix, environment }) {
  const { name, version, productName } = description
  const entry = {
    ...{ name, bin: name, genericName: 'Traffic quality reports' },
    categories: [/** @type {const} */ ('Office')],
    productName: runtime.kind === 'fallback' ? `${productName} (not for people)` : productName,
    mimeType: [/** @type {const} */ (`x-scheme-handler/${name}`)],
    icon: {
      ...Object.fromEntries(
        iconSizes.map((size) => [`${size}x${size}`, inCheckout('resources', 'icons', `${size}.png`)]),
      ),
      scalable: inCheckout('resources', 'icon.svg'),
    },
  }
  return [
    new DebMaker({
      ...entry,
      // An ordinary version comes after the marked one.
      version: version.replace('-', '~'),
      description: 'reports on web-traffic quality, online and offline',
      productDescription: description.description,
      section: 'net',
      // What nobody downloads need not be small: xz takes two minutes.
      compression: runtime.kind === 'fallback' ? 'gzip' : 'xz',
    }),
    ...(appImageRuntime === undefined
      ? []
      : [
          new MakerAppImage({
            // Icons of its own: the maker writes into what it is given.
            options: { ...entry, icon: { ...entry.icon }, runtime: appImageRuntime, compressor: 'gzip' },
          }),
        ]),
    new MakerMSIX({
      ...msix,
      windowsKitVersion,
      // Otherwise it makes a certificate of its own, which no other computer trusts.
      sign: missingInputs('win32', environment).length === 0,
      windowsSignOptions: windowsSigning(environment),
    }),
    new MakerDMG({ format: 'ULFO' }),
    new MakerZIP({}, ['darwin']),
  ]
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
