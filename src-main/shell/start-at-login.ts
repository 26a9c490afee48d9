import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import type { App } from 'electron'
import { deskFailure } from '#shared/api/failure.ts'
import { replaceFile } from '#main/lib/sync-folder.ts'

/** Starts without a window, with only the tray icon. */
const hiddenSwitch = '--hidden'

/** Whether to start without a window. @param openedAtLogin from macOS, whose login items have no arguments */
export const isHiddenStart = (args: readonly string[], openedAtLogin: boolean): boolean =>
  args.includes(hiddenSwitch) || openedAtLogin

/** Removes the switch that hides the window. */
export const argsWithWindow = (args: readonly string[]): string[] =>
  args.filter((arg) => arg !== hiddenSwitch)

/** Program and arguments for the start at login, without the switch. A checkout also needs the app's folder. */
export const programAtLogin = (
  app: Pick<App, 'isPackaged' | 'getAppPath'>,
  appImage: string | null,
): readonly string[] =>
  // The mounted contents of an AppImage disappear on exit, so the AppImage itself is started.
  app.isPackaged ? [appImage ?? process.execPath] : [process.execPath, app.getAppPath()]

/**
 * Path of the AppImage that contains the running executable; null for other packages. All children of an AppImage inherit its
 * variables, so they apply only if the executable runs from the mounted image.
 */
export function appImageOf(
  program: string,
  { APPIMAGE: file, APPDIR: mounted }: Readonly<Record<string, string | undefined>>,
): string | null {
  if (!file || !mounted) return null
  return `${dirname(program)}${sep}`.startsWith(`${mounted.replace(/\/+$/, '')}${sep}`) ? file : null
}

/** Quotes an argument for the Exec line of a desktop entry, and escapes special characters. */
const quote = (argument: string): string =>
  `"${argument.replace(/[\\"`$]/g, (found) => `\\${found}`).replaceAll('%', '%%')}"`

/** Manages the hidden start at login: through an autostart file on Linux, or the system's list of login items. */
export class StartAtLogin {
  readonly #app: Pick<App, 'setLoginItemSettings'>
  readonly #program: readonly string[]
  readonly #platform: NodeJS.Platform
  readonly #file: string

  constructor(
    app: Pick<App, 'setLoginItemSettings'>,
    program: readonly string[],
    platform: NodeJS.Platform = process.platform,
    config = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'),
  ) {
    this.#app = app
    this.#program = program
    this.#platform = platform
    this.#file = join(config, 'autostart', 'traffic-desk.desktop')
  }

  /** @throws DeskFailure `disk` if the file cannot be written */
  set(start: boolean): void {
    if (this.#platform !== 'linux') {
      this.#app.setLoginItemSettings({ openAtLogin: start, args: start ? [hiddenSwitch] : [] })
      return
    }
    this.#change(() => {
      if (start) {
        mkdirSync(dirname(this.#file), { recursive: true })
        replaceFile(this.#file, this.#entry())
      } else rmSync(this.#file, { force: true })
    })
  }

  /**
   * Updates the program's path in an existing autostart entry after the program moved. Other lines remain unchanged, and a
   * removed entry remains removed. Other systems track a moved program themselves.
   * @throws DeskFailure `disk` if the file cannot be written
   */
  repair(): void {
    if (this.#platform !== 'linux') return
    const entry = readIfThere(this.#file)
    if (entry === null) return
    // A function, because paths may contain `$` patterns.
    const repaired = entry.replace(/^Exec=.*$/m, () => this.#exec())
    if (repaired !== entry) this.#change(() => replaceFile(this.#file, repaired))
  }

  #exec(): string {
    return `Exec=${[...this.#program.map(quote), hiddenSwitch].join(' ')}`
  }

  #entry(): string {
    return [
      '[Desktop Entry]',
      'Type=Application',
      'Name=Traffic Desk',
      this.#exec(),
      'X-GNOME-Autostart-enabled=true',
      '',
    ].join('\n')
  }

  #change(change: () => void): void {
    try {
      change()
    } catch (cause) {
      const message = `Can't change starting at login: ${this.#file} can't be written.`
      throw deskFailure('disk', message, { field: 'startAtLogin', cause })
    }
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
