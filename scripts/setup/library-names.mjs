/**
 * What the app and its tests need from the system, by the names of Debian's packages. Newer releases renamed some
 * (`t64`), so each need is a list of names of which one is enough; the newer name comes first.
 *
 * @typedef {'app' | 'display' | 'bus' | 'keyring' | 'packaging' | 'tests' | 'days'} Purpose
 * @type {Readonly<Record<Purpose, readonly (readonly string[])[]>>}
 */
export const debianNames = {
  app: [
    ['libgtk-3-0t64', 'libgtk-3-0'],
    ['libnss3'],
    ['libasound2t64', 'libasound2'],
    ['libgbm1'],
    ['libsecret-1-0'],
  ],
  display: [['xvfb'], ['xauth']],
  bus: [['dbus']],
  keyring: [['gnome-keyring']],
  packaging: [['squashfs-tools']],
  tests: [['dbus-x11'], ['dunst'], ['libnotify-bin'], ['python3-dbusmock']],
  days: [['faketime']],
}

/**
 * The same needs elsewhere: a shared library (`lib….so…`) or a command, and what Fedora and Arch call its package.
 *
 * @type {Readonly<Record<Purpose, readonly { sign: string, dnf: string, pacman: string }[]>>}
 */
export const otherNames = {
  app: [
    { sign: 'libgtk-3.so.0', dnf: 'gtk3', pacman: 'gtk3' },
    { sign: 'libnss3.so', dnf: 'nss', pacman: 'nss' },
    { sign: 'libasound.so.2', dnf: 'alsa-lib', pacman: 'alsa-lib' },
    { sign: 'libgbm.so.1', dnf: 'mesa-libgbm', pacman: 'mesa' },
    { sign: 'libsecret-1.so.0', dnf: 'libsecret', pacman: 'libsecret' },
  ],
  display: [{ sign: 'xvfb-run', dnf: 'xorg-x11-server-Xvfb', pacman: 'xorg-server-xvfb' }],
  bus: [{ sign: 'dbus-run-session', dnf: 'dbus-daemon', pacman: 'dbus' }],
  keyring: [{ sign: 'gnome-keyring-daemon', dnf: 'gnome-keyring', pacman: 'gnome-keyring' }],
  packaging: [
    { sign: 'dpkg-deb', dnf: 'dpkg', pacman: 'dpkg' },
    { sign: 'mksquashfs', dnf: 'squashfs-tools', pacman: 'squashfs-tools' },
  ],
  tests: [
    { sign: 'dunst', dnf: 'dunst', pacman: 'dunst' },
    { sign: 'notify-send', dnf: 'libnotify', pacman: 'libnotify' },
  ],
  days: [{ sign: 'faketime', dnf: 'libfaketime', pacman: 'libfaketime' }],
}

/**
 * @param {readonly Purpose[]} purposes
 * @param {string} dpkgOutput lines of `name<TAB>status`, as dpkg-query writes them
 * @returns {(readonly string[])[]} the needs of which no name is installed
 */
export function missingDebianPackages(purposes, dpkgOutput) {
  const installed = new Set(
    dpkgOutput
      .split('\n')
      .map((line) => line.split('\t'))
      .filter(([, status]) => status?.startsWith('ii'))
      .map(([name]) => name),
  )
  return purposes
    .flatMap((purpose) => debianNames[purpose])
    .filter((names) => !names.some((name) => installed.has(name)))
}

/**
 * The one command that puts right what is missing.
 *
 * @param {'apt-get' | 'dnf' | 'pacman'} manager
 * @param {readonly string[]} names
 */
export function installCommand(manager, names) {
  const list = names.join(' ')
  switch (manager) {
    case 'apt-get':
      return `sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends ${list}'`
    case 'dnf':
      return `sudo dnf install -y ${list}`
    case 'pacman':
      return `sudo pacman -S --needed --noconfirm ${list}`
  }
}
