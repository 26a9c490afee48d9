import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'

/** Begins without a window: only the tray shows that the app runs. */
export const hiddenSwitch = '--hidden'

export type LoginParts = {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The program that is started, and what it is given before the switch: a checkout has the app's folder there. */
  readonly program: readonly string[]
  /** Electron's own way, on the systems that have one. */
  readonly setLoginItem: (open: boolean, args: readonly string[]) => void
}

/** Quotes an argument for the line Exec of a desktop entry (its characters and the percent sign have meanings there). */
const quoted = (argument: string): string =>
  `"${argument.replace(/[\\"`$]/g, (found) => `\\${found}`).replaceAll('%', '%%')}"`

function autostartFile({ environment }: LoginParts): string {
  const base = environment['XDG_CONFIG_HOME'] ?? join(homedir(), '.config')
  return join(base, 'autostart', 'traffic-desk.desktop')
}

const entryFor = ({ program }: LoginParts): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Traffic Desk',
    `Exec=${[...program.map(quoted), hiddenSwitch].join(' ')}`,
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
  const file = autostartFile(parts)
  try {
    if (start) {
      mkdirSync(join(file, '..'), { recursive: true })
      writeFileSync(file, entryFor(parts))
    } else rmSync(file, { force: true })
  } catch (cause) {
    const message = `Starting at login could not be changed: ${file} cannot be written.`
    throw new DeskFailure({ kind: 'disk', message, field: 'startAtLogin' }, { cause })
  }
}
