import type { BrowserWindow } from 'electron'
import { bringToFront } from './window.ts'

export type DeskWindowParts = {
  /** Opens a window, at the address of a view where one is asked for. */
  readonly open: (address: string | null) => BrowserWindow
  /** Asks the window that is open to go to a view. */
  readonly navigate: (address: string) => void
  /** Hears whether a window is open now. */
  readonly watched: (open: boolean) => void
}

/** The one window of the desk: closed, it is gone and costs nothing; asked for, it is opened or brought to the front. */
export class DeskWindow {
  readonly #parts: DeskWindowParts
  #window: BrowserWindow | null = null

  constructor(parts: DeskWindowParts) {
    this.#parts = parts
  }

  get window(): BrowserWindow | null {
    return this.#window
  }

  /** Shows the window, at a view where a link asks for one. */
  show(address: string | null = null): void {
    if (this.#window) {
      bringToFront(this.#window)
      if (address !== null) this.#parts.navigate(address)
      return
    }
    const window = this.#parts.open(address)
    this.#window = window
    window.once('closed', () => {
      this.#window = null
      this.#parts.watched(false)
    })
    window.once('ready-to-show', () => {
      this.#parts.watched(true)
    })
  }
}
