/** What a window may ask in one go, and what it gains a second: far more than any hand or view asks. */
const max = 2000
const perSecond = 200

/** What a page that was taken over could do by asking and asking: its calls are refused until it has waited. */
export class Budget {
  readonly #now: () => number
  #left = max
  #at: number

  /** @param now in milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now
    this.#at = now()
  }

  /** Whether what costs so much may be done now. */
  spend(cost: number): boolean {
    const now = this.#now()
    // A clock that was put back gives nothing, and takes nothing.
    const gained = (Math.max(0, now - this.#at) / 1000) * perSecond
    this.#at = now
    this.#left = Math.min(max, this.#left + gained)
    if (this.#left < cost) return false
    this.#left -= cost
    return true
  }
}
