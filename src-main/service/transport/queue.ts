import { cancelled } from '../service-failure.ts'

/** Who waits for a request: a person in front of the screen, or nobody at the moment. */
export type Priority = 'person' | 'background'

type Waiting = { readonly priority: Priority; readonly start: () => void }

/** Of so many requests of persons in a row, the next is a background one: those must not wait for ever. */
const PERSONS_IN_A_ROW = 8

/**
 * Lets a few requests run at once. Persons go first; background requests leave one place free, so that a person never
 * waits behind several slow ones that nobody looks at.
 */
export class RequestQueue {
  readonly #places: number
  readonly #waiting: Waiting[] = []
  #running = 0
  #inBackground = 0
  #personsInARow = 0

  constructor(places: number) {
    this.#places = places
  }

  /**
   * Runs work when there is a place.
   * @throws ServiceFailure of kind `cancelled` where the signal is aborted before it began
   */
  async run<T>(priority: Priority, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(priority, signal)
    try {
      return await work()
    } finally {
      this.#running -= 1
      if (priority === 'background') this.#inBackground -= 1
      this.#startNext()
    }
  }

  #enter(priority: Priority, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(cancelled())
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(cancelled())
      }
      const waiting: Waiting = {
        priority,
        start: () => {
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(waiting)
      this.#startNext()
    })
  }

  #startNext(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      this.#running += 1
      if (next.priority === 'background') this.#inBackground += 1
      this.#personsInARow = next.priority === 'person' ? this.#personsInARow + 1 : 0
      next.start()
    }
  }

  #next(): Waiting | undefined {
    if (this.#running >= this.#places) return undefined
    const person = this.#waiting.find((each) => each.priority === 'person')
    const background =
      this.#inBackground < this.#places - 1
        ? this.#waiting.find((each) => each.priority === 'background')
        : undefined
    return this.#personsInARow >= PERSONS_IN_A_ROW ? (background ?? person) : (person ?? background)
  }
}
