import type { BrowserWindow, PowerMonitor } from 'electron'
import { bringToFront } from './window.ts'

type LockScreenParts = {
  readonly isLocked: () => boolean
  /** The desk's window, where one is open. */
  readonly desk: () => BrowserWindow | null
  /** Opens a window with the lock alone in it, where the desk's window is or was, and looks after it. */
  readonly open: (desk: BrowserWindow | null) => BrowserWindow
  /** Shows the desk's window; null where no address is asked for. */
  readonly show: (address: string | null) => void
}

/**
 * What is seen of a locked desk: a window of its own in place of the desk's, which is gone with its process. Whatever would
 * show the desk waits until it is opened; the newest is done then, else the desk's window is opened where it was.
 */
export class LockScreen {
  readonly #parts: LockScreenParts
  #window: BrowserWindow | null = null
  #waiting: (() => void) | null = null
  /** Where the desk's window was. */
  #address: string | null = null

  constructor(parts: LockScreenParts) {
    this.#parts = parts
  }

  /** The window with the lock, where one is open. */
  get window(): BrowserWindow | null {
    return this.#window
  }

  /** Does what shows the desk, now or once it is opened; until then the lock is shown. */
  reveal(show?: () => void): void {
    if (!this.#parts.isLocked()) {
      if (show) show()
      else this.#parts.show(null)
      return
    }
    this.#waiting = show ?? this.#waiting
    if (this.#window) bringToFront(this.#window)
    else this.#open()
  }

  /** The lock was closed, opened, or set otherwise. */
  changed(): void {
    const window = this.#window
    if (this.#parts.isLocked()) {
      if (this.#parts.desk() && !window) this.#open()
    } else if (window) {
      const show = this.#waiting
      const address = this.#address
      this.#forget()
      // First the desk: an app without a window may end.
      if (show) show()
      else this.#parts.show(address)
      window.close()
    }
  }

  #open(): void {
    const desk = this.#parts.desk()
    const window = this.#parts.open(desk)
    this.#window = window
    // Closed by the person: so is what it stands for.
    window.once('closed', () => {
      if (this.#window === window) this.#forget()
    })
    if (!desk) return
    this.#address = new URL(desk.webContents.getURL()).hash || null
    // Not closed: no page can have a say in it.
    desk.destroy()
  }

  #forget(): void {
    this.#window = null
    this.#waiting = null
    this.#address = null
  }
}

/** Locks as the person locks the screen, or the machine goes to sleep: what a sleeping one missed is made up for as it wakes. */
export function lockWhenLeft(power: Pick<PowerMonitor, 'on'>, desk: { readonly lock: () => void }): void {
  const lock = () => {
    desk.lock()
  }
  power.on('lock-screen', lock)
  power.on('suspend', lock)
  power.on('resume', lock)
}
