import type { BrowserWindow } from 'electron'
import type { Notice } from '#shared/app/state.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import { safeAddress, windowAddress } from './app-scheme.ts'
import type { Dialogs } from './dialogs.ts'
import type { Log } from './log.ts'

/** A second crash within this many ms: reloading the same view does not help. */
const debounceMs = 60_000

const reloaded: Notice = {
  id: 'window-reloaded',
  tone: 'warning',
  title: 'The window stopped',
  text: 'It was opened again. Saved data is safe. Text you were typing may be lost.',
}

type TroubledWindow = Pick<BrowserWindow, 'on' | 'loadURL' | 'destroy'> & {
  readonly webContents: Pick<
    BrowserWindow['webContents'],
    'on' | 'getURL' | 'isCrashed' | 'forcefullyCrashRenderer'
  >
}

/**
 * Reloads the window after a renderer crash: first the open view, then a plain page without scripts that links to other views.
 * If the window is unresponsive, the user chooses to wait or to reload.
 * @param only the only view of a window without navigation; such a window has no plain page and no notice
 */
export function watchWindow(
  window: TroubledWindow,
  dialogs: Dialogs,
  events: AppEvents,
  log: Log,
  only?: string,
): void {
  const { webContents } = window
  let last = -Infinity
  let isRetried = false
  let asking: AbortController | null = null

  const takeQuestionBack = () => {
    asking?.abort()
    asking = null
  }

  async function ask(): Promise<void> {
    takeQuestionBack()
    const controller = new AbortController()
    asking = controller
    const answer = await dialogs.waitOrReload(controller.signal).catch(() => 'wait' as const)
    if (controller.signal.aborted) return
    asking = null
    if (answer === 'wait' || webContents.isCrashed()) return
    isRetried = true
    // An unresponsive page cannot load another one, so its process is ended first.
    webContents.forcefullyCrashRenderer()
  }

  webContents.on('render-process-gone', (_, { reason, exitCode }) => {
    takeQuestionBack()
    if (reason === 'clean-exit') return
    log('window', `The window's process has gone: ${reason}, code ${exitCode}`)
    const again = Date.now() - last < debounceMs
    last = Date.now()
    if (again && !isRetried) {
      if (only !== undefined || webContents.getURL().startsWith(safeAddress)) {
        window.destroy()
        dialogs.windowClosed()
      } else void window.loadURL(safeAddress)
      return
    }
    isRetried = false
    if (only === undefined) events.emit({ kind: 'notice/shown', notice: reloaded })
    void window.loadURL(`${windowAddress}${only ?? ''}`)
  })
  window.on('unresponsive', () => {
    log('window', 'The window is not responding')
    void ask()
  })
  window.on('responsive', () => {
    log('window', 'The window answers again')
    takeQuestionBack()
  })
  window.on('closed', takeQuestionBack)
}
