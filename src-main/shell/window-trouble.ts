import type { BrowserWindow } from 'electron'
import type { Notice } from '../../src-shared/desk/state.ts'
import { windowAddress } from './app-address.ts'

/** Twice within this many milliseconds: loading the window anew does not help. */
const tooSoon = 60_000

const reloaded: Notice = {
  id: 'window-reloaded',
  tone: 'warning',
  title: 'The window had stopped',
  text: 'It was opened again. The saved data is safe. Text that you were typing may be lost.',
}

export type WindowTroubleParts = {
  readonly raise: (notice: Notice) => void
  readonly log: (words: string) => void
  readonly now: () => number
  /** Says that the window stops again and again; the app then ends. */
  readonly giveUp: () => void
}

/** Opens the window's page anew where its process has gone, once; writes down where it does not answer. */
export function watchWindow(
  window: Pick<BrowserWindow, 'webContents' | 'on' | 'loadURL'>,
  { raise, log, now, giveUp }: WindowTroubleParts,
): void {
  let last = -Infinity
  window.webContents.on('render-process-gone', (_, { reason, exitCode }) => {
    if (reason === 'clean-exit') return
    log(`The window's process has gone: ${reason}, code ${exitCode}`)
    if (now() - last < tooSoon) {
      giveUp()
      return
    }
    last = now()
    raise(reloaded)
    void window.loadURL(windowAddress)
  })
  window.on('unresponsive', () => {
    log('The window does not answer')
  })
  window.on('responsive', () => {
    log('The window answers again')
  })
}
