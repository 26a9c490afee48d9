import { Installer } from 'electron-installer-debian'
import { inCheckout } from '../common/checkout.mjs'
import { debianNames } from '../setup/library-names.mjs'
import { packedDescription } from './bundle.mjs'

/** How Debian calls the processors for which Electron is built. @type {Readonly<Record<string, string>>} */
const architectures = { x64: 'amd64', arm64: 'arm64', arm: 'armhf' }

const iconSizes = [16, 32, 48, 64, 128, 256, 512]

/** Names the libraries itself: the defaults would let apt choose a whole desktop to provide a waste bin. */
const depends = [
  ...debianNames.app.map((names) => names.join(' | ')),
  'libatspi2.0-0t64 | libatspi2.0-0',
  'libcups2t64 | libcups2',
  'libdrm2',
  'libnotify4',
  'xdg-utils',
]

class DeskInstaller extends Installer {
  /** @override */
  async generateDefaults() {
    Object.assign(await super.generateDefaults(), { depends, recommends: ['gnome-keyring'], suggests: [] })
    return this.defaults
  }
}

/** @typedef {import('../runtime/choose.mjs').Runtime} Runtime */

/**
 * Makes the Debian package of a bundle. chrome-sandbox is setuid root in it, as Chromium's sandbox wants it where
 * ordinary users may not make namespaces.
 *
 * @param {Runtime} runtime
 * @param {string} bundle
 * @param {string} dest the folder that the package goes to
 * @returns {Promise<string>} the package's path
 */
export async function makeDeb(runtime, bundle, dest) {
  process.umask(0o022)
  const { name, productName, version, description } = packedDescription(runtime)
  const installer = new DeskInstaller({
    src: bundle,
    dest,
    name,
    bin: name,
    // An ordinary version comes after the marked one.
    version: version.replace('-', '~'),
    productName: runtime.kind === 'fallback' ? `${productName} (not for people)` : productName,
    description: 'reports on web-traffic quality, online and offline',
    productDescription: description,
    genericName: 'Traffic quality reports',
    arch: architectures[process.arch],
    section: 'net',
    categories: ['Office'],
    mimeType: [`x-scheme-handler/${name}`],
    icon: {
      ...Object.fromEntries(
        iconSizes.map((size) => [`${size}x${size}`, inCheckout('resources', 'icons', `${size}.png`)]),
      ),
      scalable: inCheckout('resources', 'icon.svg'),
    },
    logger: () => undefined,
    rename: (/** @type {string} */ folder, /** @type {string} */ file) => `${folder}/${file}`,
  })
  await installer.generateDefaults()
  installer.generateOptions()
  await installer.createStagingDir()
  await installer.createContents()
  await installer.createPackage()
  await installer.movePackage()
  const [path] = installer.options.packagePaths
  if (path === undefined) throw new Error('dpkg-deb made no package')
  return path
}
