import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'

const cancelled = () => new DeskFailure({ kind: 'cancelled', message: 'Cancelled.' })

type Flight<T> = { readonly answer: Promise<T>; readonly controller: AbortController }

/** Questions on their way to the service: the same one asked twice at once is one request. */
export class Flights<T> {
  readonly #running = new Map<string, Flight<T>>()

  /**
   * Joins the request with this id, or starts it. A cancelled one is over at once, whatever still comes of it.
   * @throws DeskFailure `cancelled`, and whatever `start` rejects with
   */
  fly(id: string, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = this.#running.get(id)
    if (running) return running.answer
    const controller = new AbortController()
    const answer = orCancelled(start(controller.signal), controller.signal)
    const flight: Flight<T> = { answer, controller }
    this.#running.set(id, flight)
    const land = () => {
      if (this.#running.get(id) === flight) this.#running.delete(id)
    }
    answer.then(land, land)
    return answer
  }

  cancel(id: string): void {
    const running = this.#running.get(id)
    this.#running.delete(id)
    running?.controller.abort()
  }

  /** Cancels every request whose id begins so. */
  cancelAll(beginning: string): void {
    for (const id of [...this.#running.keys()]) if (id.startsWith(beginning)) this.cancel(id)
  }
}

function orCancelled<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(cancelled()), { once: true })
    answer.then(resolve, reject)
  })
}
