import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  BaseWindow,
  Dialog,
  MessageBoxOptions,
  MessageBoxReturnValue,
  BrowserWindow,
  Clipboard,
  NativeTheme,
  Shell,
} from 'electron'
import type { DeskShell } from '#main/lib/desk-shell.ts'
import { backupEnding } from '#shared/app/storage.ts'

/** What is asked or said where the window cannot do it itself. */
export type Dialogs = {
  /** The window does not answer. The signal takes the question back. */
  readonly waitOrReload: (signal: AbortSignal) => Promise<'wait' | 'reload'>
  /** Not even a plain page could be shown. */
  readonly windowClosed: () => void
  /** Whether to open a link that takes many requests. @param requests null where nobody knows how many */
  readonly agreesToLink: (requests: number | null) => Promise<boolean>
}

/** @param window over which they open; null for none */
export function createDialogs(
  dialog: Pick<Dialog, 'showMessageBox'>,
  window: () => BaseWindow | null,
): Dialogs {
  const show = (options: MessageBoxOptions): Promise<MessageBoxReturnValue> => {
    const over = window()
    const whole = { title: 'Traffic Desk', defaultId: 0, cancelId: 0, ...options }
    return over ? dialog.showMessageBox(over, whole) : dialog.showMessageBox(whole)
  }
  return {
    waitOrReload: async (signal) => {
      const { response } = await show({
        type: 'warning',
        message: 'The window does not answer',
        detail: 'Wait for it, or load it again. Text that you were typing may be lost then.',
        buttons: ['Wait', 'Load again'],
        signal,
      })
      return response === 1 ? 'reload' : 'wait'
    },
    windowClosed: () => {
      void show({
        type: 'error',
        message: 'The window keeps crashing and was closed',
        detail: 'The saved data is safe. Start Traffic Desk again to open the window.',
      })
    },
    agreesToLink: async (requests) => {
      const often = requests === null ? 'many times' : `up to ${requests.toLocaleString('en')} times`
      const { response } = await show({
        type: 'question',
        message: `This link asks the service ${often}`,
        detail:
          'A link can be written by anybody, and asks the service in your name. Open it if you know where it comes from.',
        buttons: ['Do not open', 'Open'],
      })
      return response === 1
    },
  }
}

type DeskShellParts = {
  readonly clipboard: Pick<Clipboard, 'writeText'>
  readonly dialog: Pick<Dialog, 'showOpenDialog'>
  readonly shell: Pick<Shell, 'showItemInFolder' | 'openPath'>
  readonly theme: Pick<NativeTheme, 'themeSource'>
  /** The folder of what `npm run notices` wrote. */
  readonly thirdParty: string
  readonly downloads: () => string
  /** The desk's window, over which dialogs open. */
  readonly window: () => BrowserWindow | null
  readonly print: (address: string, signal: AbortSignal) => Promise<Uint8Array>
  readonly startAtLogin: (start: boolean) => void
  /** Makes what starts at login be this program, which may have moved since. @throws DeskFailure as above */
  readonly repairStartAtLogin: () => void
  readonly showTray: (wanted: boolean) => void
  readonly restart: () => void
}

export function createDeskShell(parts: DeskShellParts): DeskShell {
  const { clipboard, dialog, shell, theme, window } = parts
  let startsAtLogin: boolean | undefined

  async function chooseSome(options: Electron.OpenDialogOptions): Promise<readonly string[]> {
    const over = window()
    const chosen = await (over ? dialog.showOpenDialog(over, options) : dialog.showOpenDialog(options))
    return chosen.canceled ? [] : chosen.filePaths
  }

  const choose = async (options: Electron.OpenDialogOptions) => (await chooseSome(options))[0] ?? null

  return {
    copy: (text) => {
      void clipboard.writeText(text)
    },
    chooseFolder: (title = 'Folder for downloads') =>
      choose({ title, properties: ['openDirectory', 'createDirectory'] }),
    chooseViewsFile: () =>
      choose({
        title: 'Views to import',
        properties: ['openFile'],
        filters: [{ name: 'Views of Traffic Desk', extensions: ['json'] }],
      }),
    choosePicture: () =>
      choose({
        title: 'Logo for PDFs',
        properties: ['openFile'],
        filters: [{ name: 'PNG and JPEG pictures', extensions: ['png', 'jpg', 'jpeg'] }],
      }),
    chooseBackup: () =>
      choose({
        title: 'Backup to restore',
        properties: ['openFile'],
        // A state that was set aside or copied by itself is restored alike. The last ending was that of an older kind.
        filters: [{ name: 'Backups of Traffic Desk', extensions: [backupEnding, 'sqlite', 'desk-backup'] }],
      }),
    restart: parts.restart,
    notices: async () => ({ text: await readFile(join(parts.thirdParty, 'notices.txt'), 'utf8') }),
    partsList: () => readFile(join(parts.thirdParty, 'sbom.cdx.json'), 'utf8'),
    chooseTables: () =>
      chooseSome({
        title: 'Archives of raw rows',
        properties: ['openFile', 'multiSelections'],
        filters: [{ name: 'ZIP and CSV files', extensions: ['zip', 'csv', 'tsv', 'txt'] }],
      }),
    downloads: parts.downloads,
    showFile: (path) => {
      shell.showItemInFolder(path)
    },
    openFile: (path) => shell.openPath(path),
    print: parts.print,
    apply: async (settings) => {
      theme.themeSource = settings.theme
      const isStart = startsAtLogin === undefined
      // At the start what the machine has is left alone, but for a program that has moved; only what changes is written.
      if (!isStart && startsAtLogin !== settings.startAtLogin) parts.startAtLogin(settings.startAtLogin)
      startsAtLogin = settings.startAtLogin
      parts.showTray(settings.closeToTray)
      if (isStart && startsAtLogin) parts.repairStartAtLogin()
    },
  }
}
