import { DeskFailure } from '#shared/api/failure.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'

/** Time as the app sees it; tests hand in their own. */
export type Clock = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Resolves after so many milliseconds; rejects as soon as the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        reject(signal.reason as Error)
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', leave)
        resolve()
      }, milliseconds)
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
    }),
}

/** Runs something after so many milliseconds; the result calls it off. */
export function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds)
  return () => {
    clearTimeout(timer)
  }
}

export type Timeout = {
  readonly milliseconds: number
  /** Ends the waiting earlier. */
  readonly signal?: AbortSignal
  /** What the error is when the time is up; a DeskFailure `timed-out` where left out. */
  readonly late?: () => Error
  readonly clock?: Pick<Clock, 'wait'>
}

/** What is thrown where somebody gave up waiting. */
export const cancelled = () => new DeskFailure({ kind: 'cancelled', message: 'Cancelled.' })

/** @throws DeskFailure `cancelled` */
export function throwIfCancelled({ aborted }: AbortSignal): void {
  if (aborted) throw cancelled()
}

/**
 * Waits for `work`, but no longer than until the signal is aborted. Work that does not heed the signal goes on, and
 * nobody hears of its end. It is not begun where the signal is aborted already.
 * @param reason what the error is then
 * @throws `reason`, and whatever `work` rejects with before
 */
export async function withSignal<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
  reason: () => Error = cancelled,
): Promise<T> {
  if (signal.aborted) throw reason()
  let leave = () => {}
  try {
    return await new Promise<T>((resolve, reject) => {
      leave = () => reject(reason())
      signal.addEventListener('abort', leave, { once: true })
      work().then(resolve, reject)
    })
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

/**
 * Waits for `work`, but no longer than so many milliseconds. Its signal is aborted then, and with the one given.
 * @throws what `late` makes when the time is up; DeskFailure `cancelled` when the signal given is aborted; whatever
 * `work` rejects with before
 */
export async function withTimeout<T>(
  { milliseconds, signal, late = tooLate, clock = systemClock }: Timeout,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const expired = new AbortController()
  const over = new AbortController()
  clock.wait(milliseconds, over.signal).then(
    () => expired.abort(),
    () => undefined,
  )
  const either = signal ? AbortSignal.any([signal, expired.signal]) : expired.signal
  try {
    return await withSignal(
      either,
      () => work(either),
      () => (expired.signal.aborted ? late() : cancelled()),
    )
  } finally {
    over.abort()
  }
}

const tooLate = () => new DeskFailure({ kind: 'timed-out', message: 'It took too long.' })

/** Waits for work to end, well or badly, and no longer than so many milliseconds; it goes on by itself then. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  await withTimeout({ milliseconds }, () => work).catch(() => undefined)
}

/** Somebody who waits for work: until when, and how far it is. */
export type Waiting<P> = {
  readonly signal: AbortSignal
  readonly onFetchProgress?: ((progress: P) => void) | undefined
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
    const answer = begin(controller.signal, (progress) =>
      waiting.forEach(({ onFetchProgress }) => onFetchProgress?.(progress)),
    )
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

/** What tells questions of different accounts, or owners, apart. The ids of one all begin alike. */
export const idOf = (whose: AccountId | DataScopeId, key: string) => `${whose} ${key}`

/**
 * Work that several ask for at about the same time, and that counts only where it begins after it was asked for: who comes while
 * one runs waits for the next, together with everybody else who came meanwhile.
 */
export class Shared<K, T> {
  readonly #running = new Map<K, Promise<unknown>>()
  readonly #next = new Map<K, Promise<T>>()

  /** The next run of this work that has not begun yet. @throws whatever `work` rejects with */
  next(key: K, work: () => Promise<T>): Promise<T> {
    const next = this.#next.get(key)
    if (next) return next
    const before = this.#running.get(key)
    const begin = (): Promise<T> => {
      this.#next.delete(key)
      const running = work()
      this.#running.set(key, running)
      const end = () => {
        if (this.#running.get(key) === running) this.#running.delete(key)
      }
      running.then(end, end)
      return running
    }
    if (!before) return begin()
    const waiting = before.then(begin, begin)
    this.#next.set(key, waiting)
    return waiting
  }
}
