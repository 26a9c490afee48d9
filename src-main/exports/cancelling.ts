import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'

const cancelled = () => new DeskFailure({ kind: 'cancelled', message: 'Cancelled.' })

/** @throws DeskFailure `cancelled` */
export function throwIfCancelled({ aborted }: AbortSignal): void {
  if (aborted) throw cancelled()
}

/**
 * What comes of some work, or `cancelled` as soon as the signal says so, whatever still comes of it.
 *
 * @param giveUp runs where it is cancelled
 */
export async function orCancelled<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
  giveUp: () => void = () => undefined,
): Promise<T> {
  throwIfCancelled(signal)
  let stop: () => void = () => undefined
  const given = new Promise<never>((_, reject) => {
    stop = () => {
      giveUp()
      reject(cancelled())
    }
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([given, work()])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
