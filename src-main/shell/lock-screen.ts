import type { BrowserWindow, PowerMonitor } from 'electron'
import { bringToFront } from './window.ts'

export type LockScreenParts = {
  readonly isLocked: () => boolean
  /** The desk's window, where one is open. */
  readonly desk: () => BrowserWindow | null
  /** Opens a window with the lock alone in it, where the desk's window is or was, and looks after it. */
  readonly open: (desk: BrowserWindow | null) => BrowserWindow
  /** Shows the desk's window. */
  readonly show: () => void
}

/**
 * What is seen of a locked desk: a window of its own in place of the desk's, which is hidden with all that a person had in it,
 * and gets nothing. Whatever would show the desk waits until it is opened; the newest is done then.
 */
export class LockScreen {
  readonly #parts: LockScreenParts
  #window: BrowserWindow | null = null
  #waiting: (() => void) | null = null

  constructor(parts: LockScreenParts) {
    this.#parts = parts
  }

  /** The window with the lock, where one is open. */
  get window(): BrowserWindow | null {
    return this.#window
  }

  /** Does what shows the desk, now or once it is opened; until then the lock is shown. */
  reveal(show: () => void = this.#parts.show): void {
    if (!this.#parts.isLocked()) return show()
    this.#waiting = show
    if (this.#window) bringToFront(this.#window)
    else this.#open()
  }

  /** The lock was closed, opened, or set otherwise. */
  changed(): void {
    if (this.#parts.isLocked()) {
      if (this.#parts.desk() && !this.#window) this.#open()
    } else if (this.#window) {
      const window = this.#window
      const show = this.#waiting ?? this.#parts.show
      this.#window = null
      this.#waiting = null
      // First the desk: an app without a window may end.
      show()
      window.close()
    }
  }

  #open(): void {
    const desk = this.#parts.desk()
    const window = this.#parts.open(desk)
    this.#window = window
    desk?.hide()
    // A window that was about to be shown is hidden as well.
    desk?.once('show', () => {
      if (this.#parts.isLocked()) desk.hide()
    })
    window.once('closed', () => {
      if (this.#window !== window) return
      this.#window = null
      this.#waiting = null
      // Closed by the person: so is what it stands for.
      this.#parts.desk()?.close()
    })
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
