import { deskFailure } from '#shared/api/failure.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'

/** Source of time; tests pass their own. */
export type Clock = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Resolves after the given time. Rejects as soon as the signal is aborted. */
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

/** Runs a function after a delay. @returns a function that cancels it */
export function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds)
  return () => {
    clearTimeout(timer)
  }
}

export type Timeout = {
  readonly milliseconds: number
  /** Ends the wait early. */
  readonly signal?: AbortSignal
  /** Creates the error on timeout; by default a DeskFailure `timed-out`. */
  readonly late?: () => Error
  readonly clock?: Clock
}

/** Error of a cancelled wait. */
export const cancelled = () => deskFailure('cancelled', 'Cancelled.')

/** @throws DeskFailure `cancelled` */
export function throwIfCancelled({ aborted }: AbortSignal): void {
  if (aborted) throw cancelled()
}

/**
 * Waits for `work` until the signal is aborted. Work that ignores the signal continues, and its outcome is discarded.
 * An already aborted signal means that `work` is not started.
 * @param reason creates the error on abort
 * @throws `reason`, or whatever `work` rejects with before
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
 * Waits for `work` up to a timeout. The signal passed to `work` is aborted on timeout and with `signal`.
 * @throws the error from `late` on timeout; DeskFailure `cancelled` when `signal` is aborted; whatever `work` rejects
 * with
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

/** Waits for work to settle, up to a timeout in milliseconds. After the timeout the work continues. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  await withTimeout({ milliseconds }, () => work).catch(() => undefined)
}

/** A caller that waits for shared work. */
export type Waiting<P> = {
  readonly signal: AbortSignal
  readonly onFetchProgress?: ((progress: P) => void) | undefined
}

type Flight<T, P> = {
  readonly result: Promise<T>
  readonly controller: AbortController
  readonly waiting: Set<Waiting<P>>
}

/** Running work by id. */
export type Flights<T, P = never> = Map<string, Flight<T, P>>

/**
 * Single-flight: joins the running work with this id, or starts it. The work is aborted when no caller waits any more.
 * @param begin receives a signal that is aborted when the last caller has left
 * @throws DeskFailure `cancelled` as soon as the caller's signal is aborted; whatever `begin` rejects with
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
      // The next caller starts a new flight.
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

/** Key of a query, unique per account or data scope. Keys of one account share a prefix. */
export const idOf = (whose: AccountId | DataScopeId, key: string) => `${whose} ${key}`

/** Maximum delay in milliseconds. The timer fires early rather than late, because the system clock may change. */
const longest = 3_600_000
/** Minimum delay in milliseconds, whatever the clock shows. */
const shortest = 1000

/** Fires once, at the earliest of several moments. */
export class Timer {
  readonly #clock: Clock
  readonly #ring: () => void
  #waiting = new AbortController()

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** Replaces the moments. @param moments in milliseconds since 1970 */
  set(moments: readonly number[]): void {
    this.stop()
    this.#waiting = new AbortController()
    const delay = Math.min(longest, ...moments.map((time) => time - this.#clock.now()))
    this.#clock.wait(Math.max(shortest, delay), this.#waiting.signal).then(this.#ring, () => undefined)
  }

  stop(): void {
    this.#waiting.abort()
  }
}
