import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { App, BaseWindow, Clipboard, Dialog, NativeTheme, OpenDialogOptions, Shell } from 'electron'
import { backupEnding } from '#shared/app/storage.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Printer } from './print.ts'
import { argsWithWindow } from './start-at-login.ts'
import type { StartAtLogin } from './start-at-login.ts'

/** Parts of Electron that are used here. */
type ElectronMachine = {
  readonly app: Pick<App, 'getPath' | 'relaunch' | 'quit'>
  readonly clipboard: Pick<Clipboard, 'writeText'>
  readonly dialog: Pick<Dialog, 'showOpenDialog'>
  readonly shell: Pick<Shell, 'showItemInFolder' | 'openPath'>
  readonly nativeTheme: Pick<NativeTheme, 'themeSource'>
}

/** Implements `SystemShell` with Electron. */
export class ElectronShell implements SystemShell {
  readonly #electron: ElectronMachine
  readonly #windows: { readonly desk: BaseWindow | null }
  readonly #login: Pick<StartAtLogin, 'set' | 'repair'>
  readonly #printer: Pick<Printer, 'print'>
  readonly #events: Emitter
  readonly #thirdParty: string
  readonly #appImage: string | null
  #startsAtLogin: boolean | undefined

  /**
   * @param windows dialogs open over the main window
   * @param thirdParty folder written by `npm run notices`
   * @param appImage path of the running AppImage or null; its mounted program disappears on exit
   */
  constructor(
    electron: ElectronMachine,
    windows: { readonly desk: BaseWindow | null },
    login: Pick<StartAtLogin, 'set' | 'repair'>,
    printer: Pick<Printer, 'print'>,
    events: Emitter,
    thirdParty: string,
    appImage: string | null,
  ) {
    this.#electron = electron
    this.#windows = windows
    this.#login = login
    this.#printer = printer
    this.#events = events
    this.#thirdParty = thirdParty
    this.#appImage = appImage
  }

  readonly copy: SystemShell['copy'] = (text) => void this.#electron.clipboard.writeText(text)

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
    const from = this.#appImage === null ? {} : { execPath: this.#appImage }
    this.#electron.app.relaunch({ args: argsWithWindow(process.argv.slice(1)), ...from })
    this.#electron.app.quit()
  }

  readonly notices: SystemShell['notices'] = async () => ({
    text: await readFile(join(this.#thirdParty, 'notices.txt'), 'utf8'),
  })

  readonly partsList: SystemShell['partsList'] = () =>
    readFile(join(this.#thirdParty, 'sbom.cdx.json'), 'utf8')

  readonly downloads: SystemShell['downloads'] = () => this.#electron.app.getPath('downloads')

  readonly showFile: SystemShell['showFile'] = (path) => this.#electron.shell.showItemInFolder(path)

  readonly openFile: SystemShell['openFile'] = (path) => this.#electron.shell.openPath(path)

  readonly print: SystemShell['print'] = (address, signal) => this.#printer.print(address, signal)

  readonly apply: SystemShell['apply'] = async ({ theme, startAtLogin, closeToTray }) => {
    this.#electron.nativeTheme.themeSource = theme
    const isStart = this.#startsAtLogin === undefined
    // At the start, the login item is only repaired if the program moved. Later only changes are written.
    if (!isStart && this.#startsAtLogin !== startAtLogin) this.#login.set(startAtLogin)
    this.#startsAtLogin = startAtLogin
    this.#events.emit({ kind: 'tray/wanted', wanted: closeToTray })
    if (isStart && startAtLogin) this.#login.repair()
  }

  async #choose(options: OpenDialogOptions): Promise<readonly string[]> {
    const { dialog } = this.#electron
    const over = this.#windows.desk
    const chosen = await (over ? dialog.showOpenDialog(over, options) : dialog.showOpenDialog(options))
    return chosen.canceled ? [] : chosen.filePaths
  }

  async #chooseOne(options: OpenDialogOptions): Promise<string | null> {
    return (await this.#choose(options))[0] ?? null
  }
}
