import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'

/**
 * Waits for something no longer than until the signal is aborted, whether or not it heeds that itself.
 * @throws DeskFailure `cancelled`, and whatever the work rejects with
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new DeskFailure({ kind: 'cancelled', message: 'Cancelled.' }))
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
