const noon = Date.parse('2026-11-20T12:00:00Z')

/** A clock on which every look takes a millisecond, as between a list and what is done with it. */
export class TickingClock {
  time: number
  #alarms: { readonly at: number; readonly ring: () => void }[] = []

  constructor(start: number = noon) {
    this.time = start
  }

  readonly now = () => (this.time += 1)

  readonly wait = (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const alarm = { at: this.time + milliseconds, ring: resolve }
      this.#alarms.push(alarm)
      signal.addEventListener('abort', () => {
        this.#alarms = this.#alarms.filter((each) => each !== alarm)
        reject(new DOMException('stopped', 'AbortError'))
      })
    })

  /** When the next of those who wait is rung. */
  nextAlarm(): number {
    return Math.min(...this.#alarms.map(({ at }) => at))
  }

  /** Moves time, and rings whoever waited for it. */
  move(milliseconds: number): void {
    this.time += milliseconds
    const due = this.#alarms.filter(({ at }) => at <= this.time)
    this.#alarms = this.#alarms.filter(({ at }) => at > this.time)
    for (const { ring } of due) ring()
  }
}
