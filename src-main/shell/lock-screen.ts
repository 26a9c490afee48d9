import type { PowerMonitor } from 'electron'
import type { AppEvents } from '#main/lib/app-events.ts'
import { bringToFront } from './window.ts'
import type { DeskWindow, Windows } from './window.ts'

/**
 * What is seen of a locked desk: a window of its own in place of the desk's, which is gone with its process. Whatever would
 * show the desk waits until it is opened; the newest is done then, else the desk's window is opened where it was.
 */
export class LockScreen {
  readonly #lock: { readonly locked: boolean }
  readonly #desk: Pick<DeskWindow, 'show'>
  readonly #windows: Pick<Windows, 'desk' | 'lock' | 'openLock'>
  #waiting: (() => void) | null = null
  /** Where the desk's window was. */
  #address: string | null = null

  constructor(
    lock: { readonly locked: boolean },
    desk: Pick<DeskWindow, 'show'>,
    windows: Pick<Windows, 'desk' | 'lock' | 'openLock'>,
    events: Pick<AppEvents, 'on'>,
  ) {
    this.#lock = lock
    this.#desk = desk
    this.#windows = windows
    events.on('lock/changed', () => this.#changed())
    events.on('window/wanted', ({ address }) => this.reveal(() => desk.show(address)))
  }

  /** Does what shows the desk, now or once it is opened; until then the lock is shown. */
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

  /** The lock was closed, opened, or set otherwise. */
  #changed(): void {
    const window = this.#windows.lock
    if (this.#lock.locked) {
      if (this.#windows.desk && !window) this.#open()
    } else if (window) {
      const show = this.#waiting
      const address = this.#address
      this.#forget()
      // First the desk: an app without a window may end.
      if (show) show()
      else this.#desk.show(address)
      window.close()
    }
  }

  #open(): void {
    const { desk } = this.#windows
    const window = this.#windows.openLock()
    // Closed by the person: so is what it stands for.
    window.once('closed', () => {
      if (this.#windows.lock === window) this.#forget()
    })
    if (!desk) return
    this.#address = new URL(desk.webContents.getURL()).hash || null
    // Not closed: no page can have a say in it.
    desk.destroy()
  }

  #forget(): void {
    this.#windows.lock = null
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
