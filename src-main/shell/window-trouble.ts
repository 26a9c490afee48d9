import type { BrowserWindow } from 'electron'
import type { Notice } from '#shared/app/state.ts'
import { safeAddress, windowAddress } from './app-scheme.ts'

/** Twice within this many milliseconds: showing the same view anew does not help. */
const debounceMs = 60_000

const reloaded: Notice = {
  id: 'window-reloaded',
  tone: 'warning',
  title: 'The window had stopped',
  text: 'It was opened again. The saved data is safe. Text that you were typing may be lost.',
}

type TroubledWindow = Pick<BrowserWindow, 'on' | 'loadURL' | 'destroy'> & {
  readonly webContents: Pick<
    BrowserWindow['webContents'],
    'on' | 'getURL' | 'isCrashed' | 'forcefullyCrashRenderer'
  >
}

type WindowTroubleParts = {
  readonly showNotice: (notice: Notice) => void
  readonly log: (words: string) => void
  readonly now: () => number
  /** Asks whether to wait for a window that does not answer, or to load it anew; the signal takes the question back. */
  readonly waitOrReload: (signal: AbortSignal) => Promise<'wait' | 'reload'>
  /** Says that not even the plain page can be shown. The window is closed then; what goes on without it does. */
  readonly windowClosed: () => void
  /** The one view of a window that leads to no other: no plain page takes its place. */
  readonly only?: string
}

/**
 * Opens the window's page anew where its process has gone: first the view that was open, then a plain page without scripts
 * that leads to the others. One that does not answer is waited for or loaded anew, as the person decides.
 */
export function watchWindow(
  window: TroubledWindow,
  { showNotice, log, now, waitOrReload, windowClosed, only }: WindowTroubleParts,
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
    const answer = await waitOrReload(controller.signal).catch(() => 'wait' as const)
    if (controller.signal.aborted) return
    asking = null
    if (answer === 'wait' || webContents.isCrashed()) return
    isRetried = true
    // A page that does not answer does not load another one either: its process has to go first.
    webContents.forcefullyCrashRenderer()
  }

  webContents.on('render-process-gone', (_, { reason, exitCode }) => {
    takeQuestionBack()
    if (reason === 'clean-exit') return
    log(`The window's process has gone: ${reason}, code ${exitCode}`)
    const again = now() - last < debounceMs
    last = now()
    if (again && !isRetried) {
      if (only !== undefined || webContents.getURL().startsWith(safeAddress)) {
        window.destroy()
        windowClosed()
      } else void window.loadURL(safeAddress)
      return
    }
    isRetried = false
    showNotice(reloaded)
    void window.loadURL(`${windowAddress}${only ?? ''}`)
  })
  window.on('unresponsive', () => {
    log('The window does not answer')
    void ask()
  })
  window.on('responsive', () => {
    log('The window answers again')
    takeQuestionBack()
  })
  window.on('closed', takeQuestionBack)
}
