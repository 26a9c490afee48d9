import { setImmediate } from 'node:timers/promises'

/** Works on one thing after the other, and lets whatever else waits go first between two of them. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let first = true
  for (const item of items) {
    if (!first) await setImmediate()
    first = false
    work(item)
  }
}
