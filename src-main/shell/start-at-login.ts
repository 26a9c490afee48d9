import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { App } from 'electron'
import { deskFailure } from '#shared/api/failure.ts'
import { replaceFile } from '#main/lib/sync-folder.ts'

/** Begins without a window: only the tray shows that the app runs. */
const hiddenSwitch = '--hidden'

/** Whether no window is wanted. @param openedAtLogin what macOS says of it, whose login items know no switches */
export const isHiddenStart = (args: readonly string[], openedAtLogin: boolean): boolean =>
  args.includes(hiddenSwitch) || openedAtLogin

/** The same arguments, for a start that shows the window. */
export const argsWithWindow = (args: readonly string[]): string[] =>
  args.filter((arg) => arg !== hiddenSwitch)

/** What is started at login: the program, and what it is given before the switch. A checkout has the app's folder there. */
export const programAtLogin = (
  app: Pick<App, 'isPackaged' | 'getAppPath'>,
  appImage: string | null,
): readonly string[] =>
  // What is in an AppImage is gone after the end: the file itself is started.
  app.isPackaged ? [appImage ?? process.execPath] : [process.execPath, app.getAppPath()]

/** Quotes an argument for the line Exec of a desktop entry (its characters and the percent sign have meanings there). */
const quoted = (argument: string): string =>
  `"${argument.replace(/[\\"`$]/g, (found) => `\\${found}`).replaceAll('%', '%%')}"`

/** Whether the app starts, without a window, when the person logs in. Linux knows a file for it, the other systems a list of their own. */
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

  /** @throws DeskFailure `disk` where the file cannot be written */
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
   * Has this program started at login where another place of it is, which may be gone. What else stands in the entry stays
   * as the person's desktop wrote it, and one that they took away stays away. Other systems follow a program that moves.
   * @throws DeskFailure `disk` where the file cannot be written
   */
  repair(): void {
    if (this.#platform !== 'linux') return
    const entry = readIfThere(this.#file)
    if (entry === null) return
    // A function, since paths may hold what a replacement takes for signs.
    const repaired = entry.replace(/^Exec=.*$/m, () => this.#exec())
    if (repaired !== entry) this.#change(() => replaceFile(this.#file, repaired))
  }

  #exec(): string {
    return `Exec=${[...this.#program.map(quoted), hiddenSwitch].join(' ')}`
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
