import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { App } from 'electron'
import { DeskFailure } from '#shared/api/failure.ts'
import { replaceFile } from '#main/lib/sync-folder.ts'

/** Begins without a window: only the tray shows that the app runs. */
const hiddenSwitch = '--hidden'

/** Whether no window is wanted. @param openedAtLogin what macOS says of it, whose login items know no switches */
export const isHiddenStart = (args: readonly string[], openedAtLogin: boolean): boolean =>
  args.includes(hiddenSwitch) || openedAtLogin

/** The same arguments, for a start that shows the window. */
export const argsWithWindow = (args: readonly string[]): string[] =>
  args.filter((arg) => arg !== hiddenSwitch)

type LoginParts = {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The program that is started, and what it is given before the switch: a checkout has the app's folder there. */
  readonly program: readonly string[]
  /** Electron's own way, on the systems that have one. */
  readonly setLoginItem: (open: boolean, args: readonly string[]) => void
}

/** How this program starts at login. @param appImage the file that runs, where it is an AppImage: what is in it is gone after the end */
export const loginParts = (
  app: Pick<App, 'isPackaged' | 'getAppPath' | 'setLoginItemSettings'>,
  appImage: string | null,
): LoginParts => ({
  platform: process.platform,
  environment: process.env,
  program: app.isPackaged ? [appImage ?? process.execPath] : [process.execPath, app.getAppPath()],
  setLoginItem: (openAtLogin, args) => {
    app.setLoginItemSettings({ openAtLogin, args: [...args] })
  },
})

/** Quotes an argument for the line Exec of a desktop entry (its characters and the percent sign have meanings there). */
const quoted = (argument: string): string =>
  `"${argument.replace(/[\\"`$]/g, (found) => `\\${found}`).replaceAll('%', '%%')}"`

function autostartFile({ environment }: LoginParts): string {
  const base = environment['XDG_CONFIG_HOME'] ?? join(homedir(), '.config')
  return join(base, 'autostart', 'traffic-desk.desktop')
}

const execLine = ({ program }: LoginParts): string =>
  `Exec=${[...program.map(quoted), hiddenSwitch].join(' ')}`

const entryFor = (parts: LoginParts): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Traffic Desk',
    execLine(parts),
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')

/**
 * Has the app started, without a window, when the person logs in; or no longer. Linux knows a file for it, the other
 * systems a list of their own.
 * @throws DeskFailure `disk` where the file cannot be written
 */
export function setStartAtLogin(parts: LoginParts, start: boolean): void {
  if (parts.platform !== 'linux') {
    parts.setLoginItem(start, start ? [hiddenSwitch] : [])
    return
  }
  change(parts, (file) => {
    if (start) {
      mkdirSync(join(file, '..'), { recursive: true })
      replaceFile(file, entryFor(parts))
    } else rmSync(file, { force: true })
  })
}

/**
 * Has this program started at login where another place of it is, which may be gone. What else stands in the entry stays
 * as the person's desktop wrote it, and one that they took away stays away. Other systems follow a program that moves.
 * @throws DeskFailure `disk` where the file cannot be written
 */
export function repairStartAtLogin(parts: LoginParts): void {
  if (parts.platform !== 'linux') return
  const entry = readIfThere(autostartFile(parts))
  if (entry === null) return
  // A function, since paths may hold what a replacement takes for signs.
  const repaired = entry.replace(/^Exec=.*$/m, () => execLine(parts))
  if (repaired === entry) return
  change(parts, (file) => {
    replaceFile(file, repaired)
  })
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function change(parts: LoginParts, how: (file: string) => void): void {
  const file = autostartFile(parts)
  try {
    how(file)
  } catch (cause) {
    const message = `Starting at login could not be changed: ${file} cannot be written.`
    throw new DeskFailure({ kind: 'disk', message, field: 'startAtLogin' }, { cause })
  }
}
