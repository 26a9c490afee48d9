import { briefly } from '../service/briefly.ts'
import type { Clock } from '../service/clock.ts'
import { ServiceFailure } from '../service/service-failure.ts'

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
  let limited: AbortSignal | undefined
  try {
    return await briefly(milliseconds, clock, signal, (either) => work((limited = either)))
  } catch (error) {
    if (!limited?.aborted || signal.aborted) throw error
    const message = `The service did not answer within ${milliseconds / 1000} seconds.`
    throw new ServiceFailure({ kind: 'timed-out', message })
  }
}
