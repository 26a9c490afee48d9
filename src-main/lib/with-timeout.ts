import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'

/** Resolves after so many milliseconds, or never once the signal is aborted; it may reject then. */
export type Timer = { readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void> }

export type Timeout = {
  readonly milliseconds: number
  /** Ends the waiting earlier. */
  readonly signal?: AbortSignal
  /** What the error is when the time is up; a DeskFailure `timed-out` where left out. */
  readonly late?: () => Error
  readonly clock?: Timer
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
  { milliseconds, signal, late = tooLate, clock = systemTimer }: Timeout,
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

const systemTimer: Timer = {
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
    }),
}

/** Waits for work to end, well or badly, and no longer than so many milliseconds; it goes on by itself then. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  await withTimeout({ milliseconds }, () => work).catch(() => undefined)
}
