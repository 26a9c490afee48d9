import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { App, Clipboard, Dialog, NativeTheme, OpenDialogOptions, Shell } from 'electron'
import { deskFailure } from '#shared/api/failure.ts'
import { backupEnding } from '#shared/app/storage.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Printer } from './print.ts'
import { argsWithWindow } from './start-at-login.ts'
import type { StartAtLogin } from './start-at-login.ts'
import type { AppWindows } from './window.ts'

/** Parts of Electron that are used here. */
type ElectronMachine = {
  readonly app: Pick<App, 'getPath' | 'relaunch' | 'quit'>
  readonly clipboard: Pick<Clipboard, 'writeText'>
  readonly dialog: Pick<Dialog, 'showOpenDialog'>
  readonly shell: Pick<Shell, 'showItemInFolder' | 'openPath' | 'openExternal'>
  readonly nativeTheme: Pick<NativeTheme, 'themeSource'>
}

/** Services and paths that the shell needs. */
export type ElectronShellContext = {
  readonly electron: ElectronMachine
  /** Dialogs open over the main window. */
  readonly windows: AppWindows
  readonly login: StartAtLogin
  readonly printer: Printer
  readonly events: AppEvents
  /** Folder written by `npm run notices`. */
  readonly thirdParty: string
  /** Path of the running AppImage or null; its mounted program disappears on exit. */
  readonly appImage: string | null
}

/** Implements `SystemShell` with Electron. */
export class ElectronShell implements SystemShell {
  readonly #context: ElectronShellContext
  #startsAtLogin: boolean | undefined

  constructor(context: ElectronShellContext) {
    this.#context = context
  }

  readonly copy: SystemShell['copy'] = (text) => void this.#context.electron.clipboard.writeText(text)

  readonly chooseFolder: SystemShell['chooseFolder'] = (title = 'Downloads folder') =>
    this.#chooseOne({ title, properties: ['openDirectory', 'createDirectory'] })

  readonly chooseViewsFile: SystemShell['chooseViewsFile'] = () =>
    this.#chooseOne({
      title: 'Import views',
      properties: ['openFile'],
      filters: [{ name: 'Traffic Desk views', extensions: ['json'] }],
    })

  readonly choosePicture: SystemShell['choosePicture'] = () =>
    this.#chooseOne({
      title: 'Logo for PDFs',
      properties: ['openFile'],
      filters: [{ name: 'PNG and JPEG pictures', extensions: ['png', 'jpg', 'jpeg'] }],
    })

  readonly chooseBackup: SystemShell['chooseBackup'] = () =>
    this.#chooseOne({
      title: 'Restore a backup',
      properties: ['openFile'],
      // State files that were set aside or copied automatically can also be restored. `desk-backup` is the extension of older
      // backups.
      filters: [{ name: 'Traffic Desk backups', extensions: [backupEnding, 'sqlite', 'desk-backup'] }],
    })

  readonly chooseTables: SystemShell['chooseTables'] = () =>
    this.#choose({
      title: 'Archives of raw rows',
      properties: ['openFile', 'multiSelections'],
      filters: [{ name: 'ZIP and CSV files', extensions: ['zip', 'csv', 'tsv', 'txt', 'tab', 'log', 'gz'] }],
    })

  readonly restart: SystemShell['restart'] = () => {
    const { electron, appImage } = this.#context
    const from = appImage === null ? {} : { execPath: appImage }
    electron.app.relaunch({ args: argsWithWindow(process.argv.slice(1)), ...from })
    electron.app.quit()
  }

  readonly notices: SystemShell['notices'] = async () => ({
    text: await readFile(join(this.#context.thirdParty, 'notices.txt'), 'utf8'),
  })

  readonly partsList: SystemShell['partsList'] = () =>
    readFile(join(this.#context.thirdParty, 'sbom.cdx.json'), 'utf8')

  readonly downloads: SystemShell['downloads'] = () => this.#context.electron.app.getPath('downloads')

  readonly showFile: SystemShell['showFile'] = (path) => this.#context.electron.shell.showItemInFolder(path)

  readonly openFile: SystemShell['openFile'] = (path) => this.#context.electron.shell.openPath(path)

  /** The only address that leaves for another program: its scheme is fixed, and the rest encoded. */
  readonly mail: SystemShell['mail'] = async ({ subject, text }) => {
    await this.#context.electron.shell
      .openExternal(`mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(text)}`)
      .catch((cause: unknown) => {
        throw deskFailure('not-found', 'No mail program could be opened.', { cause })
      })
  }

  readonly print: SystemShell['print'] = (address, signal) => this.#context.printer.print(address, signal)

  readonly apply: SystemShell['apply'] = async ({ theme, startAtLogin, closeToTray }) => {
    const { electron, login, events } = this.#context
    electron.nativeTheme.themeSource = theme
    const isStart = this.#startsAtLogin === undefined
    // At the start, the login item is only repaired if the program moved. Later only changes are written.
    if (!isStart && this.#startsAtLogin !== startAtLogin) login.set(startAtLogin)
    this.#startsAtLogin = startAtLogin
    events.emit({ kind: 'tray/wanted', wanted: closeToTray })
    if (isStart && startAtLogin) login.repair()
  }

  async #choose(options: OpenDialogOptions): Promise<readonly string[]> {
    const { electron, windows } = this.#context
    const { dialog } = electron
    const over = windows.desk
    const chosen = await (over ? dialog.showOpenDialog(over, options) : dialog.showOpenDialog(options))
    return chosen.canceled ? [] : chosen.filePaths
  }

  async #chooseOne(options: OpenDialogOptions): Promise<string | null> {
    return (await this.#choose(options))[0] ?? null
  }
}
