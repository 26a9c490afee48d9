import { deskFailure } from '#shared/api/failure.ts'
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
export const cancelled = () => deskFailure('cancelled', 'Cancelled.')

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

const tooLate = () => deskFailure('timed-out', 'It took too long.')

/** Waits for work to end, well or badly, and no longer than so many milliseconds; it goes on by itself then. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  await withTimeout({ milliseconds }, () => work).catch(() => undefined)
}

/** Somebody who waits for work: until when, and how far it is. */
export type Waiting<P> = {
  readonly signal: AbortSignal
  readonly onFetchProgress?: ((progress: P) => void) | undefined
}

type Flight<T, P> = {
  readonly result: Promise<T>
  readonly controller: AbortController
  readonly waiting: Set<Waiting<P>>
}

/** Work under way, by an id. */
export type Flights<T, P = never> = Map<string, Flight<T, P>>

/**
 * Single-flight: joins the work with this id, or begins it. It is done once, and goes on as long as somebody waits for it.
 * @param begin its signal is aborted when the last who waits has left
 * @throws DeskFailure `cancelled` as soon as the signal is aborted, and whatever `begin` rejects with
 */
export async function singleFlight<T, P = never>(
  flights: Flights<T, P>,
  id: string,
  waiting: Waiting<P>,
  begin: (signal: AbortSignal, progress: (progress: P) => void) => Promise<T>,
): Promise<T> {
  throwIfCancelled(waiting.signal)
  const flight = flights.get(id) ?? startFlight(begin)
  const end = () => void (flights.get(id) === flight && flights.delete(id))
  if (flight.waiting.size === 0) {
    flights.set(id, flight)
    flight.result.then(end, end)
  }
  flight.waiting.add(waiting)
  try {
    return await withSignal(waiting.signal, () => flight.result)
  } finally {
    flight.waiting.delete(waiting)
    if (flight.waiting.size === 0 && waiting.signal.aborted) {
      // Who asks anew begins anew.
      end()
      flight.controller.abort()
    }
  }
}

function startFlight<T, P>(
  begin: (signal: AbortSignal, progress: (progress: P) => void) => Promise<T>,
): Flight<T, P> {
  const controller = new AbortController()
  const waiting = new Set<Waiting<P>>()
  const progress = (value: P) => waiting.forEach(({ onFetchProgress }) => onFetchProgress?.(value))
  return { result: begin(controller.signal, progress), controller, waiting }
}

/** What tells questions of different accounts, or data scopes, apart. The ids of one all begin alike. */
export const idOf = (whose: AccountId | DataScopeId, key: string) => `${whose} ${key}`

/** It fires within this time, whatever it is set to: clocks are changed. In milliseconds. */
const longest = 3_600_000
/** Whatever the clock does, it fires no more often; in milliseconds. */
const shortest = 1000

/** Fires once, at the first of several moments. */
export class Timer {
  readonly #clock: Clock
  readonly #ring: () => void
  #waiting = new AbortController()

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** Sets it anew. @param moments in milliseconds since 1970 */
  set(moments: readonly number[]): void {
    this.stop()
    this.#waiting = new AbortController()
    const rest = Math.min(longest, ...moments.map((time) => time - this.#clock.now()))
    this.#clock.wait(Math.max(shortest, rest), this.#waiting.signal).then(this.#ring, () => undefined)
  }

  stop(): void {
    this.#waiting.abort()
  }
}
