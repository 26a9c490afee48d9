import type { BaseWindow, Dialog, MessageBoxOptions, MessageBoxReturnValue } from 'electron'

/** What is asked or said where the window cannot do it itself. */
export class Dialogs {
  readonly #dialog: Pick<Dialog, 'showMessageBox'>
  readonly #windows: { readonly front: BaseWindow | null }

  /** @param windows over the front one of which they open */
  constructor(dialog: Pick<Dialog, 'showMessageBox'>, windows: { readonly front: BaseWindow | null }) {
    this.#dialog = dialog
    this.#windows = windows
  }

  /** The window does not answer. The signal takes the question back. */
  async waitOrReload(signal: AbortSignal): Promise<'wait' | 'reload'> {
    const { response } = await this.#show({
      type: 'warning',
      message: 'The window is not responding',
      detail: 'Wait, or reload it. Text you were typing may be lost.',
      buttons: ['Wait', 'Reload'],
      signal,
    })
    return response === 1 ? 'reload' : 'wait'
  }

  /** Not even a plain page could be shown: the window is closed, and what goes on without it does. */
  windowClosed(): void {
    void this.#show({
      type: 'error',
      message: 'The window keeps crashing and was closed',
      detail: 'Saved data is safe. Restart Traffic Desk to open the window.',
    })
  }

  /** Whether to open a link that takes many requests. @param requests null where nobody knows how many */
  async agreesToLink(requests: number | null): Promise<boolean> {
    const often = requests === null ? 'many times' : `up to ${requests.toLocaleString('en')} times`
    const { response } = await this.#show({
      type: 'question',
      message: `This link sends requests to the service ${often}`,
      detail: 'Anyone can write a link, and it uses your account. Open it only if you trust its source.',
      buttons: ["Don't open", 'Open'],
    })
    return response === 1
  }

  #show(options: MessageBoxOptions): Promise<MessageBoxReturnValue> {
    const over = this.#windows.front
    const whole = { title: 'Traffic Desk', defaultId: 0, cancelId: 0, ...options }
    return over ? this.#dialog.showMessageBox(over, whole) : this.#dialog.showMessageBox(whole)
  }
}
