import { cancelled } from './with-timeout.ts'

/** Somebody who waits for work: until when, and how far it is. */
export type Waiting<P> = {
  readonly signal: AbortSignal
  readonly hear?: ((progress: P) => void) | undefined
}

type Running<T, P> = {
  readonly answer: Promise<T>
  readonly controller: AbortController
  readonly waiting: Set<Waiting<P>>
}

/** Work that several may wait for: it is done once, and goes on as long as somebody waits for it. */
export class SingleFlight<T, P = never> {
  readonly #running = new Map<string, Running<T, P>>()

  /**
   * Joins the work with this id, or begins it.
   * @param begin its signal is aborted when the last who waits has left
   * @throws DeskFailure `cancelled` as soon as the signal is aborted, and whatever `begin` rejects with
   */
  join(
    id: string,
    waiting: Waiting<P>,
    begin: (signal: AbortSignal, progress: (progress: P) => void) => Promise<T>,
  ): Promise<T> {
    if (waiting.signal.aborted) return Promise.reject(cancelled())
    const running = this.#running.get(id) ?? this.#begin(id, begin)
    running.waiting.add(waiting)
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#leave(id, running, waiting)
        reject(cancelled())
      }
      waiting.signal.addEventListener('abort', leave, { once: true })
      const over = () => waiting.signal.removeEventListener('abort', leave)
      running.answer.then(resolve, reject).then(over, over)
    })
  }

  #begin(
    id: string,
    begin: (signal: AbortSignal, progress: (progress: P) => void) => Promise<T>,
  ): Running<T, P> {
    const controller = new AbortController()
    const waiting = new Set<Waiting<P>>()
    const answer = begin(controller.signal, (progress) => waiting.forEach(({ hear }) => hear?.(progress)))
    const running: Running<T, P> = { answer, controller, waiting }
    this.#running.set(id, running)
    const end = () => this.#end(id, running)
    answer.then(end, end)
    return running
  }

  /** Nobody waits any more: it is broken off, and who asks anew begins anew. */
  #leave(id: string, running: Running<T, P>, waiting: Waiting<P>): void {
    running.waiting.delete(waiting)
    if (running.waiting.size > 0) return
    this.#end(id, running)
    running.controller.abort()
  }

  #end(id: string, running: Running<T, P>): void {
    if (this.#running.get(id) === running) this.#running.delete(id)
  }
}

/** Those who wait for an answer, by what they asked, so that they can give up. */
export class Cancellations {
  readonly #running = new Map<string, Set<AbortController>>()

  /** Does what is asked under this id, with a signal that `cancel` aborts. */
  async run<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const running = this.#running.get(id) ?? new Set()
    this.#running.set(id, running.add(controller))
    try {
      return await work(controller.signal)
    } finally {
      running.delete(controller)
      if (running.size === 0 && this.#running.get(id) === running) this.#running.delete(id)
    }
  }

  cancel(id: string): void {
    for (const controller of this.#running.get(id) ?? []) controller.abort()
  }

  /** Cancels everything whose id begins so. */
  cancelAll(beginning: string): void {
    for (const id of [...this.#running.keys()]) if (id.startsWith(beginning)) this.cancel(id)
  }
}
