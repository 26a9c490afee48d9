import { trayPicture } from './tray-picture.ts'
import type { TrayFacts } from './tray-picture.ts'
import type { TrayPicture } from './tray.ts'

export type TrayFeedParts = {
  readonly facts: () => Promise<Omit<TrayFacts, 'now'>>
  readonly show: (picture: TrayPicture, facts: Omit<TrayFacts, 'now'>) => void
  readonly now: () => number
  /** Runs something after so many milliseconds; the result calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void
}

/** Changes come in swarms; so many milliseconds after the first, all are shown. */
const together = 250
/** How long ago a report began is said in minutes. */
const minute = 60_000

/** Keeps the tray's picture true: it is drawn anew when something changed, and each minute while reports are made. */
export class TrayFeed {
  readonly #parts: TrayFeedParts
  #callOff: (() => void) | null = null
  #due = Infinity
  #closed = false

  constructor(parts: TrayFeedParts) {
    this.#parts = parts
  }

  changed(): void {
    this.#in(together)
  }

  close(): void {
    this.#closed = true
    this.#callOff?.()
  }

  #in(milliseconds: number): void {
    const due = this.#parts.now() + milliseconds
    if (this.#closed || due >= this.#due) return
    this.#callOff?.()
    this.#due = due
    this.#callOff = this.#parts.after(milliseconds, () => void this.#draw())
  }

  async #draw(): Promise<void> {
    this.#due = Infinity
    try {
      const facts = await this.#parts.facts()
      if (this.#closed) return
      this.#parts.show(trayPicture({ ...facts, now: this.#parts.now() }), facts)
      if (facts.raw.running.length > 0) this.#in(minute)
    } catch {
      // The store refuses, and says so for itself; what is shown stays.
    }
  }
}
