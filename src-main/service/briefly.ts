import type { Clock } from './clock.ts'

/**
 * Does something that can be broken off, for so many milliseconds at most.
 * @throws whatever `work` rejects with; broken off, that is its word for being cancelled
 */
export async function briefly<T>(
  milliseconds: number,
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const tooLong = new AbortController()
  const done = new AbortController()
  clock.wait(milliseconds, done.signal).then(
    () => tooLong.abort(),
    () => undefined,
  )
  try {
    return await work(AbortSignal.any([signal, tooLong.signal]))
  } finally {
    done.abort()
  }
}

/** Waits for something, however it ends, for so many milliseconds at most. It goes on after that. */
export async function atMost(milliseconds: number, clock: Clock, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const tooLong = clock.wait(milliseconds, over.signal).catch(() => undefined)
  await Promise.race([work.catch(() => undefined), tooLong])
  over.abort()
}
