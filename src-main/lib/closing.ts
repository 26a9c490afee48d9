import { systemClock, withTimeout } from './async.ts'
import type { Clock } from './async.ts'

/** How long is waited for each, and for all of them together, in milliseconds. */
export type ClosingLimits = { readonly each: number; readonly all: number }

/**
 * Closes one after the other. None that fails or hangs keeps the next from it: when the time of all is up, what is left is
 * begun and not waited for. Never rejects.
 * @param failed hears what one failed with, and that one took too long
 */
export async function closeInTurn(
  closers: readonly (() => Promise<unknown>)[],
  { each, all }: ClosingLimits,
  failed: (error: unknown) => void,
  clock: Clock = systemClock,
): Promise<void> {
  const until = clock.now() + all
  for (const close of closers) {
    const milliseconds = Math.max(0, Math.min(each, until - clock.now()))
    await withTimeout({ milliseconds, clock }, () => close()).catch(failed)
  }
}
