import type { Clock } from '#main/lib/async.ts'

type Alarm = { readonly at: number; readonly ring: () => void }

/** A clock that stands still until it is moved. */
export class HandClock implements Clock {
  #time: number
  #alarms: Alarm[] = []

  constructor(start: string) {
    this.#time = Date.parse(start)
  }

  readonly now = () => this.#time

  readonly wait = (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const alarm: Alarm = { at: this.#time + milliseconds, ring: resolve }
      this.#alarms.push(alarm)
      signal.addEventListener('abort', () => {
        this.#alarms = this.#alarms.filter((each) => each !== alarm)
        reject(new DOMException('stopped', 'AbortError'))
      })
    })

  /** How long each of those who wait has to wait still, in milliseconds, the shortest first. */
  waiting(): number[] {
    return this.#alarms.map((each) => each.at - this.#time).sort((a, b) => a - b)
  }

  /** Moves time, rings whoever waited for it, and lets all that follows from that happen. */
  async move(milliseconds: number): Promise<void> {
    this.#time += milliseconds
    const due = this.#alarms.filter((each) => each.at <= this.#time)
    this.#alarms = this.#alarms.filter((each) => each.at > this.#time)
    for (const alarm of due) alarm.ring()
    await settled()
  }
}

/** Everything that only waits for promises has happened. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
