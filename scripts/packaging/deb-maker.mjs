import { MakerBase } from '@electron-forge/maker-base'
import { Installer } from 'electron-installer-debian'
import { join } from 'node:path'
import { debianNames } from '../setup/library-names.mjs'

/** How Debian calls the processors for which there are packages. @type {Readonly<Record<string, string>>} */
const architectures = { x64: 'amd64', arm64: 'arm64' }

/** Names the libraries itself: the defaults would let apt choose a whole desktop to provide a waste bin. */
const depends = [
  ...debianNames.app.map((names) => names.join(' | ')),
  'libatspi2.0-0t64 | libatspi2.0-0',
  'libcups2t64 | libcups2',
  'libdrm2',
  'libnotify4',
  'xdg-utils',
]

/** Forge's own maker takes what is to be needed on top of the defaults, never in place of them. */
class DeskInstaller extends Installer {
  /** @override */
  async generateDefaults() {
    Object.assign(await super.generateDefaults(), { depends, recommends: ['gnome-keyring'], suggests: [] })
    return this.defaults
  }
}

/**
 * Makes the Debian package, of the options that electron-installer-debian knows. chrome-sandbox is setuid root in it, as
 * Chromium's sandbox wants it where ordinary users may not make namespaces.
 *
 * @extends {MakerBase<Record<string, unknown>>}
 */
export class DebMaker extends MakerBase {
  name = 'deb'
  /** @type {import('@electron-forge/shared-types').ForgePlatform[]} */
  defaultPlatforms = ['linux']
  /** @override */
  requiredExternalBinaries = ['dpkg-deb']

  /** @override */
  isSupportedOnCurrentPlatform() {
    return process.platform === 'linux'
  }

  /**
   * @override
   * @param {import('@electron-forge/maker-base').MakerOptions} options
   */
  async make({ dir, makeDir, targetArch }) {
    const installer = new DeskInstaller({
      ...this.config,
      src: dir,
      dest: join(makeDir, 'deb'),
      arch: architectures[targetArch],
      logger: () => undefined,
      rename: (/** @type {string} */ folder, /** @type {string} */ file) => join(folder, file),
    })
    await installer.generateDefaults()
    installer.generateOptions()
    await installer.createStagingDir()
    await installer.createContents()
    await installer.createPackage()
    await installer.movePackage()
    return [...installer.options.packagePaths]
  }
}
