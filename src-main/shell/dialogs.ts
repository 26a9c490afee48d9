import type { BaseWindow, Dialog, MessageBoxOptions, MessageBoxReturnValue } from 'electron'

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
