import type { PowerMonitor } from 'electron'
import type { AppEvents } from '#main/lib/app-events.ts'
import { bringToFront } from './window.ts'
import type { DeskWindow, AppWindows } from './window.ts'

/**
 * Window of the locked app, in place of the main window, whose process ends. Requests to show the main window wait for the
 * unlock. Then only the latest runs; without one, the main window reopens at its last view.
 */
export class LockScreen {
  readonly #lock: { readonly locked: boolean }
  readonly #desk: DeskWindow
  readonly #windows: AppWindows
  #waiting: (() => void) | null = null
  /** Address of the main window when it was locked. */
  #address: string | null = null

  constructor(lock: { readonly locked: boolean }, desk: DeskWindow, windows: AppWindows, events: AppEvents) {
    this.#lock = lock
    this.#desk = desk
    this.#windows = windows
    events.on('lock/changed', () => this.#changed())
    events.on('window/wanted', ({ address }) => this.reveal(() => desk.show(address)))
  }

  /** Runs `show`, or shows the main window. While locked, shows the lock window and runs `show` after the unlock. */
  reveal(show?: () => void): void {
    if (!this.#lock.locked) {
      if (show) show()
      else this.#desk.show()
      return
    }
    this.#waiting = show ?? this.#waiting
    if (this.#windows.lock) bringToFront(this.#windows.lock)
    else this.#open()
  }

  #changed(): void {
    const window = this.#windows.lock
    if (this.#lock.locked) {
      if (this.#windows.desk && !window) this.#open()
    } else if (window) {
      const show = this.#waiting
      const address = this.#address
      this.#forget()
      // Main window first: an app without a window may quit.
      if (show) show()
      else this.#desk.show(address)
      window.close()
    }
  }

  #open(): void {
    const { desk } = this.#windows
    const window = this.#windows.openLock()
    // The user closed the lock window, which stands for the main window.
    window.once('closed', () => {
      if (this.#windows.lock === window) this.#forget()
    })
    if (!desk) return
    this.#address = new URL(desk.webContents.getURL()).hash || null
    // `destroy` instead of `close`, which the page could prevent.
    desk.destroy()
  }

  #forget(): void {
    this.#windows.lock = null
    this.#waiting = null
    this.#address = null
  }
}

/** Locks the app when the user locks the screen or the machine sleeps. `resume` covers a missed `suspend` event. */
export function lockWhenLeft(power: Pick<PowerMonitor, 'on'>, desk: { readonly lock: () => void }): void {
  const lock = () => {
    desk.lock()
  }
  power.on('lock-screen', lock)
  power.on('suspend', lock)
  power.on('resume', lock)
}
