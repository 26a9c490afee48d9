import type { Timers } from '#renderer/stores/stays.ts'

/** A clock that stands until it is moved. */
export class Hands implements Timers {
  #now = 0
  #next = 0
  #due: { id: number; at: number; run: () => void }[] = []

  readonly setTimeout = (run: () => void, after: number) => {
    this.#next += 1
    this.#due.push({ id: this.#next, at: this.#now + after, run })
    return this.#next
  }

  readonly clearTimeout = (id: number) => {
    this.#due = this.#due.filter((each) => each.id !== id)
  }

  move(by: number): void {
    this.#now += by
    const due = this.#due.filter(({ at }) => at <= this.#now)
    this.#due = this.#due.filter(({ at }) => at > this.#now)
    due.forEach(({ run }) => run())
  }
}
