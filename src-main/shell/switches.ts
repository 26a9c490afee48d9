import { readFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { App, CommandLine } from 'electron'

/** What would have connections trust more, or write down their keys. */
const ofConnections = [
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_EXTRA_CA_CERTS',
  'SSLKEYLOGFILE',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'OPENSSL_CONF',
] as const

/** What would have a program of ours run something else. A checkout needs it for its runtime. */
const ofPrograms = ['NODE_OPTIONS', 'ELECTRON_RUN_AS_NODE'] as const

/**
 * Takes out of the environment what loosens TLS, so that neither this process nor any that it starts goes by it. Has to
 * happen before anything connects. The installed app has fuses for what is read before this runs
 * (docs/decisions/environment.md).
 */
export function dropLoosening(environment: Record<string, string | undefined>, packaged: boolean): void {
  const names = packaged ? [...ofConnections, ...ofPrograms] : ofConnections
  for (const name of names) Reflect.deleteProperty(environment, name)
}

/**
 * What the installed app may be started with: what is ours, and what desktops and people give programs for how they look.
 * Everything else that looks like a switch ends it: Chromium and Electron know hundreds, and some of them open a way to the
 * token (docs/decisions/switches.md).
 */
const taken: ReadonlySet<string> = new Set([
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

/** What the environment can switch on without a word among the arguments. */
const neverOn = ['no-sandbox', 'remote-debugging-port', 'remote-debugging-pipe'] as const

/** A process number that the Finder of older systems hands over. */
const finders = /^psn_\d+_\d+$/

/** The name of a switch as Chromium reads it; null for what is none. */
function switchName(argument: string, platform: NodeJS.Platform): string | null {
  const begins = platform === 'win32' ? /^(?:--|-|\/)(?=.)/ : /^(?:--|-)(?=.)/
  return begins.test(argument) ? argument.replace(begins, '').replace(/=.*$/s, '').toLowerCase() : null
}

/**
 * The first switch that the installed app is not started with; null where there is none.
 * @param args the program's arguments, without its own name
 * @param isOn whether Chromium goes by a switch, wherever it has it from
 */
export function foreignSwitch(
  args: readonly string[],
  isOn: CommandLine['hasSwitch'],
  platform: NodeJS.Platform,
): string | null {
  // Chromium leaves out the spaces around an argument before it looks for switches.
  for (const argument of args.map((arg) => arg.trim())) {
    const name = switchName(argument, platform)
    if (name === null || taken.has(name) || (platform === 'darwin' && finders.test(name))) continue
    return argument.replace(/=.*$/s, '')
  }
  const on = neverOn.find((name) => isOn(name))
  return on === undefined ? null : `--${on}`
}

/** Ends the installed app, with words, where it was started with a switch that is not for people. */
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

/** Why the installed app ends that was started with a switch. */
export const refusalOf = (name: string): string =>
  `Traffic Desk doesn't start with ${name}, which could let other programs read along. Start it without.`

/** Whether this is the build that the package's test makes of an installed app, to look at its window. */
function isMadeToBeDriven(folder: string): boolean {
  const description: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return typeof description === 'object' && description !== null && 'madeToBeDriven' in description
}

/** By one of these Linux gives programs its graphics card: the kernel's own way, NVIDIA's, and that of Windows around it. */
const graphicsCards = ['/dev/dri', '/dev/nvidia0', '/dev/dxg']

/**
 * Leaves out of Chromium on Linux what the app has no use for, and what would stay when the window is closed. Has to
 * happen before Electron is ready.
 *
 * - Its network is done in the main process, instead of in one of 17 MB of its own. The browser has nothing to fetch:
 *   its pages come from the app's folder, everything else is refused (`guards`), and the service is asked without it. On
 *   Linux that process has no sandbox to lose by default; elsewhere it may have one, and stays.
 * - Where there is no graphics card Chromium draws by itself in any case, but first loads a card made of software, of
 *   10 MB, for pages with 3D. No page of ours has any.
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
