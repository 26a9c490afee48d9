import { codeOf } from './trouble.ts'

/** How long a file may be held by others until it counts as refused, in milliseconds. */
const busyTimeout = 12_000
const pause = new Int32Array(new SharedArrayBuffer(4))

/** SQLite says one, and Windows the other of a file that another program shares with nobody. */
const isHeld = (code: string): boolean => code.startsWith('SQLITE_BUSY') || code === 'EBUSY'

/**
 * Whoever copies or searches all files of a disk holds one for some seconds, and another process may begin it at the same
 * moment: that is not to cost a whole session. SQLite itself waits five seconds in some cases and not at all in others.
 * @throws what `work` throws, once it took too long or where it is about something else
 */
export function withBusyRetry<T>(work: () => T): T {
  const until = Date.now() + busyTimeout
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isHeld(codeOf(error)) || Date.now() >= until) throw error
      Atomics.wait(pause, 0, 0, 10)
    }
  }
}
