import { setTimeout as pause } from 'node:timers/promises'

/** A machine that has much to do is slow; what takes longer than this does not come. In milliseconds. */
const longest = 60_000

/**
 * Waits until something is so.
 *
 * @param {string} what for the message of the error
 * @param {() => unknown} isSo may answer a promise
 * @param {number} [limit] in milliseconds
 */
export async function until(what, isSo, limit = longest) {
  let isLate = false
  const asking = async () => {
    while (!isLate && !(await isSo())) await pause(50)
  }
  await within(what, asking(), limit).finally(() => (isLate = true))
}

/**
 * Waits for something that may never come.
 *
 * @template T
 * @param {string} what for the message of the error
 * @param {Promise<T>} promise
 * @param {number} [limit] in milliseconds
 * @returns {Promise<T>}
 */
export async function within(what, promise, limit = longest) {
  const over = new AbortController()
  const late = pause(limit, undefined, { signal: over.signal }).then(() => {
    throw new Error(`waited in vain for ${what}`)
  })
  return await Promise.race([promise, late]).finally(() => {
    over.abort()
    late.catch(() => undefined)
  })
}
