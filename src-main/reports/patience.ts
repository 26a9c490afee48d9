import { ServiceFailure } from '../service/service-failure.ts'
import type { Clock } from '../service/clock.ts'

/**
 * Does something that can be broken off, and breaks it off after a time.
 * @throws ServiceFailure `timed-out` after that time, and whatever `work` rejects with before
 */
export async function within<T>(
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
  } catch (error) {
    if (!tooLong.signal.aborted || signal.aborted) throw error
    const message = `The service did not answer within ${milliseconds / 1000} seconds.`
    throw new ServiceFailure({ kind: 'timed-out', message })
  } finally {
    done.abort()
  }
}
