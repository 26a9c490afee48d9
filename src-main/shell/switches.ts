import { readFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { App, CommandLine } from 'electron'

/** Variables that weaken TLS or log its keys. */
const ofConnections = [
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_EXTRA_CA_CERTS',
  'SSLKEYLOGFILE',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'OPENSSL_CONF',
] as const

/** Variables that make Electron run other code. A checkout needs them. */
const ofPrograms = ['NODE_OPTIONS', 'ELECTRON_RUN_AS_NODE'] as const

/**
 * Removes variables that weaken TLS, for this process and its children. Must run before any connection. Fuses protect a
 * packaged app against variables that are read earlier (docs/decisions/environment.md).
 */
export function dropLoosening(environment: Record<string, string | undefined>, packaged: boolean): void {
  const names = packaged ? [...ofConnections, ...ofPrograms] : ofConnections
  for (const name of names) Reflect.deleteProperty(environment, name)
}

/**
 * Switches allowed for a packaged app: its own, and common ones for appearance. Any other switch ends the app, because some of
 * the hundreds in Chromium and Electron expose the token (docs/decisions/switches.md).
 */
const allowedSwitches: ReadonlySet<string> = new Set([
  'hidden',
  'version',
  'user-data-dir',
  'class',
  'disable-gpu',
  'display',
  'enable-wayland-ime',
  'force-device-scale-factor',
  'force-high-contrast',
  'gtk-version',
  'lang',
  'ozone-platform',
  'ozone-platform-hint',
  'wayland-text-input-version',
])

/** Forbidden switches that the environment can also set. */
const neverOn = ['no-sandbox', 'remote-debugging-port', 'remote-debugging-pipe'] as const

/** Process number that older versions of the Finder pass. */
const finders = /^psn_\d+_\d+$/

/** Returns the name of a switch as Chromium parses it; null if the argument is not a switch. */
function switchName(argument: string, platform: NodeJS.Platform): string | null {
  const begins = platform === 'win32' ? /^(?:--|-|\/)(?=.)/ : /^(?:--|-)(?=.)/
  return begins.test(argument) ? argument.replace(begins, '').replace(/=.*$/s, '').toLowerCase() : null
}

/**
 * Returns the first forbidden switch, or null.
 * @param args the program's arguments without its own name
 * @param isOn whether Chromium applies a switch, from any source
 */
export function foreignSwitch(
  args: readonly string[],
  isOn: CommandLine['hasSwitch'],
  platform: NodeJS.Platform,
): string | null {
  // Chromium trims arguments before it parses switches.
  for (const argument of args.map((arg) => arg.trim())) {
    const name = switchName(argument, platform)
    if (name === null || allowedSwitches.has(name) || (platform === 'darwin' && finders.test(name))) continue
    return argument.replace(/=.*$/s, '')
  }
  const on = neverOn.find((name) => isOn(name))
  return on === undefined ? null : `--${on}`
}

/** Ends a packaged app with a message if it was started with a forbidden switch. */
export function refuseForeignSwitches(
  app: Pick<App, 'isPackaged' | 'commandLine' | 'getAppPath' | 'exit'>,
  args: readonly string[],
  print: (words: string) => void,
): void {
  if (!app.isPackaged) return
  const found = foreignSwitch(args, (name) => app.commandLine.hasSwitch(name), process.platform)
  if (found === null || isMadeToBeDriven(app.getAppPath())) return
  print(`${refusalOf(found)}\n`)
  app.exit(1)
}

/** Message about a forbidden switch. */
export const refusalOf = (name: string): string =>
  `Traffic Desk doesn't start with ${name}, which could let other programs read along. Start it without.`

/** Whether this is a test build whose window may be driven from outside. */
function isMadeToBeDriven(folder: string): boolean {
  const description: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return typeof description === 'object' && description !== null && 'madeToBeDriven' in description
}

/** Device files of graphics cards: the kernel's, NVIDIA's, and that of WSL. */
const graphicsCards = ['/dev/dri', '/dev/nvidia0', '/dev/dxg']

/**
 * Disables unused parts of Chromium on Linux, which would remain in memory after the window closes. Must run before Electron is
 * ready.
 *
 * - The network service runs in the main process, which saves a process of 17 MB. The browser loads only local pages, other
 *   requests are blocked (`guards`), and the app does not use it for services. On Linux this process has no sandbox by default;
 *   elsewhere it may have one, so there it remains separate.
 *
 * - Without a graphics card, the software rasterizer for 3D (10 MB) is not loaded. No page uses 3D.
 */
export function saveMemory(
  commandLine: Pick<CommandLine, 'appendSwitch'>,
  platform: NodeJS.Platform,
  exists: (path: string) => boolean = existsSync,
): void {
  if (platform !== 'linux') return
  commandLine.appendSwitch('enable-features', 'NetworkServiceInProcess2')
  if (graphicsCards.some(exists)) return
  commandLine.appendSwitch('disable-gpu')
  commandLine.appendSwitch('disable-software-rasterizer')
}
