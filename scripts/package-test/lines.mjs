import { createInterface } from 'node:readline'
import { within } from './until.mjs'

/**
 * Waits for a line that says something, and reads on after it so that the writer is never held up.
 *
 * @template T
 * @param {import('node:stream').Readable | null} stream
 * @param {(line: string) => T | undefined} understand
 * @param {string} what for the message of the error
 * @returns {Promise<T>} rejects when the stream ends first, or says nothing of it for too long
 */
export function lineThatSays(stream, understand, what) {
  if (stream === null) throw new Error(`There is no stream to read ${what} from`)
  const said = new Promise((resolve, reject) => {
    const lines = createInterface({ input: stream })
    /** @type {string[]} */
    const last = []
    lines.on('line', (line) => {
      last.push(line)
      if (last.length > 5) last.shift()
      const understood = understand(line)
      if (understood !== undefined) resolve(understood)
    })
    lines.on('close', () =>
      reject(new Error(`it ended without saying ${what}, its last words being:\n${last.join('\n')}`)),
    )
  })
  return within(what, said)
}
