import type { BaseWindow, Dialog, MessageBoxOptions, MessageBoxReturnValue } from 'electron'

/** System dialogs for cases in which the window cannot show its own. */
export class Dialogs {
  readonly #dialog: Pick<Dialog, 'showMessageBox'>
  readonly #windows: { readonly front: BaseWindow | null }

  /** @param windows dialogs open over the front window */
  constructor(dialog: Pick<Dialog, 'showMessageBox'>, windows: { readonly front: BaseWindow | null }) {
    this.#dialog = dialog
    this.#windows = windows
  }

  /** Shown when the window is unresponsive. The signal closes the dialog. */
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

  /** Shown after even the plain page crashed. The window is closed; background work continues. */
  windowClosed(): void {
    void this.#show({
      type: 'error',
      message: 'The window keeps crashing and was closed',
      detail: 'Saved data is safe. Restart Traffic Desk to open the window.',
    })
  }

  /** Asks whether to open a link that needs many requests. @param requests null if the number is unknown */
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
